// Makes cosigned.json: checkpoints with cosignatures and policies, right and wrong, that every SDK must judge alike.
// Signed, and judged as far as it does, by torchwood, an implementation that shares no code with the SDKs. Keys are drawn
// anew each time: go run . > ../cosigned.json
package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"filippo.io/torchwood"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const origin = "registry.example/.well-known/bridge-log"

type vector struct {
	Name   string `json:"name"`
	Note   string `json:"note"`
	Policy string `json:"policy"`
	// Seconds since 1970.
	Now int64 `json:"now"`
	// Names of the witnesses that count, and null where the checkpoint is refused.
	Witnesses []string `json:"witnesses"`
	// The step at which it is refused.
	Step string `json:"step,omitempty"`
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

type log struct {
	signer note.Signer
	vkey   string
}

func newLog(name string) log {
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		panic(err)
	}
	return log{must(note.NewSigner(skey)), vkey}
}

func newWitness(name string) *torchwood.CosignatureSigner {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return must(torchwood.NewCosignatureSigner(name, key))
}

func checkpoint(root string, signers ...note.Signer) string {
	text := torchwood.Checkpoint{
		Origin: origin,
		Tree:   tlog.Tree{N: 9, Hash: tlog.Hash(sha256.Sum256([]byte(root)))},
	}.String()
	return string(must(note.Sign(&note.Note{Text: text}, signers...)))
}

// What stands after the empty line.
func signatures(signed string) string {
	_, lines, _ := strings.Cut(signed, "\n\n")
	return lines
}

func accepts(v vector) bool {
	policy, err := torchwood.ParsePolicy([]byte(v.Policy))
	if err != nil {
		return false
	}
	_, _, err = torchwood.VerifyCheckpoint([]byte(v.Note), policy)
	return err == nil
}

func main() {
	ours, other := newLog(origin), newLog("other.example/log")
	a, b, c := newWitness("a.example"), newWitness("b.example/w"), newWitness("c.example")
	stranger, impostor := newWitness("stranger.example"), newWitness("a.example")
	now := time.Now().Unix() + 60
	lines := fmt.Sprintf("log %s https://registry.example\n\n# three\nwitness A %s https://a.example/\nwitness\tB %s\n witness C %s \n",
		ours.vkey, a.Verifier(), b.Verifier(), c.Verifier())
	nested := lines + "group BC any B C\ngroup all-of all A BC\nquorum all-of\n"
	two := lines + "group two 2 A B C\nquorum two\n"
	signed := checkpoint("one", ours.signer, a, c)
	fork := checkpoint("two", ours.signer, a, c)
	body, _, _ := strings.Cut(signed, "\n\n")

	vectors := []vector{
		{"a quorum of two of three", signed, two, now, []string{"A", "C"}, ""},
		{"a group of a group", signed, nested, now, []string{"A", "C"}, ""},
		{"one witness is the quorum", signed, lines + "quorum C\n", now, []string{"A", "C"}, ""},
		{"no quorum is asked for", checkpoint("one", ours.signer), lines + "quorum none\n", now, []string{}, ""},
		{"cosignatures of strangers beside", checkpoint("one", ours.signer, stranger, a, b), two, now, []string{"A", "B"}, ""},
		{"a log that nobody cosigned", checkpoint("one", ours.signer), two, now, nil, "witnesses"},
		{"one cosignature too few", checkpoint("one", ours.signer, a), two, now, nil, "witnesses"},
		{"a group of which nobody cosigned", checkpoint("one", ours.signer, a), nested, now, nil, "witnesses"},
		{"one witness twice counts once", checkpoint("one", ours.signer, a) + signatures(checkpoint("one", a)), two, now, nil, "witnesses"},
		{"strangers alone", checkpoint("one", ours.signer, stranger, a), two, now, nil, "witnesses"},
		{"a witness' name with another key", checkpoint("one", ours.signer, impostor, b), two, now, nil, "witnesses"},
		{"another tree of the same size with the cosignatures of the first", checkpoint("two", ours.signer) + signatures(checkpoint("one", a, c)), two, now, nil, "witnesses"},
		{"the other tree, cosigned by witnesses that saw only it", fork, two, now, []string{"A", "C"}, ""},
		{"cosignatures of the future", signed, two, now - 3_600, nil, "witnesses"},
		{"cosigned, but not signed by the log", checkpoint("one", a, c), two, now, nil, "log"},
		{"signed by another log", checkpoint("one", other.signer, a, c), two, now, nil, "log"},
		{"a log that the policy does not know", signed, strings.Replace(two, ours.vkey, other.vkey, 1), now, nil, "log"},
		{"no signature at all", body + "\n\n", two, now, nil, "log"},
		{"no quorum line", signed, lines, now, nil, "policy"},
		{"a quorum that is not defined", signed, lines + "quorum D\n", now, nil, "policy"},
		{"two quorum lines", signed, two + "quorum A\n", now, nil, "policy"},
		{"a group of an unknown member", signed, lines + "group g any A D\nquorum g\n", now, nil, "policy"},
		{"a group that needs more than it has", signed, lines + "group g 3 A B\nquorum g\n", now, nil, "policy"},
		{"a group that needs none", signed, lines + "group g 0 A B\nquorum g\n", now, nil, "policy"},
		{"a line of another kind", signed, two + "cosigner A\n", now, nil, "policy"},
		{"a name defined twice", signed, lines + "group A any B\nquorum A\n", now, nil, "policy"},
		{"a log's key for a witness", signed, lines + "witness D " + other.vkey + "\nquorum A\n", now, nil, "policy"},
		// torchwood does not look for these, which tlog-policy forbids.
		{"a member of two groups", signed, lines + "group g any A B\ngroup h any A C\nquorum h\n", now, nil, "policy"},
		{"one key for two witnesses", signed, lines + "witness D " + a.Verifier().String() + "\nquorum A\n", now, nil, "policy"},
		{"a carriage return", signed, strings.ReplaceAll(two, "\n", "\r\n"), now, nil, "policy"},
	}
	for i, v := range vectors {
		isUnchecked := i >= len(vectors)-3 || v.Name == "cosignatures of the future" || v.Name == "one witness twice counts once"
		if !isUnchecked && accepts(v) != (v.Step == "") {
			panic(fmt.Sprintf("torchwood judges differently: %s", v.Name))
		}
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(map[string]any{"cases": vectors}); err != nil {
		panic(err)
	}
}
