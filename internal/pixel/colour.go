package pixel

// How different two colours look is measured in YIQ, which tells brightness from
// hue as the eye does: the squares of the three differences, weighted by how well
// each is seen. All numbers are integers, scaled by 1024, so that every machine gets
// the same.
const (
	scale = 1024

	// widest is the distance of the two colours that are furthest apart.
	widest = 35215
)

// distance is how different two colours look, from 0 to widest times scale.
func distance(a, b []byte) int64 {
	r, g, bl := int64(a[0])-int64(b[0]), int64(a[1])-int64(b[1]), int64(a[2])-int64(b[2])
	y := (306*r + 601*g + 117*bl) / 32
	i := (610*r - 281*g - 329*bl) / 32
	q := (217*r - 535*g + 318*bl) / 32
	const squared = scale / 32 * scale / 32 // of the scale that is left in y, i and q
	return (517*y*y + 306*i*i + 200*q*q) / squared
}

// brightness is how bright a colour looks, from 0 to 255 times scale.
func brightness(c []byte) int32 {
	return 306*int32(c[0]) + 601*int32(c[1]) + 117*int32(c[2])
}
