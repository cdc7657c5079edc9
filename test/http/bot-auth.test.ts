/** Requests of a running registry, verified as a site would: by the directory that it serves. */
import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestSigner } from "../../app/processes/bot-auth.ts";
import { BOT_AUTH_DIRECTORY_PATH, openBotAuth } from "../../src/domain/trust/bot-auth.ts";
import { serveHttp } from "../adapters/http/support.ts";
import { answeredDirectory, verifyDirectory, verifyRequest } from "../support/bot-auth.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1 },
    config: { BRIDGE_SIGNATURE_AGENT: "string" },
    alsoAllow: "127.0.0.0/8:*",
    roles: ["search"],
  });
});
afterAll(() => registry?.stop());

async function directory() {
  const response = await fetch(registry.url + BOT_AUTH_DIRECTORY_PATH, { redirect: "manual" });
  const text = await response.text();
  const { status, headers: fields } = response;
  const answered = answeredDirectory({ status, headers: Object.fromEntries(fields), body: text });
  return { fields, text, ...answered };
}

it("signs what it sends so that another implementation verifies it by a key of the directory", async () => {
  let got: IncomingMessage | undefined;
  const site = await serveHttp((request, response) => {
    got = request;
    response.end("ok");
  });
  const url = `http://${site.address}:${site.port}/tea?x=1`;
  expect(await registry.runtime.fetcher.fetch(url)).toMatchObject({ ok: true, status: 200 });
  const headers = got!.headers as Record<string, string>;
  expect(headers["signature-agent"]).toBe(`"${registry.runtime.publicUrl}"`);
  await verifyRequest(url, headers, (await directory()).keys, "string", Date.now());
});

it("serves a directory of the draft's type that each of its keys signed", async () => {
  const { fields, text, keys, isOfItsType } = await directory();
  expect(isOfItsType).toBe(true);
  const digest = fields.get("content-digest")!;
  expect(digest).toBe(`sha-256=:${createHash("sha256").update(text).digest("base64")}:`);
  expect(keys.length).toBeGreaterThanOrEqual(2);
  for (const [i, { kid }] of keys.entries()) {
    const headers = Object.fromEntries(fields);
    const label = `sig${i + 1}`;
    expect(await verifyDirectory(registry.runtime.publicUrl, headers, keys, label, Date.now())).toBe(kid);
  }
});

describe("a registry", () => {
  it.each([
    ["https://registry.example", "93.184.215.14", true],
    ["https://registry.example", "127.0.0.1", true],
    ["http://127.0.0.1:8080", "127.0.0.1", true],
    ["http://127.0.0.1:8080", "93.184.215.14", false],
    ["http://registry.example", "2606:2800:21f::1", false],
  ])("at %s signs a request to %s: %s", (publicUrl, address, isSigned) => {
    const botAuth = openBotAuth({ secret: "s", publicUrl, form: () => "dictionary", now: Date.now });
    const fields = requestSigner(botAuth, publicUrl)("shop.example", address);
    expect("signature" in fields).toBe(isSigned);
  });
});
