package policy

import "time"

// Profile is a valid profiles/<name>.yaml: one way to run one vendor's program
// in one role. Placeholders of Args and Env are known to be from the closed list.
type Profile struct {
	Name           string
	Role           string
	Vendor         string
	Runner         string // direct, orca or local
	Command        string
	Args           []string
	Model          string
	Effort         string
	ReadOnly       bool
	WallClock      time.Duration
	MaxCostUSD     float64 // what one call can cost at most; 0 is not known
	PromptTemplate string  // path, relative to the home unless absolute
	SchemaPath     string  // path, relative to the home unless absolute
	EnforceSchema  bool
	RequiredFields []string
	ToolsAllow     []string // kinds of tools, in the order of ToolKinds; none: whatever the program offers
	// QuotaSignatures are phrases that mean a spent plan, beside the built-in ones.
	QuotaSignatures []string
	PromptDelivery  string // argv, stdin or workspace_file
	AttachmentFlag  string
	Vision          Vision
	Endpoint        string            // of runner local
	APIKeyEnv       []string          // names of variables, never values
	Env             map[string]string // plain settings; no secrets
	Sandbox         string            // warden, vendor or none
	HomeShare       []string          // relative to the operator's home directory
	Verification    Verification
	Notes           string
	Raw             []byte // the file as read
	SHA256          string // of Raw, in hex
}

// Vision says how pictures reach the vendor. Delivery is "" when they cannot.
type Vision struct {
	Delivery     string // cli_attachment or workspace_file
	Verification string
	Acquires     bool // it can take pictures of its own, by its own tools
}

// Verification is what the operator recorded about trying the profile out.
type Verification struct {
	VerifiedOn  string
	Status      string
	Probe       string // shell line that tries the profile
	Expect      string // text that the probe must print; "" asks for none
	Note        string
	WhatToCheck []string
}

// Verified reports whether somebody recorded that the profile was tried. An
// unverified profile is never chosen.
func (p Profile) Verified() bool { return p.Verification.VerifiedOn != "" }

// SeesVerified reports whether pictures reach the vendor and that was tried.
func (p Profile) SeesVerified() bool { return p.Vision.Delivery != "" && p.Verified() }
