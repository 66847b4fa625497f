package reconcile_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/forge"
	. "github.com/tolboy/warden/internal/reconcile"
)

// candidate is the commit that waits for a person.
func (w *world) candidate() string { return w.last().Candidate }

// unseen is text of which nothing shows: blanks, joiners, marks of direction and of
// order, tags, fillers, selectors.
const unseen = "\u200b\ufeff \u00a0\u200d\u2060\u202e\u00ad\u3164\u2800\ufe0f\u3000\U000e0041\U000e007f\u034f"

func TestPlan(t *testing.T) {
	t.Parallel()
	accepted := []string{"record_decision/person_accepted", "publish", "mark_ready"}
	rejected := []string{"record_decision/person_rejected", "publish", "start_run"}
	say := func(r Reason) []string { return []string{"ask/" + string(r)} }
	tests := []struct {
		name string
		from func(testing.TB) *world
		do   func(*world)
		want []string
	}{
		{"peer-01_six_labels_at_birth", newWorld, func(w *world) {
			for _, l := range []string{"a", "b", "c", "d", "e"} {
				w.event(forge.Labeled, l, ann)
			}
			w.label(ann)
		}, []string{"start_run"}},
		{"peer-02_labelled_twice_without_a_removal", newWorld, func(w *world) {
			w.label(ann)
			w.label(ann)
		}, []string{"start_run"}},
		{"peer-02_labelled_again_without_a_removal", published, func(w *world) { w.label(ann) }, nil},
		{"label_off_and_on_is_a_new_wish", published, func(w *world) {
			w.unlabel(ann)
			w.label(ann)
		}, []string{"start_run"}},
		{"label_by_reader", newWorld, func(w *world) { w.label(reader) }, say(NotPermitted)},
		{"label_by_unknown", newWorld, func(w *world) { w.label(stranger) }, nil},
		{"HG-02_label_by_robot", newWorld, func(w *world) { w.label(robot) }, nil},
		{"peer-09_label_by_ghost", newWorld, func(w *world) { w.label(ghost) }, nil},
		{"label_on_closed_issue", newWorld, func(w *world) { w.label(ann); w.o.Issue.Open = false }, nil},
		{"label_on_pull_request", newWorld, func(w *world) { w.label(ann); w.o.Issue.IsPullRequest = true }, nil},
		{"peer-06_body_edited_after_label", newWorld, func(w *world) {
			w.label(ann)
			w.o.Issue.BodyEditedAt = new(w.tick())
		}, say(TextEdited)},
		{"peer-06_title_renamed_after_label", newWorld, func(w *world) {
			w.label(ann)
			w.event(forge.Renamed, "", ben)
		}, say(TextEdited)},
		{"peer-06_edited_in_the_same_second", newWorld, func(w *world) {
			w.label(ann)
			w.o.Issue.BodyEditedAt = new(w.o.Now)
		}, say(TextEdited)},
		{"peer-06_time_of_edit_unreadable", newWorld, func(w *world) {
			w.label(ann)
			w.o.Issue.BodyEditedAt = new(time.Time)
		}, say(TextEdited)},
		{"peer-06_edits_unknown", newWorld, func(w *world) { w.label(ann); w.o.Issue.EditsUnknown = true }, say(EditsUnknown)},
		{"peer-06_time_of_label_unreadable", newWorld, func(w *world) {
			w.label(ann)
			w.o.Events[0].At = time.Time{}
		}, say(EditsUnknown)},
		{"peer-06_control_edited_before_label", newWorld, func(w *world) {
			w.o.Issue.BodyEditedAt = new(w.tick())
			w.event(forge.Renamed, "", ben)
			w.label(ann)
		}, []string{"start_run"}},
		{"peer-06_fresh_label_after_the_edit", newWorld, func(w *world) {
			w.label(ann)
			w.o.Issue.BodyEditedAt = new(w.tick())
			w.settle()
			w.unlabel(ann)
			w.label(ann)
		}, []string{"ask/text_edited_after_label", "start_run"}},
		{"approve", published, func(w *world) { w.review(ann, forge.Approved, "", w.candidate()) }, accepted},
		{"approve_and_chatter_keeps_the_approval", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.review(ann, forge.Commented, "nice", w.candidate())
		}, accepted},
		{"approve_then_own_request_for_changes", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.review(ann, forge.ChangesRequested, "wait", w.candidate())
		}, rejected},
		{"request_for_changes_then_own_approval", published, func(w *world) {
			w.review(ann, forge.ChangesRequested, "wait", w.candidate())
			w.review(ann, forge.Approved, "", w.candidate())
		}, accepted},
		{"refusal_outranks_another_persons_approval", published, func(w *world) {
			w.review(ben, forge.ChangesRequested, "no", w.candidate())
			w.review(ann, forge.Approved, "", w.candidate())
		}, []string{"record_decision/person_rejected", "publish", "ask/outranked_by_refusal", "start_run"}},
		{"peer-17_request_changes_without_a_mention", published, func(w *world) {
			w.review(ben, forge.ChangesRequested, "Please no.", w.candidate())
		}, rejected},
		{"request_changes_without_text", published, func(w *world) {
			w.review(ben, forge.ChangesRequested, " \r\n", w.candidate())
			w.review(ann, forge.Approved, "", w.candidate())
		}, []string{"ask/rejection_text_needed", "ask/more_approvals_needed"}},
		{"request_changes_in_invisible_characters", published, func(w *world) {
			w.review(ben, forge.ChangesRequested, unseen, w.candidate(), forge.ReviewComment{ID: 5, Path: "a.go", Line: 3, Body: unseen})
			w.review(ann, forge.Approved, "", w.candidate())
		}, []string{"ask/rejection_text_needed", "ask/more_approvals_needed"}},
		{"request_changes_in_inline_comments_only", published, func(w *world) {
			w.review(ben, forge.ChangesRequested, "", w.candidate(), forge.ReviewComment{ID: 5, Path: "a.go", Line: 3, Body: "off by one"})
		}, rejected},
		{"peer-19_approve_then_push", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.push()
		}, []string{"publish", "ask/head_moved", "ask/stale_approval"}},
		{"peer-19_push_after_the_accept_was_recorded", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.settle()
			w.kinds()
			w.push()
		}, []string{"publish", "record_decision/head_moved", "publish", "mark_draft", "ask/head_moved"}},
		{"peer-19_head_comes_back_but_the_accept_does_not", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.settle()
			w.push()
			w.settle()
			w.kinds()
			w.o.Pull.HeadSHA = w.candidate()
		}, nil},
		{"HG-10_dismissed_after_the_accept", published, func(w *world) {
			id := w.review(ann, forge.Approved, "", w.candidate())
			w.settle()
			w.kinds()
			w.dismiss(id)
		}, []string{"record_decision/approval_dismissed", "publish", "mark_draft", "ask/approval_dismissed"}},
		{"HG-10_comment_edited_after_it_counted", published, func(w *world) {
			w.comment(ann, "/warden accept "+w.candidate()[:9], OnPull)
			w.settle()
			w.kinds()
			w.o.PullComments[0].Body, w.o.PullComments[0].UpdatedAt = "/warden reject no", w.tick()
		}, nil},
		{"HG-10_free_text_is_no_answer", published, func(w *world) {
			w.comment(ann, "yes please", OnPull)
			w.comment(ann, "/warden yes please", OnPull)
		}, say(UnknownCommand)},
		{"refused_after_the_accept", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.settle()
			w.kinds()
			w.review(ben, forge.ChangesRequested, "broken", w.candidate())
		}, []string{"record_decision/refused_later", "publish", "record_decision/person_rejected", "publish", "mark_draft", "start_run"}},
		{"peer-21_approval_by_own_account", published, func(w *world) { w.review(self, forge.Approved, "", w.candidate()) }, nil},
		{"peer-21_approval_by_robot", published, func(w *world) { w.review(robot, forge.Approved, "", w.candidate()) }, nil},
		{"peer-21_approval_by_reader", published, func(w *world) { w.review(reader, forge.Approved, "", w.candidate()) }, say(NotPermitted)},
		{"peer-21_sole_author_with_self_accept", published, func(w *world) { w.review(ann, forge.Approved, "", w.candidate()) }, accepted},
		{"peer-21_sole_author_without_self_accept", published, func(w *world) {
			w.o.Config.SelfAccept = false
			w.review(ann, forge.Approved, "", w.candidate())
		}, say(SelfAcceptOff)},
		{"peer-21_committer_without_self_accept", published, func(w *world) {
			w.o.Config.SelfAccept = false
			w.last().Committers = []forge.User{ben}
			w.review(ben, forge.Approved, "", w.candidate())
		}, say(SelfAcceptOff)},
		{"peer-09_approval_by_ghost", published, func(w *world) { w.review(ghost, forge.Approved, "", w.candidate()) }, nil},
		{"approval_by_unknown_permission_waits", published, func(w *world) { w.review(stranger, forge.Approved, "", w.candidate()) }, nil},
		{"refusal_by_unknown_permission_holds_the_accept", published, func(w *world) {
			w.review(stranger, forge.ChangesRequested, "no", w.candidate())
			w.review(ann, forge.Approved, "", w.candidate())
		}, say(MoreApprovals)},
		{"approval_of_an_older_commit", published, func(w *world) { w.review(ann, forge.Approved, "", strings.Repeat("1", 40)) }, say(StaleApproval)},
		{"approval_after_the_question_expired", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.last().ExpiresAt = w.o.Reviews[0].SubmittedAt
		}, say(GateExpired)},
		{"approval_of_a_rewritten_commit", published, func(w *world) { w.review(ann, forge.Approved, "", "") }, say(StaleApproval)},
		{"approval_known_to_be_edited", published, func(w *world) {
			w.o.ReviewEdited[w.review(ann, forge.Approved, "", w.candidate())] = true
		}, say(ReviewEdited)},
		{"approval_from_before_it_was_shown", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.o.Reviews[0].SubmittedAt = w.last().PublishedAt
		}, say(TooEarly)},
		{"two_approvals_needed_one_given", published, func(w *world) {
			w.o.Config.Approvals = 2
			w.review(ann, forge.Approved, "", w.candidate())
		}, say(MoreApprovals)},
		{"two_approvals_needed_two_given", published, func(w *world) {
			w.o.Config.Approvals = 2
			w.review(ann, forge.Approved, "", w.candidate())
			w.review(ben, forge.Approved, "", w.candidate())
		}, accepted},
		{"two_approvals_of_one_person", published, func(w *world) {
			w.o.Config.Approvals = 2
			w.review(ann, forge.Approved, "", w.candidate())
			w.comment(ann, "/warden accept "+w.candidate(), OnPull)
		}, say(MoreApprovals)},
		{"accept_by_comment", published, func(w *world) { w.comment(ann, "/warden accept "+w.candidate()[:7]+"\r\nthanks", OnPull) }, accepted},
		{"accept_by_comment_on_the_issue", published, func(w *world) { w.comment(ann, "/warden accept "+w.candidate(), OnIssue) }, accepted},
		{"accept_by_comment_of_another_commit", published, func(w *world) { w.comment(ann, "/warden accept 1234567", OnPull) }, say(WrongCandidate)},
		{"accept_by_comment_without_a_commit", published, func(w *world) { w.comment(ann, "/warden accept", OnPull) }, say(MalformedCommand)},
		{"accept_by_edited_comment", published, func(w *world) {
			w.comment(ann, "/warden accept "+w.candidate(), OnPull)
			w.o.PullComments[0].UpdatedAt = w.tick()
		}, say(CommentEdited)},
		{"accept_by_review_comment_of_unknown_edits", published, func(w *world) {
			delete(w.o.ReviewEdited, w.review(ann, forge.Commented, "/warden accept "+w.candidate(), w.candidate()))
		}, say(CommentEdited)},
		{"accept_by_review_comment", published, func(w *world) {
			w.review(ann, forge.Commented, "/warden accept "+w.candidate(), w.candidate())
		}, accepted},
		{"accept_by_stranger_comment_twice_said_once", published, func(w *world) {
			w.comment(reader, "/warden accept "+w.candidate(), OnPull)
			w.comment(reader, "/warden reject no", OnIssue)
		}, say(NotPermitted)},
		{"reject_by_comment", published, func(w *world) { w.comment(ann, "/warden reject\r\nToo slow.", OnPull) }, rejected},
		{"reject_by_comment_without_text", published, func(w *world) { w.comment(ann, "/warden reject", OnPull) }, say(TextNeeded)},
		{"reject_by_comment_in_invisible_characters", published, func(w *world) { w.comment(ann, "/warden reject "+unseen, OnPull) }, say(TextNeeded)},
		{"reject_by_comment_in_invisible_lines", published, func(w *world) { w.comment(ann, "/warden reject\n"+unseen+"\n"+unseen, OnPull) }, say(TextNeeded)},
		{"reject_by_review_comment_in_invisible_characters", published, func(w *world) {
			w.review(ann, forge.Commented, "/warden reject "+unseen, w.candidate())
		}, say(TextNeeded)},
		{"reject_in_one_character_among_invisible_ones", published, func(w *world) { w.comment(ann, "/warden reject "+unseen+"👎"+unseen, OnPull) }, rejected},
		{"peer-03_own_comment", published, func(w *world) { w.comment(self, "/warden accept "+w.candidate(), OnPull) }, nil},
		{"HG-02_robot_answers_everything", published, func(w *world) {
			for _, c := range []string{"accept " + w.candidate(), "reject x", "retry", "switch", "abort", "stop"} {
				w.comment(robot, "/warden "+c, OnPull)
			}
			w.review(robot, forge.ChangesRequested, "no", w.candidate())
		}, nil},
		{"HG-02_time_alone_answers_nothing", published, func(w *world) { w.o.Now = w.o.Now.Add(1000 * time.Hour) }, nil},
		{"peer-05_quoted", published, func(w *world) {
			for _, f := range []string{"> %s\nnot yet", "```\n%s\n```", "`%s`", "<!-- %s -->", " %s", "- %s", "hello\n%s", "\u200b%s"} {
				w.comment(ann, fmt.Sprintf(f, "/warden accept "+w.candidate()), OnPull)
			}
		}, nil},
		{"retry_is_no_answer_to_a_success", published, func(w *world) { w.comment(ann, "/warden retry", OnPull) }, say(NotAnOption)},
		{"retry_of_a_failure", failed, func(w *world) { w.comment(ann, "/warden retry", OnIssue) },
			[]string{"record_decision/person_answered", "publish", "start_run"}},
		{"retry_after_the_question_expired", failed, func(w *world) {
			w.comment(ann, "/warden retry", OnIssue)
			w.last().ExpiresAt = w.o.IssueComments[len(w.o.IssueComments)-1].CreatedAt
		}, say(GateExpired)},
		{"abort_outranks_retry", failed, func(w *world) {
			w.comment(ann, "/warden retry", OnIssue)
			w.comment(ben, "/warden abort", OnIssue)
		}, []string{"record_decision/person_answered", "publish", "ask/nothing_waiting"}},
		{"switch_of_a_plain_failure", failed, func(w *world) { w.comment(ann, "/warden switch", OnIssue) }, say(NotAnOption)},
		{"reject_of_a_failure", failed, func(w *world) { w.comment(ann, "/warden reject no", OnIssue) }, say(NotAnOption)},
		{"help_status_recheck", published, func(w *world) {
			w.comment(ann, "/warden help", OnIssue)
			w.comment(ann, "/warden status", OnIssue)
			w.comment(ann, "/warden recheck", OnPull)
		}, []string{"ask/help_asked", "ask/status_asked", "ask/recheck_head_unchanged"}},
		{"recheck_what_was_pushed", published, func(w *world) {
			w.push()
			w.comment(ann, "/warden recheck", OnPull)
		}, []string{"publish", "ask/head_moved", "start_run"}},
		{"recheck_once_for_one_comment", published, func(w *world) {
			w.push()
			w.comment(ann, "/warden recheck", OnPull)
			w.settle()
			w.seal(GateSuccess)
			w.settle()
			w.push()
		}, []string{"publish", "ask/head_moved", "start_run", "publish", "publish", "ask/head_moved"}},
		{"recheck_of_a_reader_who_may_not_decide", published, func(w *world) {
			w.push()
			w.comment(reader, "/warden recheck", OnPull)
		}, []string{"publish", "ask/head_moved", "ask/not_permitted"}},
		{"recheck_that_was_edited", published, func(w *world) {
			w.push()
			w.comment(ann, "/warden recheck", OnPull)
			w.o.PullComments[len(w.o.PullComments)-1].UpdatedAt = w.tick()
		}, []string{"publish", "ask/head_moved", "ask/comment_edited"}},
		{"recheck_of_a_fork", published, func(w *world) {
			w.push()
			w.o.Repo, w.o.Pull.HeadRepo = "octo/shop", "mallory/shop"
			w.comment(ann, "/warden recheck", OnPull)
		}, []string{"publish", "ask/head_moved", "ask/recheck_no_pull_request"}},
		{"recheck_of_a_fork_that_is_gone", published, func(w *world) {
			w.push()
			w.o.Repo, w.o.Pull.HeadRepo = "octo/shop", ""
			w.comment(ann, "/warden recheck", OnPull)
		}, []string{"publish", "ask/head_moved", "ask/recheck_no_pull_request"}},
		{"recheck_before_a_candidate", newWorld, func(w *world) {
			w.label(ann)
			w.settle()
			w.seal(GateFailure)
			w.comment(ann, "/warden recheck", OnIssue)
		}, []string{"start_run", "publish", "ask/recheck_no_pull_request"}},
		{"recheck_of_a_closed_issue", published, func(w *world) {
			w.push()
			w.settle()
			w.o.Issue.Open = false
			w.comment(ann, "/warden recheck", OnIssue)
		}, []string{"publish", "ask/head_moved", "ask/issue_closed"}},
		{"recheck_without_the_label", published, func(w *world) {
			w.push()
			w.settle()
			w.unlabel(ann)
			w.comment(ann, "/warden recheck", OnIssue)
		}, []string{"publish", "ask/head_moved", "ask/label_off"}},
		{"recheck_that_failed_is_tried_again", published, func(w *world) {
			w.push()
			w.comment(ann, "/warden recheck", OnPull)
			w.settle()
			w.seal(GateFailure)
			w.settle()
			w.push()
			w.comment(ben, "/warden retry", OnIssue)
		}, []string{"publish", "ask/head_moved", "start_run", "publish", "record_decision/person_answered", "publish", "ask/head_moved", "start_run"}},
		{"reject_after_a_recheck_that_failed", published, func(w *world) {
			w.push()
			w.comment(ann, "/warden recheck", OnPull)
			w.settle()
			w.seal(GateFailure)
			w.settle()
			w.comment(ben, "/warden reject do it otherwise", OnPull)
		}, append([]string{"publish", "ask/head_moved", "start_run", "publish"}, rejected...)},
		{"committers_unknown_and_self_accept_off", published, func(w *world) {
			w.o.Config.SelfAccept = false
			w.last().CommittersUnknown = true
			w.review(ben, forge.Approved, "", w.candidate())
		}, say(SelfAcceptOff)},
		{"command_without_a_run", newWorld, func(w *world) { w.comment(ann, "/warden retry", OnIssue) }, say(NothingWaiting)},
		{"stop_without_a_run", newWorld, func(w *world) { w.comment(ann, "/warden stop", OnIssue) }, say(NoRunInProgress)},
		{"peer-04_chatter_during_a_run", running, func(w *world) {
			for i := range 5 {
				w.comment(ann, fmt.Sprintf("chatter %d /warden stop", i), OnIssue)
			}
			w.review(ben, forge.Commented, "notes", "", forge.ReviewComment{ID: 1, Body: "x"}, forge.ReviewComment{ID: 2, Body: "y"}, forge.ReviewComment{ID: 3, Body: "z"})
			w.comment(ann, "/warden reject too slow", OnIssue)
		}, nil},
		{"peer-04_command_waits_its_turn", running, func(w *world) {
			w.comment(ann, "/warden reject too slow", OnIssue)
			w.settle()
			w.seal(GateSuccess)
		}, append([]string{"publish"}, rejected...)},
		{"permitting_answer_from_before_the_question", running, func(w *world) {
			w.comment(ann, "/warden retry", OnIssue)
			w.settle()
			w.seal(GateFailure)
		}, []string{"publish", "ask/answer_before_question"}},
		{"stop_command", running, func(w *world) { w.comment(ann, "/warden stop", OnIssue) }, []string{"stop/stop_asked", "ask/stop_noted"}},
		{"stop_between_the_label_and_the_worker", newWorld, func(w *world) {
			w.label(ann)
			w.comment(ann, "/warden stop", OnIssue)
			w.tick()
		}, []string{"start_run", "stop/stop_asked", "ask/stop_noted"}},
		{"stop_where_the_clock_of_the_worker_is_ahead", running, func(w *world) {
			w.last().StartedAt = w.last().StartedAt.Add(time.Hour)
			w.comment(ann, "/warden stop", OnIssue)
		}, []string{"stop/stop_asked", "ask/stop_noted"}},
		{"stop_of_an_earlier_run_in_the_second_of_the_retry", running, func(w *world) {
			w.comment(ann, "/warden stop", OnIssue)
			w.settle()
			w.seal(GateFailure)
			w.comment(ann, "/warden retry", OnIssue)
			last := len(w.o.IssueComments) - 1
			at := w.o.IssueComments[last].CreatedAt
			w.last().SealedAt = at.Add(-time.Second)
			w.o.IssueComments[last-1].CreatedAt, w.o.IssueComments[last-1].UpdatedAt = at, at
		}, []string{"stop/stop_asked", "ask/stop_noted", "publish", "record_decision/person_answered", "publish", "start_run"}},
		{"stop_by_reader", running, func(w *world) { w.comment(reader, "/warden stop", OnIssue) }, say(NotPermitted)},
		{"label_off_during_a_run", running, func(w *world) { w.unlabel(ann) }, []string{"stop/label_off"}},
		{"label_off_and_on_during_a_run", running, func(w *world) {
			w.unlabel(ann)
			w.label(ann)
			w.settle()
			w.seal(GateFailure)
		}, []string{"stop/label_off", "publish", "start_run"}},
		{"issue_closed_during_a_run", running, func(w *world) { w.o.Issue.Open = false }, []string{"stop/issue_closed"}},
		{"dead_lease", running, func(w *world) { w.last().Lease.Alive = new(false) }, []string{"continue_run", "publish"}},
		{"lease_ran_out", running, func(w *world) {
			w.last().Lease = Lease{Owner: "w1", Until: w.tick()}
			w.tick()
		}, []string{"continue_run", "publish"}},
		{"lease_that_says_nothing", running, func(w *world) { w.last().Lease = Lease{} }, nil},
		{"lease_that_says_nothing_for_days", running, func(w *world) {
			w.last().Lease = Lease{}
			w.o.Now = w.o.Now.Add(25 * time.Hour)
		}, []string{"continue_run", "publish"}},
		{"pull_request_closed", published, func(w *world) {
			w.o.Pull.Open, w.o.Pull.ClosedAt = false, w.tick()
		}, []string{"record_decision/pull_request_closed", "publish"}},
		{"pull_request_closed_after_accept", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.settle()
			w.kinds()
			w.o.Pull.Open, w.o.Pull.ClosedAt = false, w.tick()
		}, []string{"record_decision/pull_request_closed", "publish", "record_decision/pull_request_closed", "publish"}},
		{"merged_after_accept", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.settle()
			w.kinds()
			w.o.Pull.Open, w.o.Pull.Merged, w.o.Pull.MergedBy, w.o.Pull.ClosedAt = false, true, ann, w.tick()
		}, []string{"record_decision/pull_request_merged", "publish"}},
		{"merged_without_accept", published, func(w *world) {
			w.o.Pull.Open, w.o.Pull.Merged, w.o.Pull.MergedBy, w.o.Pull.ClosedAt = false, true, ann, w.tick()
		}, []string{"record_decision/pull_request_merged", "publish", "ask/merged_without_accept"}},
		{"reject_while_the_label_is_off", published, func(w *world) {
			w.unlabel(ann)
			w.review(ann, forge.ChangesRequested, "no", w.candidate())
		}, []string{"record_decision/person_rejected", "publish"}},
		{"run_limit", published, func(w *world) {
			w.o.Limits.RunsPerIssue = 1
			w.review(ann, forge.ChangesRequested, "no", w.candidate())
		}, []string{"record_decision/person_rejected", "publish", "ask/run_limit_reached"}},
		{"mark_ready_forbidden", published, func(w *world) {
			w.noFlip = true
			w.review(ann, forge.Approved, "", w.candidate())
		}, append(slices.Clone(accepted), "ask/mark_ready_forbidden")},
		{"partial_observation_decides_nothing", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.o.Unread = []string{"reviews of another page"}
		}, nil},
		{"pull_request_of_another_branch", published, func(w *world) {
			w.review(ann, forge.Approved, "", w.candidate())
			w.o.Pull.HeadRef = "main"
		}, nil},
		{"answers_have_a_limit", published, func(w *world) {
			w.o.Limits.AnswersPerIssue = 2
			for range 5 {
				w.comment(ann, "/warden help", OnIssue)
			}
		}, []string{"ask/help_asked", "ask/help_asked"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := tt.from(t)
			tt.do(w)
			w.settle()
			if diff := cmp.Diff(tt.want, w.kinds()); diff != "" {
				t.Errorf("actions (-want +got):\n%s", diff)
			}
		})
	}
}

func failed(t testing.TB) *world {
	w := running(t)
	w.seal(GateFailure)
	w.settle()
	w.kinds()
	return w
}

func running(t testing.TB) *world {
	w := newWorld(t)
	w.label(ann)
	w.settle()
	w.kinds()
	return w
}

func TestPushRace(t *testing.T) {
	t.Parallel()
	t.Run("peer-16_lease_refused_is_said_and_nothing_else_is_shown", func(t *testing.T) {
		t.Parallel()
		w := running(t)
		w.refuse[PieceBranch] = true
		w.seal(GateSuccess)
		w.settle()
		if diff := cmp.Diff([]string{"publish", "publish", "ask/push_refused"}, w.kinds()); diff != "" {
			t.Error(diff)
		}
		if w.o.Pull != nil {
			t.Error("a pull request was opened for what was not pushed")
		}
	})
}

func TestRejection(t *testing.T) {
	t.Parallel()
	t.Run("CO-13_peer-17_words_reach_the_next_run_byte_for_byte_once", func(t *testing.T) {
		t.Parallel()
		body := "Fixes #1 @team\r\n\r\n```suggestion\n\tx := \u202e1\n```\n  trailing  "
		inline := []forge.ReviewComment{
			{ID: 8, Path: "b.go", Line: 9, StartLine: 4, Side: "RIGHT", DiffHunk: "@@ -1 +1 @@", Body: "second <!-- x -->"},
			{ID: 9, Path: "a.go", Line: 2, Side: "LEFT", DiffHunk: "@@", Body: "first\r\n"},
		}
		w := published(t)
		w.review(ben, forge.ChangesRequested, body, w.candidate(), inline...)
		w.review(ann, forge.ChangesRequested, "me too", w.candidate())
		w.settle()
		var starts []Action
		for _, a := range w.log {
			if a.Kind == StartRun {
				starts = append(starts, a)
			}
		}
		if len(starts) != 1 || starts[0].Rejection == nil || starts[0].Continues != "issue-7-1" {
			t.Fatalf("starts = %+v", starts)
		}
		got := starts[0].Rejection
		if !bytes.Equal(got.Note, []byte(body)) {
			t.Errorf("note = %q", got.Note)
		}
		if diff := cmp.Diff([]forge.ReviewComment{inline[1], inline[0]}, got.Inline); diff != "" {
			t.Error(diff)
		}
		if len(got.Others) != 1 || string(got.Others[0].Note) != "me too" {
			t.Errorf("others = %+v", got.Others)
		}
		w.kinds()
		w.seal(GateFailure)
		w.settle()
		w.comment(ann, "/warden retry", OnIssue)
		w.settle()
		for _, a := range w.log {
			if a.Kind == StartRun && a.Rejection != nil {
				t.Error("the rejection was carried twice")
			}
		}
	})
	t.Run("CO-13_label_put_on_later_carries_the_words", func(t *testing.T) {
		t.Parallel()
		w := published(t)
		w.unlabel(ann)
		w.review(ann, forge.ChangesRequested, "no", w.candidate())
		w.settle()
		w.label(ann)
		w.settle()
		last := w.log[len(w.log)-1]
		if last.Kind != StartRun || last.Rejection == nil || last.Goal == nil || string(last.Rejection.Note) != "no" {
			t.Errorf("got %+v", last)
		}
	})
}

func TestIgnored(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(*world) Trigger
		want Reason
	}{
		{"peer-01_other_label", func(w *world) Trigger { return Trigger{Kind: TriggerLabel, Label: "bug", Sender: ann} }, OtherLabel},
		{"peer-02_second_delivery", func(w *world) Trigger { return Trigger{Kind: TriggerLabel, Label: "warden", Sender: ann} }, AlreadyHandled},
		{"peer-03_own_comment", func(w *world) Trigger {
			return Trigger{Kind: TriggerComment, ID: w.comment(self, "Preparing", OnIssue)}
		}, OwnAccount},
		{"peer-05_quoted", func(w *world) Trigger {
			return Trigger{Kind: TriggerComment, ID: w.comment(ann, "> /warden stop", OnIssue)}
		}, NoCommand},
		{"peer-09_ghost", func(w *world) Trigger { return Trigger{Kind: TriggerComment, ID: w.comment(ghost, "x", OnIssue)} }, UnknownActor},
		{"peer-21_robot_review", func(w *world) Trigger {
			return Trigger{Kind: TriggerReview, ID: w.review(robot, forge.Approved, "", w.candidate())}
		}, BotAccount},
		{"peer-21_own_review", func(w *world) Trigger {
			return Trigger{Kind: TriggerReview, ID: w.review(self, forge.Approved, "", w.candidate())}
		}, OwnAccount},
		{"review_that_only_comments", func(w *world) Trigger {
			return Trigger{Kind: TriggerReview, ID: w.review(ann, forge.Commented, "hm", w.candidate())}
		}, CommentedOnly},
		{"permission_unknown", func(w *world) Trigger {
			return Trigger{Kind: TriggerReview, ID: w.review(stranger, forge.Approved, "", w.candidate())}
		}, PermissionUnknown},
		{"label_on_pull_request", func(w *world) Trigger {
			w.o.Issue.IsPullRequest = true
			return Trigger{Kind: TriggerLabel, Label: "warden"}
		}, LabelOnPull},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := published(t)
			w.o.Trigger = tt.do(w)
			a := Plan(w.o)
			if a.Kind != Ignore || a.Reason != tt.want {
				t.Fatalf("got %s %s, want ignore %s", a.Kind, a.Reason, tt.want)
			}
			w.o.Consumed = append(w.o.Consumed, a.Key)
			if again := Plan(w.o); again.Kind != Nothing {
				t.Errorf("again: %s %s", again.Kind, again.Reason)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	got := fmt.Sprint(GateSuccess.Options(), GateFailure.Options(), GateFailover.Options(), GateKind("x").Options())
	if want := "[accept reject] [retry abort] [abort switch] []"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
