// Package forgecases has the tests of the whole path on a forge: the real program
// is started on event files, against forge/forgetest, with scripted vendors. It
// has no code of its own.
package forgecases
