package main

// Ed25519 by the pinned rule, base64, thumbprints, and the TXT record.

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

func decodeURL(text string) ([]byte, error) { return strictly(base64.RawURLEncoding, text) }
func decodeStd(text string) ([]byte, error) { return strictly(base64.StdEncoding, text) }

func strictly(encoding *base64.Encoding, text string) ([]byte, error) {
	bytes, err := encoding.DecodeString(text)
	if err == nil && encoding.EncodeToString(bytes) != text {
		err = errors.New("not the one spelling")
	}
	return bytes, err
}

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// p and L, big-endian.
var fieldPrime, _ = hex.DecodeString("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed")
var groupOrder, _ = hex.DecodeString("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed")

var smallOrder = map[string]bool{
	strings.Repeat("00", 32):                                           true,
	"01" + strings.Repeat("00", 31):                                    true,
	"ec" + strings.Repeat("ff", 30) + "7f":                             true,
	"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05": true,
	"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a": true,
}

func reversed(bytes []byte) []byte {
	out := make([]byte, len(bytes))
	for i, b := range bytes {
		out[len(bytes)-1-i] = b
	}
	return out
}

func soundPoint(encoded []byte) bool {
	y := append([]byte{}, encoded...)
	y[31] &= 0x7f
	return bytes.Compare(reversed(y), fieldPrime) < 0 && !smallOrder[hex.EncodeToString(y)]
}

func verifies(key, message, signature []byte) bool {
	if len(key) != 32 || len(signature) != 64 || !soundPoint(key) || !soundPoint(signature[:32]) {
		return false
	}
	if bytes.Compare(reversed(signature[32:]), groupOrder) >= 0 {
		return false
	}
	return ed25519.Verify(key, message, signature)
}

func thumbprint(key []byte) string {
	encoded := base64.RawURLEncoding.EncodeToString(key)
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + encoded + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

type record struct {
	key      []byte // nil: revoked
	endpoint string // origin
}

func originOf(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil {
		return "", fmt.Errorf("%q is not an https address", address)
	}
	return "https://" + strings.TrimSuffix(strings.ToLower(parsed.Host), ":443"), nil
}

func parseRecord(text string) (record, error) {
	if len(text) > 1024 {
		return record{}, errors.New("the record is longer than 1,024 characters")
	}
	tags := map[string]string{}
	var first string
	for _, part := range strings.Split(text, ";") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, found := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if _, doubled := tags[name]; doubled || !found {
			return record{}, fmt.Errorf("tag %q is doubled or no tag", name)
		}
		if len(tags) == 0 {
			first = name
		}
		tags[name] = value
	}
	if version, has := tags["v"]; has && (version != "BRIDGE1" || first != "v") {
		return record{}, errors.New("v is not BRIDGE1, first")
	}
	if kind, has := tags["k"]; has && kind != "ed25519" {
		return record{}, errors.New("k is not ed25519")
	}
	encoded, has := tags["pk"]
	if !has {
		return record{}, errors.New("pk is missing")
	}
	if encoded == "" {
		return record{}, nil
	}
	key, err := decodeURL(encoded)
	if err != nil || len(key) != 32 || !soundPoint(key) {
		return record{}, errors.New("pk is no key")
	}
	endpoint, err := originOf(tags["endpoint"])
	return record{key, endpoint}, err
}

// keysOf gives the keys of a domain by their ids, and its endpoint.
func keysOf(domain string, texts []string) (map[string][]byte, string, error) {
	keys := map[string][]byte{}
	endpoint := ""
	for _, text := range texts {
		one, err := parseRecord(text)
		if err != nil || one.key == nil {
			continue
		}
		if endpoint != "" && endpoint != one.endpoint {
			return nil, "", errors.New("the endpoints disagree")
		}
		endpoint = one.endpoint
		keys[thumbprint(one.key)] = one.key
	}
	if len(keys) == 0 || len(keys) > 4 {
		return nil, "", errors.New("no usable TXT record")
	}
	parsed, _ := url.Parse(endpoint)
	if host := parsed.Hostname(); host != domain && !strings.HasSuffix(host, "."+domain) {
		return nil, "", errors.New("the endpoint is not the domain's")
	}
	return keys, endpoint, nil
}
