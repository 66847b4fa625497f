//go:build !unix

package proc

import "os"

func signalName(*os.ProcessState) string { return "" }
