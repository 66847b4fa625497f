package preview_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/preview"
)

// TestMain plays the servers of projects too: "serve MODE ADDRESS".
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "serve" {
		if err := serve(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	m.Run()
}

// serve is a server as projects have them. It stays until it is ended.
func serve(mode, address string) error {
	status := http.StatusOK
	switch mode {
	case "exit":
		for i := range 9 {
			fmt.Println("line", i)
		}
		return fmt.Errorf("cannot read the configuration")
	case "silent":
		quit := make(chan os.Signal, 1)
		signal.Notify(quit, syscall.SIGTERM)
		<-quit
		return nil
	case "failing":
		status = http.StatusInternalServerError
	case "chatty":
		go func() {
			for {
				fmt.Println(strings.Repeat("x", 10_000))
			}
		}()
	case "late":
		// Binds when a file is there, which the test makes once it was asked in vain.
		for {
			if _, err := os.Stat("bind"); err == nil {
				break
			}
			<-time.After(5 * time.Millisecond)
		}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if mode == "upgrade" && r.Header.Get("Connection") != "close" {
			<-r.Context().Done() // BR-03: never answers who asks for more than HTTP/1.1
			return
		}
		w.WriteHeader(status)
		fmt.Fprint(w, "page of the task")
	}))
}

// free is an address at which nobody listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func request(t *testing.T, mode string) preview.Request {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	address := free(t)
	return preview.Request{URL: "http://" + address + "/", Command: "exec '" + self + "' serve " + mode + " " + address,
		Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}, Ready: 20 * time.Second}
}

func dead(t *testing.T, address string) {
	t.Helper()
	if preview.Taken(context.Background(), address) {
		t.Errorf("something still answers at %s", address)
	}
}

func TestServes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"plain", "chatty", "BR-03 upgrade"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			req := request(t, mode[strings.LastIndexByte(mode, ' ')+1:])
			s, fault := preview.Open(context.Background(), req)
			if fault != nil {
				t.Fatal(fault.Text)
			}
			if s.Exited(context.Background()) != nil {
				t.Error("a server that runs is said to have ended")
			}
			end := s.Close()
			if end.Fault != nil {
				t.Error(end.Fault.Text)
			}
			if len(end.Lines) > 200 {
				t.Errorf("%d lines were kept", len(end.Lines))
			}
			for _, line := range end.Lines {
				if len(line) > 500 {
					t.Fatalf("a line of %d bytes was kept", len(line))
				}
			}
			dead(t, req.URL)
		})
	}
}

// TestFaults brings about every way not to have a page. Nothing may be left of any.
func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode string
		edit func(*testing.T, *preview.Request)
		why  preview.Why
		says string
	}{
		{"exit", nil, preview.Exited, " | stdout: line 8"},
		{"silent", func(_ *testing.T, r *preview.Request) { r.Ready = time.Second }, preview.Late, "did not answer at http://127.0.0.1:"},
		{"failing", func(_ *testing.T, r *preview.Request) { r.Ready = 12 * time.Second }, preview.Failing, "with status 500"},
		{"plain", func(_ *testing.T, r *preview.Request) { r.Command = "no-such-program-here" }, preview.Exited, "not found"},
		{"plain", func(_ *testing.T, r *preview.Request) { r.Command = "" }, preview.Undeclared, "set visual_qa.start"},
		{"plain", func(t *testing.T, r *preview.Request) {
			ill := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
			t.Cleanup(ill.Close)
			r.Command, r.URL = "", ill.URL+"/"
		}, preview.Failing, "answers with status 502"},
		{"plain", func(_ *testing.T, r *preview.Request) { r.URL = "http://192.0.2.1:9/" }, preview.Elsewhere, "only 127.0.0.1"},
		{"plain", func(_ *testing.T, r *preview.Request) { r.URL = "ftp://127.0.0.1/" }, preview.Elsewhere, "neither http nor https"},
	}
	for _, tt := range tests {
		t.Run(tt.mode+" "+string(tt.why), func(t *testing.T) {
			t.Parallel()
			req := request(t, tt.mode)
			if tt.edit != nil {
				tt.edit(t, &req)
			}
			s, fault := preview.Open(context.Background(), req)
			if s != nil || fault == nil {
				t.Fatalf("a page is said to be there: %v", s)
			}
			if fault.Why != tt.why || !strings.Contains(fault.Text, tt.says) {
				t.Errorf("got %s: %s", fault.Why, fault.Text)
			}
			if fault.Code() != outcome.VisualUnavailable {
				t.Errorf("code %s", fault.Code())
			}
			if said := strings.Join(fault.Lines, "\n"); tt.mode == "exit" && (len(fault.Lines) != 10 || !strings.Contains(said, "stdout: line 0") || !strings.Contains(said, "cannot read")) {
				t.Errorf("of what it said is kept:\n%s", said)
			}
		})
	}
}

// TestLastWords keeps of a command that says too much no more than there is room for.
func TestLastWords(t *testing.T) {
	t.Parallel()
	req := request(t, "exit")
	req.Command = "i=0; while [ $i -lt 150 ]; do echo \"$i says very much more than anybody would want to read\"; i=$((i+1)); done; exit 4"
	_, fault := preview.Open(t.Context(), req)
	if fault == nil || fault.Why != preview.Exited {
		t.Fatalf("got %+v", fault)
	}
	size := len(strings.Join(fault.Lines, "\n"))
	if size > preview.LastWords || size < preview.LastWords/2 || fault.Dropped+len(fault.Lines) != 150 {
		t.Errorf("%d lines of %d bytes are kept, %d dropped", len(fault.Lines), size, fault.Dropped)
	}
	if last := fault.Lines[len(fault.Lines)-1]; !strings.HasPrefix(last, "stdout: 149 says") {
		t.Errorf("the last line is %q", last)
	}
}

// TestLate binds only after the first look was in vain.
func TestLate(t *testing.T) {
	t.Parallel()
	req := request(t, "late")
	made := time.AfterFunc(300*time.Millisecond, func() { _ = os.WriteFile(filepath.Join(req.Dir, "bind"), nil, 0o600) })
	defer made.Stop()
	s, fault := preview.Open(context.Background(), req)
	if fault != nil {
		t.Fatal(fault.Text)
	}
	if end := s.Close(); end.Fault != nil {
		t.Error(end.Fault.Text)
	}
	dead(t, req.URL)
}

// TestBR_01 refuses the page of a stranger on the port: one that was there before,
// one that binds while the command starts, and one that holds it still at the end.
func TestBR_01(t *testing.T) {
	t.Parallel()
	occupied := func(t *testing.T, fault *preview.Fault) {
		t.Helper()
		if fault == nil || fault.Why != preview.Occupied || fault.Code() != outcome.VisualPortOccupied {
			t.Fatalf("a stranger's page was taken: %+v", fault)
		}
	}
	t.Run("BR-01 before", func(t *testing.T) {
		t.Parallel()
		stranger := httptest.NewServer(http.NotFoundHandler())
		defer stranger.Close()
		req := request(t, "plain")
		req.URL, req.Command = stranger.URL+"/", "touch ran; "+req.Command
		_, fault := preview.Open(context.Background(), req)
		occupied(t, fault)
		if _, err := os.Stat(filepath.Join(req.Dir, "ran")); err == nil {
			t.Error("the command was started beside the stranger")
		}
	})
	t.Run("BR-01 between", func(t *testing.T) {
		t.Parallel()
		req := request(t, "silent")
		self := strings.Fields(req.Command)[1]
		// The command is there, and somebody else has the port before it.
		stranger := exec.Command("/bin/sh", "-c", "while ! [ -e began ]; do :; done; exec "+self+" serve plain "+strings.TrimSuffix(strings.TrimPrefix(req.URL, "http://"), "/"))
		stranger.Dir = req.Dir
		if err := stranger.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = stranger.Process.Kill(); _ = stranger.Wait() }()
		req.Command = "touch began; " + req.Command
		s, fault := preview.Open(context.Background(), req)
		if fault == nil {
			fault = s.Close().Fault // where the system does not tell whose a socket is
		}
		occupied(t, fault)
	})
	t.Run("BR-01 control", func(t *testing.T) {
		t.Parallel()
		there := httptest.NewServer(http.NotFoundHandler())
		defer there.Close()
		req := request(t, "plain")
		req.URL, req.Command = there.URL+"/", ""
		s, fault := preview.Open(context.Background(), req)
		if fault != nil {
			t.Fatal(fault.Text)
		}
		if end := s.Close(); end.Fault != nil {
			t.Error(end.Fault.Text)
		}
	})
}

// TestTree ends what the command started, also where it detached itself.
func TestTree(t *testing.T) {
	t.Parallel()
	req := request(t, "plain")
	req.Command = "sleep 600 & echo $! > child; " + req.Command
	s, fault := preview.Open(context.Background(), req)
	if fault != nil {
		t.Fatal(fault.Text)
	}
	text, err := os.ReadFile(filepath.Join(req.Dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	id, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if end := s.Close(); end.Fault != nil {
		t.Error(end.Fault.Text)
	}
	if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id)); err == nil && !strings.Contains(string(stat), ") Z ") {
		t.Errorf("process %d is left: %s", id, stat)
	}
	dead(t, req.URL)
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	req := request(t, "silent")
	ctx, cancel := context.WithCancel(context.Background())
	stop := time.AfterFunc(200*time.Millisecond, cancel)
	defer stop.Stop()
	_, fault := preview.Open(ctx, req)
	if fault == nil || fault.Why != preview.Cancelled || fault.Code() != outcome.Interrupted {
		t.Fatalf("got %+v", fault)
	}
}

// TestEndedMeanwhile tells of a server that goes away while it is looked at.
func TestEndedMeanwhile(t *testing.T) {
	t.Parallel()
	req := request(t, "plain")
	req.Command = strings.TrimPrefix(req.Command, "exec ") + " & server=$!; while ! [ -e enough ]; do :; done; kill $server; wait; echo first >&2; printf 'the very last' >&2; exit 7"
	s, fault := preview.Open(context.Background(), req)
	if fault != nil {
		t.Fatal(fault.Text)
	}
	if err := os.WriteFile(filepath.Join(req.Dir, "enough"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); s.Exited(context.Background()) == nil; {
		if time.Now().After(end) {
			t.Fatal("the end of the server was not seen")
		}
	}
	if f := s.Exited(context.Background()); f.Why != preview.Exited || !strings.Contains(f.Text, "status 7") || !strings.HasSuffix(f.Text, "stderr: the very last") {
		t.Errorf("got %+v", f)
	}
	s.Close()
}
