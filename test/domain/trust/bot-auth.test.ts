/** Signatures of Web Bot Auth, read by Cloudflare's implementation, and how the keys follow one another. */
import { createPublicKey, type JsonWebKey, verify as verifySignature } from "node:crypto";
import { describe, expect, it } from "vitest";
import { verify } from "web-bot-auth";
import { verifierFromJWK } from "web-bot-auth/crypto";
import { openBotAuth, SIGNATURE_AGENT_FORMS } from "../../../src/domain/trust/bot-auth.ts";

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first moment of a week of keys. */
const MONDAY_MS = 2_960 * WEEK_MS;

interface Key extends JsonWebKey {
  kid: string;
  nbf: number;
  exp: number;
}
const keysOf = (directory: string): Key[] => JSON.parse(directory).keys;

function botAuthAt(at: () => number, { form = "dictionary" as const, secret = "the registry's" } = {}) {
  return openBotAuth({ secret, publicUrl: "https://registry.example/", form: () => form, now: at });
}

describe("a signed request", () => {
  // The other implementation holds what expired by its own clock to be invalid.
  const now = Date.now();
  const reader = async (authority: string, headers: Record<string, string>) => {
    const keyid = /keyid="([^"]+)"/.exec(headers["signature-input"]!)![1];
    const jwk = keysOf(botAuthAt(() => now).directory()).find(({ kid }) => kid === keyid)!;
    await verify({ method: "GET", url: `https://${authority}/a?b=c`, headers }, await verifierFromJWK(jwk));
  };

  it.each(["shop.example", "shop.example:8443", "xn--tea-0na.example"])(
    "is taken by Cloudflare's verifier at %s, with the quoted form",
    async (authority) => {
      const botAuth = openBotAuth({
        secret: "the registry's",
        publicUrl: "https://registry.example/",
        form: () => "string",
        now: () => now,
      });
      const headers = botAuth.signRequest(authority);
      expect(headers["signature-agent"]).toBe('"https://registry.example"');
      await reader(authority, headers);
    },
  );

  it("is refused by it for another authority, and for another key", async () => {
    const signed = openBotAuth({
      secret: "the registry's",
      publicUrl: "https://registry.example/",
      form: () => "string",
      now: () => now,
    }).signRequest("shop.example");
    await expect(reader("other.example", signed)).rejects.toThrow();
    const foreign = openBotAuth({
      secret: "another's",
      publicUrl: "https://registry.example/",
      form: () => "string",
      now: () => now,
    });
    const [jwk] = keysOf(foreign.directory()).slice(-1);
    const verifier = await verifierFromJWK(jwk!);
    await expect(
      verify({ method: "GET", url: "https://shop.example/", headers: signed }, verifier),
    ).rejects.toThrow();
  });

  it("covers its member of the draft's dictionary", () => {
    const headers = botAuthAt(() => now).signRequest("shop.example");
    expect(headers["signature-agent"]).toBe('sig1="https://registry.example"');
    const parameters = headers["signature-input"].slice("sig1=".length);
    expect(parameters).toMatch(
      /^\("@authority" "signature-agent";key="sig1"\);created=\d+;expires=\d+;keyid="[\w-]{43}";alg="ed25519";nonce="[\w+/]{86}==";tag="web-bot-auth"$/,
    );
    const base = `"@authority": shop.example\n"signature-agent";key="sig1": "https://registry.example"\n"@signature-params": ${parameters}`;
    const key = keysOf(botAuthAt(() => now).directory()).find(({ kid }) => parameters.includes(kid))!;
    const signature = Buffer.from(headers.signature.slice("sig1=:".length, -1), "base64");
    const publicKey = createPublicKey({ key: key as never, format: "jwk" });
    expect(verifySignature(null, Buffer.from(base), publicKey, signature)).toBe(true);
  });

  it.each(SIGNATURE_AGENT_FORMS)("is never the same twice, and holds for a minute (%s)", (form) => {
    const botAuth = openBotAuth({
      secret: "s",
      publicUrl: "https://registry.example",
      form: () => form,
      now: () => now,
    });
    const [one, two] = [botAuth.signRequest("a.example"), botAuth.signRequest("a.example")];
    expect(one.signature).not.toBe(two.signature);
    const [created, expires] = ["created", "expires"].map((name) =>
      Number(new RegExp(`${name}=(\\d+)`).exec(one["signature-input"])![1]),
    );
    expect(expires! - created!).toBe(60);
  });
});

describe("the keys", () => {
  it("are the same in every process of a registry, and others in another registry", () => {
    const directory = botAuthAt(() => MONDAY_MS).directory();
    expect(botAuthAt(() => MONDAY_MS).directory()).toBe(directory);
    expect(botAuthAt(() => MONDAY_MS, { secret: "another's" }).directory()).not.toBe(directory);
  });

  it("are published a week before they sign, and until no signature by them can be met", () => {
    let now = MONDAY_MS;
    const botAuth = botAuthAt(() => now);
    const seen = new Map<string, { first: number; last: number }>();
    const signed = new Map<string, { first: number; last: number }>();
    const note = (times: typeof seen, kid: string) =>
      times.set(kid, { first: times.get(kid)?.first ?? now, last: now });
    for (; now < MONDAY_MS + 4 * WEEK_MS; now += DAY_MS / 48) {
      for (const { kid } of keysOf(botAuth.directory())) note(seen, kid);
      note(signed, /keyid="([^"]+)"/.exec(botAuth.signRequest("a.example")["signature-input"])![1]!);
    }
    expect(signed.size).toBe(4);
    for (const [kid, { first, last }] of [...signed].slice(1, -1)) {
      expect(first - seen.get(kid)!.first).toBe(WEEK_MS);
      expect(seen.get(kid)!.last).toBeGreaterThan(last + 60_000);
      expect(seen.get(kid)!.last).toBeLessThan(last + 7_200_000);
    }
  });
});

describe("the directory's answer", () => {
  it("is signed by each of its keys, for the registry's own authority and these bytes", () => {
    const botAuth = botAuthAt(() => MONDAY_MS + 60_000);
    const text = botAuth.directory();
    const fields = botAuth.signDirectory(text);
    const inputs = fields["signature-input"].split(", ");
    const signatures = fields.signature.split(", ");
    const keys = keysOf(text);
    expect(keys).toHaveLength(3);
    expect(inputs).toHaveLength(3);
    for (const [i, key] of keys.entries()) {
      const parameters = inputs[i]!.slice(`sig${i + 1}=`.length);
      expect(parameters).toContain(`keyid="${key.kid}"`);
      expect(parameters).toContain(';tag="http-message-signatures-directory"');
      const base = `"@authority";req: registry.example\n"content-digest": ${fields["content-digest"]}\n"@signature-params": ${parameters}`;
      const signature = Buffer.from(signatures[i]!.slice(`sig${i + 1}=:`.length, -1), "base64");
      const publicKey = createPublicKey({ key: key as never, format: "jwk" });
      expect(verifySignature(null, Buffer.from(base), publicKey, signature)).toBe(true);
    }
  });
});
