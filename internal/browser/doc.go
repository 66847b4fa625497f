// Package browser drives one Chromium over the scenarios of a task and says what
// it saw: which checks held, what each act hit and changed, what the console said,
// and a picture of every moment that was judged.
//
// The page is hostile. It runs in a browser with a profile of its own that is
// thrown away, is driven over a pipe that no page can reach, and sees the network
// only through a gate of this process, which lets the declared origins pass and
// nothing else. Whatever the page does, each thing that is asked of it has a limit,
// and its end is a value of the report.
//
// No pause stands for a judgement: after every act the driver waits until the page
// is quiet (see settle.go), and a check that does not hold is looked at again at
// every change of the page until its time is over.
//
// A page that fails is a row of the report. An error means that we could not tell:
// no browser, a browser that died, a directory that cannot be written.
package browser
