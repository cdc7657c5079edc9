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
	return checkpointOf(tlog.Tree{N: 9, Hash: tlog.Hash(sha256.Sum256([]byte(root)))}, signers...)
}

func checkpointOf(tree tlog.Tree, signers ...note.Signer) string {
	text := torchwood.Checkpoint{Origin: origin, Tree: tree}.String()
	return string(must(note.Sign(&note.Note{Text: text}, signers...)))
}

// A checkpoint after another that a reader has seen.
type followed struct {
	Name   string   `json:"name"`
	Policy string   `json:"policy"`
	Now    int64    `json:"now"`
	Seen   string   `json:"seen,omitempty"`
	Note   string   `json:"note"`
	Proof  []string `json:"proof"`
	// The step at which it is refused, and whether both views are named then.
	Step     string `json:"step,omitempty"`
	TwoViews bool   `json:"two_views"`
}

// The hashes of a log, as tlog stores them.
type hashes []tlog.Hash

func (h hashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	found := make([]tlog.Hash, len(indexes))
	for i, index := range indexes {
		found[i] = h[index]
	}
	return found, nil
}

func grown(name string, size int64) hashes {
	var stored hashes
	for i := int64(0); i < size; i++ {
		stored = append(stored, must(tlog.StoredHashes(i, fmt.Appendf(nil, "%s %d", name, i), stored))...)
	}
	return stored
}

func (h hashes) tree(size int64) tlog.Tree {
	if size == 0 {
		return tlog.Tree{N: 0, Hash: tlog.Hash(sha256.Sum256(nil))}
	}
	return tlog.Tree{N: size, Hash: must(tlog.TreeHash(size, h))}
}

func (h hashes) proof(from, to int64) []string {
	lines := []string{}
	for _, hash := range must(tlog.ProveTree(to, from, h)) {
		lines = append(lines, hash.String())
	}
	return lines
}

func follows(policy string, now int64, sign func(tlog.Tree) string, few func(tlog.Tree) string, stranger func(tlog.Tree) string) []followed {
	one, two := grown("one", 300), grown("two", 300)
	none := []string{}
	list := []followed{}
	add := func(name, seen, note string, proof []string, step string, views bool) {
		list = append(list, followed{name, policy, now, seen, note, proof, step, views})
	}
	of := func(log hashes, size int64) string { return sign(log.tree(size)) }
	add("the first that is seen", "", of(one, 5), none, "", false)
	add("the same again", of(one, 5), of(one, 5), none, "", false)
	for _, sizes := range [][2]int64{{1, 2}, {4, 9}, {5, 9}, {8, 16}, {255, 300}, {256, 257}} {
		name := fmt.Sprintf("%d entries that became %d", sizes[0], sizes[1])
		add(name, of(one, sizes[0]), of(one, sizes[1]), one.proof(sizes[0], sizes[1]), "", false)
	}
	add("after a log without entries", of(one, 0), of(one, 3), none, "", false)
	add("a larger tree without a proof", of(one, 5), of(one, 9), none, "log", true)
	add("a larger tree with a proof too long", of(one, 5), of(one, 9), append(one.proof(5, 9), one.proof(5, 9)...), "log", true)
	add("a larger tree with a proof of other sizes", of(one, 5), of(one, 9), one.proof(4, 9), "log", true)
	add("a proof that is no hash", of(one, 5), of(one, 9), []string{"AAAA"}, "log", true)
	add("another tree of the same size", of(one, 5), of(two, 5), none, "log", true)
	add("another tree that is larger, with its own proof", of(one, 5), of(two, 9), two.proof(5, 9), "log", true)
	add("another tree that is larger, with the first one's proof", of(one, 5), of(two, 9), one.proof(5, 9), "log", true)
	add("a smaller tree", of(one, 9), of(one, 5), none, "freshness", true)
	add("a smaller tree of another history", of(one, 9), of(two, 5), none, "freshness", true)
	add("a log that lost everything", of(one, 9), of(one, 0), none, "freshness", true)
	add("too few witnesses", of(one, 5), few(one.tree(9)), one.proof(5, 9), "witnesses", false)
	add("a stored checkpoint of another key", stranger(one.tree(5)), of(one, 9), one.proof(5, 9), "log", false)
	add("a stored text that is no checkpoint", "9", of(one, 9), none, "log", false)
	return list
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
	unknown, impostor := newWitness("stranger.example"), newWitness("a.example")
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
		{"cosignatures of strangers beside", checkpoint("one", ours.signer, unknown, a, b), two, now, []string{"A", "B"}, ""},
		{"a log that nobody cosigned", checkpoint("one", ours.signer), two, now, nil, "witnesses"},
		{"one cosignature too few", checkpoint("one", ours.signer, a), two, now, nil, "witnesses"},
		{"a group of which nobody cosigned", checkpoint("one", ours.signer, a), nested, now, nil, "witnesses"},
		{"one witness twice counts once", checkpoint("one", ours.signer, a) + signatures(checkpoint("one", a)), two, now, nil, "witnesses"},
		{"strangers alone", checkpoint("one", ours.signer, unknown, a), two, now, nil, "witnesses"},
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
	sign := func(tree tlog.Tree) string { return checkpointOf(tree, ours.signer, a, c) }
	few := func(tree tlog.Tree) string { return checkpointOf(tree, ours.signer, a) }
	impostors := newLog(origin)
	stranger := func(tree tlog.Tree) string { return checkpointOf(tree, impostors.signer, a, c) }
	followed := follows(two, now, sign, few, stranger)
	if err := encoder.Encode(map[string]any{"cases": vectors, "followed": followed}); err != nil {
		panic(err)
	}
}
