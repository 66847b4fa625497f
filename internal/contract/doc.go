// Package contract is what done means: the project's declarations, its tasks,
// and the integrity of the directory that holds them. It reads from an fs.FS
// rooted at .warden, so a commit's tree, a directory and a test map look alike,
// and it names no vendor and no model.
package contract
