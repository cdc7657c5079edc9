// A second implementation of docs/trust.md, with Go's standard library alone: it shares no code with the first.
//
// Reads cases from standard input, one JSON object a line, and answers each with a line: "ok", or why not.
package main

import (
	"bufio"
	"fmt"
	"os"
	"time"
)

func texts(value any) []string {
	list, _ := value.([]any)
	out := []string{}
	for _, item := range list {
		if text, ok := item.(string); ok {
			out = append(out, text)
		}
	}
	return out
}

func check(kind string, input object) error {
	now, _ := time.Parse(time.RFC3339, input.text("now"))
	switch kind {
	case "manifest":
		return checkManifest(input.text("domain"), texts(input["txt"]), now, []byte(input.text("document")))
	case "trust_header":
		return checkTrustHeader(texts(input["txt"]), now, input.object("request"), input.object("headers"))
	case "ed25519":
		key, keyErr := decodeURL(input.text("key"))
		message, messageErr := decodeURL(input.text("message"))
		signature, signatureErr := decodeURL(input.text("signature"))
		if keyErr != nil || messageErr != nil || signatureErr != nil || !verifies(key, message, signature) {
			return fmt.Errorf("the signature is wrong")
		}
		return nil
	}
	key, err := parseNoteKey(input.text("log_key"))
	if err != nil {
		return err
	}
	proof, _ := input["proof"].([]any)
	switch kind {
	case "inclusion":
		index, _ := input["leaf_index"].(float64)
		return checkInclusion(key, input.text("checkpoint"), int64(index), []byte(input.text("entry")), proof)
	case "consistency":
		return checkConsistency(key, input.text("old"), input.text("new"), proof)
	case "certificate":
		return checkCertificate(key, input.object("certificate"))
	}
	return fmt.Errorf("unknown kind %q", kind)
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		value, err := parse(lines.Bytes())
		input, ok := value.(object)
		if err == nil && !ok {
			err = fmt.Errorf("not a case")
		}
		if err == nil {
			err = check(input.text("kind"), input)
		}
		if err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("ok")
		}
	}
}
