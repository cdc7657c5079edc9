package main

// Signed manifests and trust headers.

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const handshake = "bridge-trust-handshake/1.1"
const skew = 60 * time.Second

func checkManifest(domain string, texts []string, now time.Time, document []byte) error {
	keys, endpoint, err := keysOf(domain, texts)
	if err != nil {
		return err
	}
	if len(document) > 65_536 {
		return errors.New("the document is too long")
	}
	value, err := parse(document)
	if err != nil {
		return err
	}
	outer, ok := value.(object)
	if !ok || outer.object("provider").text("domain") != domain {
		return errors.New("the document is not the domain's")
	}
	jws := outer.object("manifest")
	if jws == nil {
		return errors.New("unsigned")
	}
	payload, err := openJWS(jws, keys)
	if err != nil {
		return err
	}
	value, err = parse(payload)
	if err != nil {
		return err
	}
	manifest, ok := value.(object)
	if !ok || !bytes.Equal(canonical(manifest), payload) {
		return errors.New("the payload is not in its canonical form")
	}
	if manifest.text("handshake") != handshake || manifest.text("domain") != domain {
		return errors.New("the manifest is of another domain or handshake")
	}
	if origin, err := originOf(manifest.text("endpoint")); err != nil || origin != endpoint {
		return errors.New("the manifest's endpoint is not that of DNS")
	}
	if err := checkTimes(manifest, now); err != nil {
		return err
	}
	if ttl, _ := manifest.object("trust_profile")["ttl_seconds"].(float64); ttl < 300 || ttl > 86_400 {
		return errors.New("ttl_seconds is out of range")
	}
	return checkOuter(outer, manifest)
}

func checkTimes(manifest object, now time.Time) error {
	issued, err := time.Parse(time.RFC3339, manifest.text("issued_at"))
	if err != nil {
		return err
	}
	expires, err := time.Parse(time.RFC3339, manifest.text("expires_at"))
	if err != nil {
		return err
	}
	life := expires.Sub(issued)
	if life <= 0 || life > 90*24*time.Hour {
		return errors.New("the manifest lives too long, or not at all")
	}
	if issued.After(now.Add(skew)) || !expires.After(now.Add(-skew)) {
		return errors.New("the manifest is not of now")
	}
	return nil
}

func checkOuter(outer, manifest object) error {
	for _, name := range []string{"trust_profile", "expires_at"} {
		if repeated, has := outer[name]; has && !bytes.Equal(canonical(repeated), canonical(manifest[name])) {
			return fmt.Errorf("%s is not the signed one", name)
		}
	}
	bare := object{}
	for name, value := range outer {
		if name != "manifest" {
			bare[name] = value
		}
	}
	if sha256Hex(canonical(bare)) != manifest.text("document_sha256") {
		return errors.New("the document is not the signed one")
	}
	return nil
}

func openJWS(jws object, keys map[string][]byte) ([]byte, error) {
	if len(jws) != 3 {
		return nil, errors.New("not a flattened JWS")
	}
	protected, err := decodeURL(jws.text("protected"))
	if err != nil {
		return nil, err
	}
	value, err := parse(protected)
	header, ok := value.(object)
	if err != nil || !ok {
		return nil, errors.New("no protected header")
	}
	for _, name := range []string{"jku", "jwk", "x5u", "x5c", "x5t", "x5t#S256", "crit", "b64"} {
		if _, has := header[name]; has {
			return nil, fmt.Errorf("%s in the header", name)
		}
	}
	if alg := header.text("alg"); alg != "Ed25519" && alg != "EdDSA" {
		return nil, errors.New("alg is not Ed25519")
	}
	signature, err := decodeURL(jws.text("signature"))
	if err != nil {
		return nil, err
	}
	payload, err := decodeURL(jws.text("payload"))
	if err != nil {
		return nil, err
	}
	signed := []byte(jws.text("protected") + "." + jws.text("payload"))
	for kid, key := range keys {
		if named, has := header["kid"]; has && named != kid {
			continue
		}
		if verifies(key, signed, signature) {
			return payload, nil
		}
	}
	return nil, errors.New("no key of the domain made the signature")
}

var nonceForm = regexp.MustCompile(`^(\d{10})\.([A-Za-z0-9_-]{22})$`)

func checkTrustHeader(texts []string, now time.Time, request, headers object) error {
	domain, nonce := headers.text("X-BRIDGE-Trust-Domain"), headers.text("X-BRIDGE-Trust-Nonce")
	keys, _, err := keysOf(domain, texts)
	if err != nil {
		return err
	}
	parts := nonceForm.FindStringSubmatch(nonce)
	if parts == nil {
		return errors.New("no nonce")
	}
	seconds, _ := strconv.ParseInt(parts[1], 10, 64)
	if age := now.Sub(time.Unix(seconds, 0)); age > skew || age < -skew {
		return errors.New("the nonce is not of now")
	}
	signature, err := decodeURL(headers.text("X-BRIDGE-Signature"))
	if err != nil {
		return err
	}
	lines := []string{
		handshake,
		strings.ToUpper(request.text("method")),
		request.text("authority"),
		request.text("target"),
		sha256Hex([]byte(request.text("body"))),
		domain,
		nonce,
	}
	for _, key := range keys {
		if verifies(key, []byte(strings.Join(lines, "\n")), signature) {
			return nil
		}
	}
	return errors.New("no key of the domain made the signature")
}
