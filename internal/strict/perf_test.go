package strict
import ("testing";"strings";"time";"fmt")
func TestPerfTmp(t *testing.T){
 for _, in := range []string{"a: ["+strings.Repeat("b,", 1<<17)+"]\n", "a: ["+strings.Repeat("b,", 1<<19-10)+"]\n", "a: {"+strings.Repeat("'b': [], ", 1<<16)+"}\n", strings.Repeat("a: |\n b\n", 1<<16), "a: \""+strings.Repeat("b\n\t", 1<<18)+"\"\n","a: ["+strings.Repeat("\"b\n\t\",", 1<<17)+"]\n"} {
  s := time.Now(); _, f := Parse(Source{File:"f"}, []byte(in)); 
  fmt.Printf("%.10q %v %d\n", in, time.Since(s).Round(time.Millisecond), len(f))
 }
}
