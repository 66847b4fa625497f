package fakemodel

import "net/http"

// Fault is a way in which a model service fails.
type Fault string

// The faults, each in the documented shape of the service asked.
const (
	RateLimited Fault = "rate_limited" // 429, no word of a plan
	SpentPlan   Fault = "spent_plan"   // the plan's allowance is used up
	BadKey      Fault = "bad_key"      // 401
	ServerError Fault = "server_error" // 500
	Hang        Fault = "hang"         // no answer until the client goes away
)

// Faults lists all of them.
func Faults() []Fault { return []Fault{RateLimited, SpentPlan, BadKey, ServerError, Hang} }

func (s *Server) fault(w http.ResponseWriter, h *http.Request, r Request, f Fault) {
	if f == Hang {
		select {
		case <-h.Context().Done():
		case <-s.done:
		}
		return
	}
	if f == RateLimited || f == ServerError || f == SpentPlan {
		// A client that tries again does so at once, which keeps tests short. How
		// often it tries stays its own affair.
		w.Header().Set("Retry-After-Ms", "10")
		w.Header().Set("Retry-After", "0")
	}
	switch r.API {
	case "messages":
		anthropicFault(w, f)
	case "gemini":
		geminiFault(w, f)
	default:
		openAIFault(w, r, f)
	}
}

func openAIFault(w http.ResponseWriter, r Request, f Fault) {
	fail := func(status int, kind, code, message string) {
		writeJSON(w, status, map[string]any{"error": map[string]any{"type": kind, "code": code, "message": message, "param": nil}})
	}
	switch f {
	case RateLimited:
		fail(429, "requests", "rate_limit_exceeded", "Rate limit reached for "+r.Model+" on requests per min. Please try again in 2s.")
	case SpentPlan:
		if r.API == "responses" {
			writeJSON(w, 429, map[string]any{"error": map[string]any{"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus", "resets_in_seconds": 7200}})
			return
		}
		fail(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details.")
	case BadKey:
		fail(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided.")
	case ServerError:
		fail(500, "server_error", "server_error", "The server had an error while processing your request.")
	}
}

func anthropicFault(w http.ResponseWriter, f Fault) {
	fail := func(status int, kind, message string) {
		writeJSON(w, status, map[string]any{"type": "error", "error": map[string]any{"type": kind, "message": message}})
	}
	switch f {
	case RateLimited:
		fail(429, "rate_limit_error", "This request would exceed your organization's rate limit of 30,000 input tokens per minute.")
	case SpentPlan:
		fail(400, "invalid_request_error", "Your credit balance is too low to access the API. Please go to Plans & Billing to upgrade or purchase credits.")
	case BadKey:
		fail(401, "authentication_error", "invalid x-api-key")
	case ServerError:
		fail(500, "api_error", "Internal server error")
	}
}

func geminiFault(w http.ResponseWriter, f Fault) {
	fail := func(status int, word, message string, details ...any) {
		writeJSON(w, status, map[string]any{"error": map[string]any{"code": status, "message": message, "status": word, "details": details}})
	}
	const spent = "You exceeded your current quota, please check your plan and billing details."
	quota := func(id string) any {
		return map[string]any{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{map[string]any{
			"quotaMetric": "generativelanguage.googleapis.com/generate_content_requests", "quotaId": id,
		}}}
	}
	switch f {
	case RateLimited:
		fail(429, "RESOURCE_EXHAUSTED", spent, quota("GenerateRequestsPerMinutePerProjectPerModel"),
			map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.1s"})
	case SpentPlan:
		fail(429, "RESOURCE_EXHAUSTED", "You have exhausted your capacity on this model. Your quota will reset after 2h.",
			map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "QUOTA_EXHAUSTED", "domain": "cloudcode-pa.googleapis.com"},
			map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7200s"})
	case BadKey:
		fail(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.")
	case ServerError:
		fail(500, "INTERNAL", "An internal error has occurred.")
	}
}
