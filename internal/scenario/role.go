package scenario

import (
	"slices"
	"strings"
)

// roles are the roles of WAI-ARIA by which an element can be found: not "none" and
// "presentation", which take its role away.
func roles() []string {
	return strings.Fields(`alert alertdialog application article banner blockquote button caption cell checkbox code
		columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure
		form generic grid gridcell group heading img image insertion link list listbox listitem log main marquee math menu
		menubar menuitem menuitemcheckbox menuitemradio meter navigation note option paragraph progressbar
		radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong
		subscript superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid
		treeitem`)
}

// wrongRole says what is wrong with the name of a role.
func wrongRole(role string) (message, hint string) {
	if slices.Contains(roles(), role) || strings.HasPrefix(role, "doc-") || strings.HasPrefix(role, "graphics-") {
		return "", ""
	}
	usual := map[string]string{"input": "textbox", "text": "textbox", "textarea": "textbox", "a": "link", "select": "combobox", "h1": "heading",
		"nav": "navigation", "header": "banner", "footer": "contentinfo", "modal": "dialog", "ul": "list", "li": "listitem", "tr": "row", "td": "cell"}
	hint = "a role of WAI-ARIA, such as button, link, textbox, checkbox, heading or dialog"
	if near := usual[role]; near != "" {
		hint = "did you mean role=" + near + "?"
	} else if near := nearest(role, roles()); near != "" && len(role) > 2 {
		hint = "did you mean role=" + near + "?"
	}
	return "no element has the role " + quoted(role), hint
}
