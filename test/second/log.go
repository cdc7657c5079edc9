package main

// Checkpoints, proofs and certificates.

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
)

type noteKey struct {
	name string
	id   []byte
	key  []byte
}

func parseNoteKey(text string) (noteKey, error) {
	parts := strings.SplitN(text, "+", 3)
	if len(parts) != 3 {
		return noteKey{}, errors.New("not a note's key")
	}
	typed, err := decodeStd(parts[2])
	if err != nil || len(typed) != 33 || typed[0] != 1 {
		return noteKey{}, errors.New("not an Ed25519 key")
	}
	sum := sha256.Sum256(append([]byte(parts[0]+"\n"), typed...))
	if hex.EncodeToString(sum[:4]) != parts[1] {
		return noteKey{}, errors.New("the key's id is not its own")
	}
	return noteKey{parts[0], sum[:4], typed[1:]}, nil
}

type checkpoint struct {
	size int64
	root []byte
}

func openCheckpoint(note string, key noteKey) (checkpoint, error) {
	at := strings.LastIndex(note, "\n\n")
	if at < 0 || !strings.HasSuffix(note, "\n") {
		return checkpoint{}, errors.New("not a signed note")
	}
	text, signed := note[:at+1], false
	for _, line := range strings.Split(strings.TrimSuffix(note[at+2:], "\n"), "\n") {
		rest, found := strings.CutPrefix(line, "— ")
		name, encoded, spaced := strings.Cut(rest, " ")
		signature, err := decodeStd(encoded)
		if !found || !spaced || err != nil || len(signature) < 5 {
			return checkpoint{}, errors.New("not a signature line")
		}
		if name != key.name || !bytes.Equal(signature[:4], key.id) {
			continue
		}
		if !verifies(key.key, []byte(text), signature[4:]) {
			return checkpoint{}, errors.New("the checkpoint's signature is wrong")
		}
		signed = true
	}
	if !signed {
		return checkpoint{}, errors.New("the log's key did not sign the checkpoint")
	}
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] != key.name {
		return checkpoint{}, errors.New("the checkpoint is of another log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || strconv.FormatInt(size, 10) != lines[1] || size < 0 {
		return checkpoint{}, errors.New("the checkpoint's size is no number")
	}
	root, err := decodeStd(lines[2])
	if err != nil || len(root) != 32 {
		return checkpoint{}, errors.New("the checkpoint's root is no hash")
	}
	return checkpoint{size, root}, nil
}

func leafHash(entry []byte) []byte {
	sum := sha256.Sum256(append([]byte{0}, entry...))
	return sum[:]
}

func nodeHash(left, right []byte) []byte {
	sum := sha256.Sum256(append(append([]byte{1}, left...), right...))
	return sum[:]
}

func decodeProof(texts []any) ([][]byte, error) {
	proof := [][]byte{}
	for _, item := range texts {
		text, _ := item.(string)
		hash, err := decodeStd(text)
		if err != nil || len(hash) != 32 {
			return nil, errors.New("the proof holds what is no hash")
		}
		proof = append(proof, hash)
	}
	return proof, nil
}

func included(index, size int64, leaf []byte, proof [][]byte, root []byte) bool {
	if index < 0 || index >= size {
		return false
	}
	f, s, r := index, size-1, leaf
	for _, p := range proof {
		if s == 0 {
			return false
		}
		if f%2 == 1 || f == s {
			r = nodeHash(p, r)
			for f%2 == 0 && f != 0 {
				f, s = f/2, s/2
			}
		} else {
			r = nodeHash(r, p)
		}
		f, s = f/2, s/2
	}
	return s == 0 && bytes.Equal(r, root)
}

func consistent(older, newer checkpoint, proof [][]byte) bool {
	m, n := older.size, newer.size
	if m <= 0 || m > n {
		return false
	}
	if m == n {
		return len(proof) == 0 && bytes.Equal(older.root, newer.root)
	}
	if m&(m-1) == 0 {
		proof = append([][]byte{older.root}, proof...)
	}
	if len(proof) == 0 {
		return false
	}
	f, s := m-1, n-1
	for f%2 == 1 {
		f, s = f/2, s/2
	}
	a, b := proof[0], proof[0]
	for _, c := range proof[1:] {
		if s == 0 {
			return false
		}
		if f%2 == 1 || f == s {
			a, b = nodeHash(c, a), nodeHash(c, b)
			for f%2 == 0 && f != 0 {
				f, s = f/2, s/2
			}
		} else {
			b = nodeHash(b, c)
		}
		f, s = f/2, s/2
	}
	return s == 0 && bytes.Equal(a, older.root) && bytes.Equal(b, newer.root)
}

func checkInclusion(key noteKey, note string, index int64, entry []byte, texts []any) error {
	head, err := openCheckpoint(note, key)
	if err != nil {
		return err
	}
	proof, err := decodeProof(texts)
	if err != nil {
		return err
	}
	if !included(index, head.size, leafHash(entry), proof, head.root) {
		return errors.New("the entry is not in the tree")
	}
	return nil
}

func checkConsistency(key noteKey, older, newer string, texts []any) error {
	first, err := openCheckpoint(older, key)
	if err != nil {
		return err
	}
	second, err := openCheckpoint(newer, key)
	if err != nil {
		return err
	}
	proof, err := decodeProof(texts)
	if err != nil {
		return err
	}
	if !consistent(first, second, proof) {
		return errors.New("the trees are not consistent")
	}
	return nil
}

func checkCertificate(key noteKey, certificate object) error {
	statement := certificate.object("statement")
	form := canonical(statement)
	if sha256Hex(form) != certificate.text("statement_sha256") {
		return errors.New("the statement is not the one that was hashed")
	}
	if statement.text("cert_id") != certificate.text("cert_id") || statement.text("notary") != key.name {
		return errors.New("the statement is of another certificate or notary")
	}
	signature, err := decodeURL(certificate.text("signature"))
	if err != nil || !verifies(key.key, append([]byte("bridge-notary/1\n"), form...), signature) {
		return errors.New("the statement's signature is wrong")
	}
	leaf := []byte(certificate.text("leaf"))
	value, err := parse(leaf)
	entry, ok := value.(object)
	if err != nil || !ok || !bytes.Equal(canonical(entry), leaf) || entry.text("kind") != "certificate" {
		return errors.New("the leaf is no certificate's")
	}
	// Statements of old name no observer, and neither do their entries.
	if entry.text("observed_by") != statement.text("observed_by") {
		return errors.New("the leaf names another observer")
	}
	for name, member := range map[string]string{"id": "cert_id", "statement_sha256": "statement_sha256", "signature": "signature"} {
		if entry.text(name) != certificate.text(member) {
			return errors.New("the leaf is of another certificate")
		}
	}
	index, _ := certificate["leaf_index"].(float64)
	proof, _ := certificate["inclusion_proof"].([]any)
	return checkInclusion(key, certificate.text("checkpoint"), int64(index), leaf, proof)
}
