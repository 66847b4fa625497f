package github

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/tolboy/warden/forge"
)

var login = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*(\[bot\])?$`)

// Permission implements forge.Reader. The answer is asked for by login and
// counts only if it is about the same account: a login can be given up and
// taken by somebody else.
func (c *Client) Permission(ctx context.Context, user forge.User) (forge.Permission, error) {
	if user.ID == 0 || !login.MatchString(user.Login) {
		return forge.None, nil
	}
	action := fmt.Sprintf("read the permission of %s", user.Login)
	level, _, err := c.api.Repositories.GetPermissionLevel(ctx, c.repo.Owner, c.repo.Name, user.Login)
	if err = c.explain(action, err); errors.Is(err, forge.ErrNotFound) {
		return forge.None, nil
	} else if err != nil {
		return forge.None, err
	}
	if level.GetUser().GetID() != user.ID {
		return forge.None, nil
	}
	return permissionOf(level.GetPermission(), level.GetRoleName()), nil
}

// permissionOf reads the old word, which custom roles have too, and lets the
// role's name say only what that word leaves open.
func permissionOf(word, role string) forge.Permission {
	switch p := forge.Permission(word); {
	case p == forge.Admin:
		return forge.Admin
	case p == forge.Write && role == string(forge.Maintain):
		return forge.Maintain
	case p == forge.Read && role == string(forge.Triage):
		return forge.Triage
	case p == forge.Write, p == forge.Read:
		return p
	}
	return forge.None
}
