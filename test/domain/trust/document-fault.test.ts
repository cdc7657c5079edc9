import { describe, expect, it } from "vitest";
import { readDocument } from "../../../src/domain/trust/manifest.ts";

function detailOf(bytes: Uint8Array): string {
  const read = readDocument(bytes, "shop.example");
  return read.ok ? "" : `${read.reason}: ${read.detail}`;
}

describe("what stands where the document should is said in words", () => {
  it.each<[string, string | Buffer, RegExp]>([
    [
      "a single-page app's page",
      "<!doctype html><html><div id=root></div></html>",
      /syntax: the server answers with a web page/,
    ],
    ["a long one", `\n<html>${"x".repeat(70_000)}`, /too_large: the server answers with a web page/],
    ["an error page in XHTML", '<?xml version="1.0"?><!DOCTYPE html><html>', /web page/],
    ["a sitemap", '<?xml version="1.0"?><urlset/>', /XML, not with the JSON document/],
    [
      "a private key",
      "-----BEGIN PRIVATE KEY-----\nMC4CAQ",
      /publishes a private key: take it down, make a new key/,
    ],
    ["a certificate", "-----BEGIN CERTIFICATE-----\nMC4CAQ", /key or certificate/],
    ["the TXT record", "v=BRIDGE1; k=ed25519; pk=x", /TXT record, which belongs into DNS/],
    ["PHP as text", "<?php echo json_encode($a);", /PHP does not run there/],
    ["nothing", "", /empty body/],
    [
      "a byte order mark",
      "\ufeff{}",
      /byte_order_mark: the document begins with a byte order mark .*without one/,
    ],
    ["UTF-16", Buffer.from("\ufeff{}", "utf16le"), /invalid_utf8: the document is UTF-16: save it as UTF-8/],
    ["UTF-16 without a mark", Buffer.from('{"a":1}', "utf16le"), /UTF-16/],
    ["Latin-1", Buffer.from('{"name":"caf\xe9"}', "latin1"), /not UTF-8: save it as UTF-8/],
    ["JSON with a slip", '{"a":1,}', /syntax: the text is not JSON$/],
    ["a member twice", '{"a":1,"a":2}', /doubled_key: a member stands there twice \(at character 7\)/],
  ])("%s", (_name, text, says) => {
    const detail = detailOf(Buffer.from(text as string));
    expect(detail).toMatch(/^document_invalid: /);
    expect(detail).toMatch(says);
  });
});
