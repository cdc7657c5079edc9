package main

// Strict JSON and its canonical form (RFC 8785).

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

type object map[string]any

const maxSafe = 1<<53 - 1

// parse reads one JSON text strictly. Numbers stay as they are written until they are needed.
func parse(text []byte) (any, error) {
	if !utf8.Valid(text) || bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return nil, errors.New("not UTF-8 without a byte order mark")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	value, err := parseValue(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON text")
	}
	return value, nil
}

func parseValue(decoder *json.Decoder, depth int) (any, error) {
	if depth > 64 {
		return nil, errors.New("too deep")
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return parseObject(decoder, depth)
		}
		list := []any{}
		for decoder.More() {
			item, err := parseValue(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := decoder.Token()
		return list, err
	case json.Number:
		number, err := token.Float64()
		if err != nil || math.Abs(number) > maxSafe {
			return nil, fmt.Errorf("%s is not a safe number", token)
		}
		return number, nil
	}
	return token, nil
}

func parseObject(decoder *json.Decoder, depth int) (any, error) {
	members := object{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return nil, err
		}
		name := token.(string)
		if _, doubled := members[name]; doubled {
			return nil, fmt.Errorf("member %q is doubled", name)
		}
		value, err := parseValue(decoder, depth+1)
		if err != nil {
			return nil, err
		}
		members[name] = value
	}
	_, err := decoder.Token()
	return members, err
}

// canonical gives the RFC 8785 form.
func canonical(value any) []byte {
	var out bytes.Buffer
	write(&out, value)
	return out.Bytes()
}

func write(out *bytes.Buffer, value any) {
	switch value := value.(type) {
	case nil:
		out.WriteString("null")
	case bool:
		out.WriteString(strconv.FormatBool(value))
	case float64:
		out.WriteString(formatNumber(value))
	case string:
		writeString(out, value)
	case []any:
		out.WriteByte('[')
		for i, item := range value {
			if i > 0 {
				out.WriteByte(',')
			}
			write(out, item)
		}
		out.WriteByte(']')
	case object:
		names := make([]string, 0, len(value))
		for name := range value {
			names = append(names, name)
		}
		sort.Slice(names, func(i, j int) bool { return lessUTF16(names[i], names[j]) })
		out.WriteByte('{')
		for i, name := range names {
			if i > 0 {
				out.WriteByte(',')
			}
			writeString(out, name)
			out.WriteByte(':')
			write(out, value[name])
		}
		out.WriteByte('}')
	}
}

func lessUTF16(a, b string) bool {
	x, y := utf16.Encode([]rune(a)), utf16.Encode([]rune(b))
	for i := 0; i < len(x) && i < len(y); i++ {
		if x[i] != y[i] {
			return x[i] < y[i]
		}
	}
	return len(x) < len(y)
}

func writeString(out *bytes.Buffer, text string) {
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\b':
			out.WriteString(`\b`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\f':
			out.WriteString(`\f`)
		case r == '\r':
			out.WriteString(`\r`)
		case r < 0x20:
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}

// formatNumber writes a number as ECMAScript does (RFC 8785 section 3.2.2.3).
func formatNumber(number float64) string {
	if number == 0 {
		return "0"
	}
	if number < 0 {
		return "-" + formatNumber(-number)
	}
	mantissa, exponentText, _ := strings.Cut(strconv.FormatFloat(number, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	exponent, _ := strconv.Atoi(exponentText)
	k, n := len(digits), exponent+1
	switch {
	case k <= n && n <= 21:
		return digits + strings.Repeat("0", n-k)
	case 0 < n && n <= 21:
		return digits[:n] + "." + digits[n:]
	case -6 < n && n <= 0:
		return "0." + strings.Repeat("0", -n) + digits
	}
	tail := fmt.Sprintf("e%+d", n-1)
	if k == 1 {
		return digits + tail
	}
	return digits[:1] + "." + digits[1:] + tail
}

func (members object) text(name string) string {
	text, _ := members[name].(string)
	return text
}

func (members object) object(name string) object {
	inner, _ := members[name].(object)
	return inner
}
