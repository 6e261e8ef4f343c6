package analyzers

import "bughunter/artifacts"

const (
	critical = artifacts.SeverityCritical
	high     = artifacts.SeverityHigh
	medium   = artifacts.SeverityMedium
	low      = artifacts.SeverityLow
)

// table maps the checks that are run to what is said about them. A check that
// is not in it is not run: it is about style, speed, tests or deprecation, or
// it was wrong too often (gosec's G104, G107, G122, G204 and G304 report every
// use of a function; losterror and its taint analyses G701 to G710 replace the
// most of them).
var table = map[string]rule{
	// Wrong arguments and results that the library rejects or ignores: staticcheck.
	"SA1000": {medium, "api-misuse", "CWE-185", 95, "the first time the expression is compiled: MustCompile panics, Compile returns an error", "Correct the regular expression.", nil, ""},
	"SA1001": {medium, "api-misuse", "", 95, "the first time the template is parsed", "Correct the template.", nil, ""},
	"SA1002": {medium, "logic", "", 95, "every call: no value can be parsed with this layout", "Write the layout with the reference time, Mon Jan 2 15:04:05 MST 2006.", nil, ""},
	"SA1003": {medium, "api-misuse", "", 95, "every call returns an error and writes nothing", "Pass a value of fixed size, or a pointer to one.", nil, ""},
	"SA1004": {medium, "arithmetic", "", 80, "every call sleeps for nanoseconds, so a loop around it spins", "Multiply by the unit that is meant, such as time.Second.", nil, ""},
	"SA1005": {medium, "api-misuse", "", 85, "every call: no program of that name with its arguments exists", "Pass the program and each argument separately.", nil, ""},
	"SA1006": {low, "api-misuse", "CWE-134", 70, "when the text contains a percent sign, it is garbled", "Use Print, or a constant format with %s.", nil, ""},
	"SA1007": {medium, "api-misuse", "", 95, "every call returns an error", "Correct the URL.", nil, ""},
	"SA1008": {medium, "logic", "", 85, "every look-up: header maps hold keys in canonical form, so this one is never found", "Use the canonical form, or Header.Get and Header.Set.", nil, ""},
	"SA1010": {medium, "logic", "", 95, "every call returns nothing", "Pass -1 to find all matches.", nil, ""},
	"SA1011": {low, "api-misuse", "", 90, "every call: the cutset is not valid UTF-8 and matches something else", "Pass valid UTF-8.", nil, ""},
	"SA1012": {medium, "nil-dereference", "CWE-476", 80, "when the callee uses the context, it panics", "Pass context.TODO() or the caller's context.", nil, ""},
	"SA1013": {medium, "logic", "", 95, "every call seeks to the wrong place", "Swap the arguments: the offset comes first.", nil, ""},
	"SA1014": {high, "api-misuse", "", 95, "every call returns an error and decodes nothing", "Pass a pointer.", nil, ""},
	"SA1015": {low, "resource-leak", "CWE-772", 65, "each call of the function leaves a ticker running for ever (before Go 1.23)", "Use time.NewTicker and stop it.", nil, ""},
	"SA1016": {medium, "logic", "", 90, "when the signal arrives: the system acts on it and the program is never told", "Trap a signal that can be trapped, such as syscall.SIGTERM.", nil, ""},
	"SA1017": {medium, "concurrency", "", 90, "when the signal arrives while nobody is receiving, it is lost", "Give the channel a buffer of at least one.", nil, ""},
	"SA1018": {medium, "logic", "", 95, "every call returns its input", "Pass -1 to replace all.", nil, ""},
	"SA1020": {medium, "api-misuse", "", 95, "every call returns an error", "Correct the address.", nil, ""},
	"SA1021": {medium, "logic", "", 90, "when one address is in the 4-byte and the other in the 16-byte form", "Use net.IP.Equal.", nil, ""},
	"SA1023": {medium, "data-integrity", "", 85, "when the caller uses its buffer after the write", "Copy the data before changing it.", nil, ""},
	"SA1024": {low, "logic", "", 80, "when the text starts or ends with these characters in another order, more is cut than meant", "Use TrimPrefix or TrimSuffix.", nil, ""},
	"SA1025": {low, "concurrency", "", 70, "when the timer fires while it is reset", "Stop the timer and drain its channel before Reset.", nil, ""},
	"SA1026": {medium, "api-misuse", "", 95, "every call returns an error", "Leave the channel or function out of what is encoded.", nil, ""},
	"SA1027": {medium, "concurrency", "", 85, "on 32-bit systems: the access panics", "Use the types of sync/atomic, or put the field first.", nil, ""},
	"SA1028": {medium, "api-misuse", "", 95, "every call panics", "Pass a slice.", nil, ""},
	"SA1029": {low, "api-misuse", "", 55, "when another package stores a value under an equal key", "Use a key of an unexported type.", nil, ""},
	"SA1030": {medium, "api-misuse", "", 95, "every call returns an error or panics", "Pass a base and bit size that the function takes.", nil, ""},
	"SA1031": {medium, "data-integrity", "", 85, "every call: the output overwrites input that was not read yet", "Encode into another slice.", nil, ""},
	"SA1032": {medium, "logic", "", 95, "every call: the sentinel never wraps the error, so the answer is no", "Swap the arguments of errors.Is.", nil, ""},

	// Concurrency: staticcheck.
	"SA2000": {high, "concurrency", "CWE-362", 90, "when Wait runs before the goroutine is scheduled: it returns early", "Call Add before the go statement, or use WaitGroup.Go.", nil, ""},
	"SA2001": {medium, "concurrency", "CWE-667", 75, "when two goroutines meet here: nothing is protected", "Hold the lock around what it protects; defer the Unlock.", nil, ""},
	"SA2003": {high, "concurrency", "CWE-833", 95, "when the function returns: it locks again and blocks for ever", "Defer Unlock.", nil, ""},

	// Code that does not do what it says: staticcheck.
	"SA4000": {medium, "logic", "CWE-571", 75, "always: both sides are the same, so the result is fixed", "Compare what was meant.", nil, ""},
	"SA4003": {low, "logic", "CWE-570", 80, "always: the comparison has a fixed result", "Check the type, or drop the comparison.", nil, ""},
	"SA4004": {medium, "logic", "", 80, "when there is more than one element: only the first is looked at", "Return or break only in the case that is meant.", nil, ""},
	"SA4005": {medium, "logic", "", 75, "always: the field is set in a copy and lost", "Use a pointer receiver.", nil, ""},
	"SA4006": {low, "error-handling", "CWE-563", 65, "when the call fails: the error is overwritten or dropped before anybody reads it", "Check the value, or do not assign it.", nil, "whether the value was meant to be used"},
	"SA4008": {medium, "logic", "CWE-835", 85, "when the condition is true once: the loop never ends", "Change the variable of the condition in the loop.", nil, ""},
	"SA4009": {medium, "logic", "", 75, "always: what the caller passed is ignored", "Use the argument, or a variable of another name.", nil, ""},
	"SA4010": {medium, "logic", "", 80, "always: what is appended is never read", "Use the slice, or assign the result where it is read.", nil, ""},
	"SA4011": {medium, "logic", "", 80, "when the case is taken: the loop goes on", "Break with the label of the loop.", nil, ""},
	"SA4012": {medium, "logic", "", 95, "always: nothing equals NaN", "Use math.IsNaN.", nil, ""},
	"SA4014": {medium, "logic", "CWE-561", 80, "always: the second branch is never taken", "Correct the condition.", nil, ""},
	"SA4016": {low, "logic", "", 70, "always: the operation changes nothing", "Use the constant or operator that is meant.", nil, ""},
	"SA4017": {low, "logic", "CWE-252", 75, "always: the result is dropped and nothing else happens", "Use the result.", nil, ""},
	"SA4018": {low, "logic", "", 85, "always: the variable keeps its value", "Assign what was meant.", nil, ""},
	"SA4020": {medium, "logic", "CWE-561", 85, "always: an earlier case takes the value", "Put the more special case first.", nil, ""},
	"SA4022": {low, "logic", "", 90, "always: the address of a variable is not nil", "Compare the variable.", nil, ""},
	"SA4023": {medium, "logic", "", 85, "always: an interface that holds a typed nil is not nil", "Return a plain nil, or compare the concrete value.", nil, ""},
	"SA4024": {low, "logic", "", 90, "always: the builtin does not return that value", "Correct the comparison.", nil, ""},
	"SA4025": {medium, "arithmetic", "", 85, "always: the division is zero", "Divide floating-point numbers, or multiply first.", nil, ""},
	"SA4027": {medium, "logic", "", 90, "always: the change is made to a copy and lost", "Assign the encoded values to URL.RawQuery.", nil, ""},
	"SA4028": {medium, "logic", "", 95, "always: the remainder is zero", "Use the divisor that is meant.", nil, ""},
	"SA4029": {medium, "logic", "", 95, "always: it converts the slice and leaves it unsorted", "Call the sorting function, such as sort.Strings.", nil, ""},
	"SA4030": {medium, "logic", "", 95, "always: the number is zero", "Pass the number of possible values.", nil, ""},
	"SA4031": {low, "logic", "", 85, "always: the value is never nil", "Drop the check, or check what can be nil.", nil, ""},
	"SA4032": {low, "logic", "", 85, "always: the constant never has that value", "Use a name that GOOS or GOARCH can have.", nil, ""},

	// Crashes, leaks and hangs: staticcheck.
	"SA5000": {high, "nil-dereference", "CWE-476", 95, "the first time the line is reached: it panics", "Make the map first.", nil, ""},
	"SA5001": {medium, "nil-dereference", "CWE-476", 80, "when opening fails: Close is called on nothing", "Check the error before the defer.", nil, ""},
	"SA5002": {medium, "availability", "CWE-835", 85, "as soon as it is reached: it uses a whole processor", "Use select{} or wait for something.", nil, ""},
	"SA5003": {medium, "resource-leak", "CWE-772", 85, "always: the deferred call never runs", "Move the body of the loop into a function.", nil, ""},
	"SA5004": {medium, "availability", "CWE-835", 85, "whenever no case is ready: it uses a whole processor", "Drop the empty default.", nil, ""},
	"SA5005": {low, "resource-leak", "CWE-401", 85, "always: the object is never collected", "Do not refer to the object in its finalizer.", nil, ""},
	"SA5007": {high, "availability", "CWE-674", 90, "every call ends in a stack overflow", "Call what was meant, or add the case that ends it.", nil, ""},
	"SA5008": {low, "data-integrity", "", 75, "when the value is encoded or decoded: the tag is ignored", "Correct the tag.", nil, ""},
	"SA5009": {low, "api-misuse", "", 85, "every call prints a mark of the mistake instead of the value", "Match the verbs and the arguments.", nil, ""},
	"SA5010": {medium, "logic", "", 90, "always: the assertion cannot succeed", "Assert a type that the value can have.", nil, ""},
	"SA5012": {medium, "api-misuse", "", 90, "every call: the last key has no value", "Pass pairs.", nil, ""},

	// Dubious constructs: staticcheck.
	"SA9001": {medium, "resource-leak", "CWE-772", 70, "while the loop runs: nothing is released until the function ends", "Move the body of the loop into a function.", nil, ""},
	"SA9002": {medium, "logic", "CWE-732", 85, "every call: the decimal number means other permissions", "Write the mode in octal, such as 0o644.", nil, ""},
	"SA9004": {low, "logic", "", 60, "when a later constant is used where its type matters", "Give each constant its type.", nil, ""},
	"SA9005": {medium, "data-integrity", "", 80, "every call: nothing of the value is encoded", "Export the fields.", nil, ""},
	"SA9006": {medium, "arithmetic", "", 80, "always: all bits are shifted out", "Convert to a wider type first.", nil, ""},
	"SA9007": {high, "data-integrity", "", 85, "every call deletes a folder that belongs to the user or the system", "Delete a folder that was made for the purpose.", nil, ""},
	"SA9008": {medium, "logic", "", 80, "when the assertion fails: the variable read is the zero value", "Read the value before the assertion.", nil, ""},
	"SA9010": {medium, "resource-leak", "", 80, "when the function returns: only the outer call is made, and now", "Add the second pair of parentheses.", nil, ""},

	// golang.org/x/tools.
	"atomic":              {high, "concurrency", "CWE-362", 95, "when two goroutines meet here: the plain assignment undoes the atomic one", "Drop the assignment.", nil, ""},
	"copylocks":           {medium, "concurrency", "CWE-667", 85, "when the copy is used: it locks another lock than the original", "Pass a pointer.", nil, ""},
	"defers":              {low, "logic", "", 90, "always: time.Since is evaluated at the defer, not at the end", "Defer a function literal.", nil, ""},
	"errorsas":            {medium, "error-handling", "", 95, "every call panics", "Pass a pointer to a variable of an error type.", nil, ""},
	"hostport":            {medium, "api-misuse", "", 85, "when the host is an IPv6 address", "Use net.JoinHostPort.", nil, ""},
	"httpmux":             {medium, "api-misuse", "", 90, "every request: before Go 1.22 the pattern is matched literally", "Require Go 1.22 in go.mod.", nil, ""},
	"httpresponse":        {medium, "nil-dereference", "CWE-476", 85, "when the request fails: the response is nil", "Check the error before the defer.", nil, ""},
	"ifaceassert":         {medium, "logic", "", 90, "always: no type has both sets of methods", "Assert a type that the value can have.", nil, ""},
	"loopclosure":         {medium, "concurrency", "CWE-362", 85, "when the function runs after the iteration (before Go 1.22)", "Copy the variable in the loop.", nil, ""},
	"lostcancel":          {medium, "resource-leak", "CWE-772", 85, "on the path where cancel is not called: the context and its timer live until the parent ends", "Defer cancel.", nil, ""},
	"nilfunc":             {low, "logic", "", 90, "always: a function is not nil", "Call the function.", nil, ""},
	"nilness":             {high, "nil-dereference", "CWE-476", 90, "every time the line is reached: it panics", "Use the value only where it is not nil.", nil, ""},
	"printf":              {low, "api-misuse", "", 85, "every call prints a mark of the mistake instead of the value", "Match the verbs and the arguments.", nil, ""},
	"reflectvaluecompare": {low, "logic", "", 80, "always: the handles are compared, not the values", "Compare with Equal or by Interface.", nil, ""},
	"scannererr":          {medium, "error-handling", "CWE-252", 75, "when reading fails midway: the loop ends as if the input had", "Check Scanner.Err after the loop.", nil, ""},
	"shift":               {medium, "arithmetic", "", 90, "always: all bits are shifted out", "Convert to a wider type first.", nil, ""},
	"sigchanyzer":         {medium, "concurrency", "", 90, "when the signal arrives while nobody is receiving, it is lost", "Give the channel a buffer of at least one.", nil, ""},
	"slog":                {low, "api-misuse", "", 90, "every call logs a mark of the mistake instead of the attribute", "Pass pairs of key and value.", nil, ""},
	"sortslice":           {medium, "api-misuse", "", 95, "every call panics", "Pass a slice.", nil, ""},
	"sqlrowserr":          {medium, "error-handling", "CWE-252", 75, "when the connection fails midway: the loop ends as if there were no more rows", "Check Rows.Err after the loop.", nil, ""},
	"stringintconv":       {medium, "logic", "CWE-704", 85, "always: the result is the character of that number, not its digits", "Use strconv.Itoa, or a rune conversion if that is meant.", nil, ""},
	"timeformat":          {medium, "logic", "", 90, "every date: day and month are swapped in the layout", "Use 2006-01-02.", nil, ""},
	"unmarshal":           {high, "api-misuse", "", 95, "every call returns an error and decodes nothing", "Pass a pointer.", nil, ""},
	"unsafeptr":           {medium, "data-integrity", "CWE-822", 70, "when the garbage collector moves or frees the object", "Convert in one expression, as unsafe.Pointer's rules ask.", nil, ""},
	"unusedresult":        {low, "logic", "CWE-252", 85, "always: the result is dropped and nothing else happens", "Use the result.", nil, ""},
	"waitgroup":           {high, "concurrency", "CWE-362", 90, "when Wait runs before the goroutine is scheduled: it returns early", "Call Add before the go statement, or use WaitGroup.Go.", nil, ""},

	// Others.
	"bodyclose":     {medium, "resource-leak", "CWE-772", 75, "each call keeps a connection open, until there are no more", "Close the body on every path.", nil, ""},
	"durationcheck": {medium, "arithmetic", "CWE-682", 90, "every call: the product of two durations is far from either", "Keep the unit in one place: a duration times a plain number.", nil, ""},
	"nilerr":        {medium, "error-handling", "CWE-390", 70, "when the call fails: the caller is told that it succeeded", "Return the error.", nil, "whether passing over the failure is meant"},
	"sqlclosecheck": {medium, "resource-leak", "CWE-772", 75, "on the path without Close: a connection of the pool is kept", "Defer Close.", nil, ""},
	"losterror":     {medium, "error-handling", "CWE-252", 80, "when the call fails: the program goes on as if it had succeeded", "Check the error.", nil, "whether anybody misses what is not copied"},

	// gosec: configuration.
	"G101": {high, "security", "CWE-798", 45, "when somebody reads the code or the binary", "Read the secret from the environment or a file.", &threat{"InformationDisclosure", "EASY", reads}, "whether the text is a real secret"},
	"G102": {low, "security", "CWE-200", 55, "when the machine has an interface that others reach", "Bind to the address that is meant.", &threat{"InformationDisclosure", "MEDIUM", readsSome}, "whether the service is meant for every interface"},
	"G106": {high, "security", "CWE-322", 85, "when somebody stands between the two ends: they can pose as the host", "Check the host key.", &threat{"Spoofing", "MEDIUM", listensIn}, ""},
	"G108": {medium, "security", "CWE-200", 75, "when the default mux is served to others: it shows memory and command line", "Serve pprof on a mux of its own.", &threat{"InformationDisclosure", "EASY", readsSome}, ""},
	"G109": {medium, "arithmetic", "CWE-190", 75, "when the number does not fit in the smaller type", "Parse with strconv.ParseInt and the size that is meant.", nil, ""},
	"G110": {medium, "security", "CWE-409", 65, "when somebody sends a small file that unpacks to a huge one", "Bound the copy with io.CopyN or io.LimitReader.", &threat{"DenialOfService", "EASY", stops}, ""},
	"G111": {high, "security", "CWE-22", 85, "when somebody asks for a path: the whole disk is served", "Serve the folder that is meant.", &threat{"InformationDisclosure", "EASY", reads}, ""},
	"G112": {medium, "security", "CWE-400", 75, "when somebody opens connections and sends headers slowly", "Set ReadHeaderTimeout.", &threat{"DenialOfService", "EASY", slows}, ""},
	"G113": {medium, "security", "CWE-444", 65, "when a proxy in front reads the message another way", "Send one of the conflicting headers only.", &threat{"Tampering", "HARD", changesSome}, ""},
	"G114": {medium, "security", "CWE-400", 70, "when somebody opens connections and leaves them idle", "Use an http.Server with timeouts.", &threat{"DenialOfService", "EASY", slows}, ""},
	"G115": {medium, "arithmetic", "CWE-190", 60, "when the number does not fit in the other type: it becomes another number", "Check the range before the conversion.", nil, "whether the number can be out of the range of the other type"},
	"G116": {high, "security", "CWE-1007", 85, "when somebody reviews the code: it is shown in another order than it runs", "Remove the bidirectional characters.", &threat{"Tampering", "MEDIUM", changesSome}, ""},
	"G119": {medium, "security", "CWE-522", 70, "when a server redirects to another host: it is sent the credentials", "Drop sensitive headers when the host changes.", &threat{"InformationDisclosure", "MEDIUM", guesses}, ""},
	"G120": {medium, "security", "CWE-400", 65, "when somebody posts a huge form", "Wrap the body in http.MaxBytesReader.", &threat{"DenialOfService", "EASY", slows}, ""},
	"G121": {medium, "security", "CWE-352", 65, "when another site makes the user's browser send a request", "Narrow the bypass pattern.", &threat{"Spoofing", "MEDIUM", tricksUser}, ""},
	"G123": {medium, "security", "CWE-295", 70, "when a session is resumed: the check is not made", "Check in VerifyConnection.", &threat{"Spoofing", "HARD", guesses}, ""},
	"G124": {low, "security", "CWE-614", 60, "when the page is loaded over plain HTTP, or runs somebody's script", "Set Secure, HttpOnly and SameSite.", &threat{"InformationDisclosure", "MEDIUM", tricksUser}, ""},

	// gosec: injection, by pattern and by following the data.
	"G201": {high, "security", "CWE-89", 60, "when a part of the query comes from outside", "Pass values as parameters of the query.", &threat{"Tampering", "EASY", readsAndWrites}, ""},
	"G202": {high, "security", "CWE-89", 60, "when a part of the query comes from outside", "Pass values as parameters of the query.", &threat{"Tampering", "EASY", readsAndWrites}, ""},
	"G203": {medium, "security", "CWE-79", 60, "when the text comes from outside", "Leave the escaping to html/template.", &threat{"Tampering", "EASY", tricksUser}, ""},
	"G701": {critical, "security", "CWE-89", 85, "when a request carries SQL in the value that reaches the query", "Pass values as parameters of the query.", &threat{"Tampering", "EASY", readsAndWrites}, ""},
	"G702": {critical, "security", "CWE-78", 80, "when a request carries the name or arguments of a program", "Choose the program from a fixed list and pass arguments separately.", &threat{"ElevationOfPrivilege", "EASY", takesOver}, ""},
	"G703": {high, "security", "CWE-22", 75, "when a request carries a path that climbs out with ../", "Open files through os.Root.", &threat{"InformationDisclosure", "EASY", reads}, ""},
	"G704": {high, "security", "CWE-918", 65, "when a request carries the address of an internal service", "Choose the host from a fixed list.", &threat{"InformationDisclosure", "MEDIUM", reads}, ""},
	"G705": {medium, "security", "CWE-79", 70, "when a request carries HTML that is written into the page", "Render with html/template.", &threat{"Tampering", "EASY", tricksUser}, ""},
	"G706": {low, "security", "CWE-117", 45, "when a request carries line ends: it writes log lines of its own", "Log with a structured handler that quotes values.", &threat{"Repudiation", "EASY", changesSome}, "whether the log's handler quotes values"},
	"G707": {high, "security", "CWE-93", 75, "when a request carries line ends in an address or subject", "Refuse line ends.", &threat{"Tampering", "EASY", changesSome}, ""},
	"G708": {critical, "security", "CWE-1336", 75, "when a request carries template actions", "Parse fixed templates only, and pass the request as data.", &threat{"ElevationOfPrivilege", "EASY", takesOver}, ""},
	"G709": {high, "security", "CWE-502", 65, "when a request carries an encoded object of the sender's choice", "Decode into a fixed, small type and check it.", &threat{"Tampering", "MEDIUM", changesSome}, ""},
	"G710": {medium, "security", "CWE-601", 70, "when a link with another site's address is followed", "Redirect to local paths only.", &threat{"Spoofing", "EASY", tricksUser}, ""},

	// gosec: files.
	"G303": {low, "security", "CWE-377", 65, "when another user of the machine makes the file first", "Use os.CreateTemp.", &threat{"Tampering", "HARD", localUser}, ""},
	"G305": {high, "security", "CWE-22", 70, "when an archive names a file outside with ../", "Check each name with filepath.IsLocal.", &threat{"Tampering", "EASY", changesSome}, ""},

	// gosec: cryptography.
	"G401": {low, "security", "CWE-328", 45, "when the hash protects something", "Use SHA-256.", &threat{"Tampering", "HARD", guesses}, "whether the hash protects anything"},
	"G402": {high, "security", "CWE-295", 85, "when somebody stands between the two ends: they can read and change what is sent", "Leave the verification on and the minimum version at TLS 1.2.", &threat{"Spoofing", "MEDIUM", listensIn}, "which value the setting has when it runs"},
	"G403": {medium, "security", "CWE-326", 90, "when somebody has the means to factor the key", "Use 2048 bits or more.", &threat{"Spoofing", "HARD", guesses}, ""},
	"G404": {high, "security", "CWE-338", 70, "when somebody has seen enough of the numbers, or knows the seed: they compute the next", "Use crypto/rand.", &threat{"Spoofing", "MEDIUM", guesses}, "whether the number has to be unguessable"},
	"G405": {medium, "security", "CWE-327", 70, "when the cipher protects something", "Use AES-GCM.", &threat{"InformationDisclosure", "MEDIUM", guesses}, ""},
	"G406": {medium, "security", "CWE-328", 70, "when the hash protects something", "Use SHA-256.", &threat{"Tampering", "MEDIUM", guesses}, ""},
	"G407": {high, "security", "CWE-1204", 80, "when two messages are encrypted: the same nonce gives them away", "Draw the nonce from crypto/rand for each message.", &threat{"InformationDisclosure", "MEDIUM", guesses}, ""},
	"G408": {high, "security", "CWE-287", 80, "when a client offers several keys: one that was not proved is taken for proved", "Take the key from the permissions of the connection.", &threat{"ElevationOfPrivilege", "MEDIUM", readsAndWrites}, ""},

	// gosec: memory.
	"G602": {medium, "bounds", "CWE-129", 60, "when the slice is shorter than the index: it panics", "Check the length.", nil, ""},
}
