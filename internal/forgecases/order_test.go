package forgecases

import (
	"fmt"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

// TestOrder delivers the events of one history in any order, with losses and
// twins, and always comes to the same end.
func TestOrder(t *testing.T) {
	t.Parallel()
	dice := chance(t)
	rounds := 1
	if all() {
		rounds = 16
	}
	for round := range rounds {
		seed := dice.Uint64()
		t.Run(fmt.Sprintf("shuffle %d", round), func(t *testing.T) {
			t.Parallel()
			dice := newDice(seed)
			w := newWorld(t, setting{})
			sent := 0
			deliver := func() printed {
				list := w.server.Deliveries()[sent:]
				var taken []forgetest.Delivery
				for _, d := range list {
					switch dice.IntN(4) {
					case 0: // lost
					case 1:
						taken = append(taken, d, d)
					default:
						taken = append(taken, d)
					}
				}
				dice.Shuffle(len(taken), func(i, j int) { taken[i], taken[j] = taken[j], taken[i] })
				for _, d := range taken[:min(len(taken), 5)] {
					w.act(d)
				}
				p := w.schedule()
				sent = len(w.server.Deliveries())
				return p
			}
			w.open("bug", "ui")
			w.comment(sam, w.issue, "me too")
			w.label()
			p := deliver()
			w.want(len(p.Runs) == 1 && p.Pull != nil && p.Pull.Draft, "after the label: %s", p)
			w.pull = p.Pull.Number
			w.comment(wil, w.pull, "> /warden accept "+p.Pull.Head)
			w.review(rita, forge.Approved, "")
			w.review(mona, forge.ChangesRequested, "Greet twice.", forgetest.InlineComment{Path: "greeting.txt", Line: 1, Body: "here"})
			w.woken()
			p = deliver()
			w.want(len(p.Runs) == 2 && p.words() == "reject" && p.Pull.Draft && w.check(p.Pull.Head) == "waiting", "after the rejection: %s", p)
			w.review(mona, forge.Approved, "")
			w.comment(sam, w.pull, "finally")
			w.woken()
			p = deliver()
			w.want(len(p.Runs) == 2 && p.words() == "reject accept" && !p.Pull.Draft && w.check(p.Pull.Head) == "success", "after the approval: %s", p)
			w.want(w.model.made() == 2 && w.said("not_permitted") == 1, "%d vendor calls, a reader was told %d times", w.model.made(), w.said("not_permitted"))
			w.settled()
		})
	}
}
