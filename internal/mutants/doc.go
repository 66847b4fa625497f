// Package mutants holds the defences of Warden to their tests. Each file in
// testdata removes one defence; the test that it names must then go red. It has no
// code of its own.
//
// A mutant is a file named <area>-<defence>.mutant:
//
//	why: The sentence that says which defence is gone.
//	file: internal/workflow/next.go
//	test: internal/workflow TestNext/no_progress
//	--- old
//	text that stands exactly once in the file
//	+++ new
//	text that replaces it, possibly none
//
// The test is a package directory and a pattern for -run. The file on the disk is
// never touched: the mutant is compiled through an overlay. An ordinary run tries a
// sample, WARDEN_TEST_ALL=1 all of them, and -mutant one by its name.
package mutants
