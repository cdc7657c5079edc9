/** Signatures of Web Bot Auth as another implementation reads them, and how the keys follow one another. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  openBotAuth,
  SIGNATURE_AGENT_FORMS,
  type SignatureAgentForm,
} from "../../../src/domain/trust/bot-auth.ts";
import {
  agentOf,
  answeredDirectory,
  keysOf,
  verifyDirectory,
  verifyRequest,
} from "../../support/bot-auth.ts";
import { dataFile } from "../../support/data.ts";

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The first moment of a week of keys. */
const MONDAY_MS = 2_960 * WEEK_MS;

function botAuthAt(
  now: () => number,
  { form = "dictionary" as SignatureAgentForm, secret = "the registry's" } = {},
) {
  return openBotAuth({ secret, publicUrl: "https://registry.example/", form: () => form, now });
}
const keyidOf = (fields: { "signature-input": string }) =>
  /keyid="([^"]+)"/.exec(fields["signature-input"])![1]!;

describe.each(SIGNATURE_AGENT_FORMS)("a request signed with the %s", (form) => {
  const botAuth = botAuthAt(() => MONDAY_MS, { form });
  const keys = keysOf(botAuth.directory());

  it.each(["shop.example", "shop.example:8443", "xn--tea-0na.example"])(
    "is verified at %s",
    async (authority) => {
      const signed = botAuth.signRequest(authority);
      expect(agentOf(signed["signature-agent"], form)).toBe("https://registry.example");
      expect(signed["signature-agent"]).toBe(
        form === "string" ? '"https://registry.example"' : 'sig1="https://registry.example"',
      );
      expect(await verifyRequest(`https://${authority}/a?b=c`, signed, keys, form, MONDAY_MS)).toBe(
        keyidOf(signed),
      );
    },
  );

  it.each([
    ["at another host", "https://other.example/", {}, 0],
    ["as another's", "https://shop.example/", { "signature-agent": 'sig1="https://evil.example"' }, 0],
    ["two minutes later", "https://shop.example/", {}, 120_000],
  ])("is refused %s", async (_, url, changed, laterMs) => {
    const signed = { ...botAuth.signRequest("shop.example"), ...changed };
    await expect(verifyRequest(url, signed, keys, form, MONDAY_MS + laterMs)).rejects.toThrow();
  });

  it("is refused by the keys of another registry", async () => {
    const others = keysOf(botAuthAt(() => MONDAY_MS, { secret: "another's" }).directory());
    const signed = botAuth.signRequest("shop.example");
    await expect(verifyRequest("https://shop.example/", signed, others, form, MONDAY_MS)).rejects.toThrow();
  });

  it.each([
    ["with another tag", "web-bot-auth", "another-tag"],
    ["without the authority", '"@authority" ', ""],
    ["with a later end", /expires=\d+/, `expires=${MONDAY_MS / 1_000 + 86_400}`],
    ["without an end", /;expires=\d+/, ""],
    ["with the key of another week", /keyid="[^"]+"/, `keyid="${keys.at(-1)!.kid}"`],
    ["without a nonce", /;nonce="[^"]+"/, ""],
  ])("is refused %s", async (_, from, to) => {
    const signed = botAuth.signRequest("shop.example");
    const input = signed["signature-input"].replace(from, to);
    expect(input).not.toBe(signed["signature-input"]);
    const changed = { ...signed, "signature-input": input };
    await expect(verifyRequest("https://shop.example/", changed, keys, form, MONDAY_MS)).rejects.toThrow();
  });

  it("is refused the second time, and the next is not", async () => {
    const nonces = new Set<string>();
    const verified = (signed: ReturnType<typeof botAuth.signRequest>) =>
      verifyRequest("https://shop.example/", signed, keys, form, MONDAY_MS, nonces);
    const signed = botAuth.signRequest("shop.example");
    await verified(signed);
    await expect(verified(signed)).rejects.toThrow();
    await verified(botAuth.signRequest("shop.example"));
  });
});

it("others' vectors are judged as they say: signatures by the implementation that verifies ours", async (context) => {
  const file = dataFile("agent-web-2/spec-examples/web-bot-auth/vectors.jsonl");
  if (file === undefined) return context.skip("no vectors: set BRIDGE_DATA_DIR");
  const vectors = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const judged = async ({ profile, request, directory, now }: (typeof vectors)[number]): Promise<string> => {
    const headers: Record<string, string> = Object.fromEntries(
      Object.entries<string>(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const form = profile === "cloudflare" ? "string" : "dictionary";
    try {
      agentOf(headers["signature-agent"], form);
      const { keys, isOfItsType } = answeredDirectory(directory);
      await verifyRequest(request.url, headers, keys, form, now * 1_000);
      return isOfItsType ? "valid" : "warn";
    } catch {
      return "refused";
    }
  };
  const outcomes = await Promise.all(vectors.map(async (vector) => [vector.id, await judged(vector)]));
  const refused = (outcome: string) => (outcome === "valid" || outcome === "warn" ? outcome : "refused");
  expect(outcomes).toEqual(vectors.map(({ id, expected }) => [id, refused(expected.outcome)]));
  expect(outcomes).toHaveLength(23);
});

describe("the keys", () => {
  it("are the same in every process of a registry", () => {
    expect(botAuthAt(() => MONDAY_MS).directory()).toBe(botAuthAt(() => MONDAY_MS).directory());
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
      note(signed, keyidOf(botAuth.signRequest("a.example")));
    }
    expect(signed.size).toBe(4);
    for (const [kid, { first, last }] of [...signed].slice(1, -1)) {
      expect(first - seen.get(kid)!.first).toBe(WEEK_MS);
      expect(seen.get(kid)!.last).toBeGreaterThan(last + 60_000);
      expect(seen.get(kid)!.last).toBeLessThan(last + 7_200_000);
    }
  });

  it("each sign the directory's answer, for the registry's own host alone", async () => {
    const botAuth = botAuthAt(() => MONDAY_MS + 60_000);
    const text = botAuth.directory();
    const fields = botAuth.signDirectory(text);
    const keys = keysOf(text);
    expect(keys).toHaveLength(3);
    for (const [i, { kid }] of keys.entries()) {
      const verifiedAt = (host: string) =>
        verifyDirectory(`https://${host}/`, fields, keys, `sig${i + 1}`, MONDAY_MS + 60_000);
      expect(await verifiedAt("registry.example")).toBe(kid);
      await expect(verifiedAt("mirror.example")).rejects.toThrow();
    }
  });
});
