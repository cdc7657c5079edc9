import { readFileSync } from "node:fs";
import { exportJWK, FlattenedSign, generateKeyPair } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { A2A_CARD } from "../../src/agent-web/formats/a2a-card.ts";
import { signatureOf } from "../../src/agent-web/signatures.ts";
import { canonicalize } from "../../src/domain/trust/jcs.ts";
import { rowsOf } from "../eval/agent-web/served.ts";
import { dataFile } from "../support/data.ts";
import { joinBroker } from "../support/gate.ts";
import { A2A_1 as SOUND } from "./documents.ts";
import { lookAt, newHost } from "./one-look.ts";

/** Of whatever host serves it. */
const A2A_1 = { ...SOUND, supportedInterfaces: [] };
const CARD = "/.well-known/agent-card.json";
const KEYS = "/jwks.json";

/** A signature over a form of the card, and the set that its key is in. @param alg of RFC 7518 or 8037 */
async function signed(form: object, alg: string, jku?: string) {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const signature = await new FlattenedSign(Buffer.from(canonicalize(form)))
    .setProtectedHeader({ alg, typ: "JOSE", kid: "k1", ...(jku !== undefined && { jku }) })
    .sign(privateKey);
  return {
    signatures: [{ protected: signature.protected, signature: signature.signature }],
    set: { keys: [{ ...(await exportJWK(publicKey)), kid: "k1" }] },
  };
}

describe("a signed card", () => {
  let broker: NatsBroker;
  beforeAll(async () => {
    broker = await joinBroker();
  });
  afterAll(() => broker.close());

  /** @param at the name that serves the key set; null: the signature names none */
  const looked = (
    host: string,
    at: string | null,
    alg = "ES256",
    form: object = A2A_1,
    card: object = form,
  ) =>
    lookAt(
      broker,
      host,
      async (origin) => {
        const jku = at === null ? undefined : origin(at) + KEYS;
        const { signatures, set } = await signed(form, alg, jku);
        return { [CARD]: { body: { ...card, signatures } }, [`${at}${KEYS}`]: { body: set } };
      },
      { others: at === null || at === host ? [] : [at] },
    );

  it.each(["ES256", "EdDSA", "RS256"])("is its domain's own where that serves the key (%s)", async (alg) => {
    const host = newHost();
    const { descriptor, findings } = await looked(host, host, alg);
    expect([descriptor(CARD)?.signature, findings(CARD)]).toEqual(["own_key", []]);
  });

  it("may have its keys below its registrable domain, and leave out what is empty", async () => {
    const host = newHost();
    const withEmpty = { ...A2A_1, capabilities: { streaming: false, extensions: [] }, iconUrl: "" };
    const form = { ...A2A_1, capabilities: { streaming: false } };
    const { descriptor } = await looked(host, `keys.${host}`, "ES256", form, withEmpty);
    expect(descriptor(CARD)?.signature).toBe("own_key");
  });

  it("by a key at another's domain has nobody who vouches for it, and that key is not asked for", async () => {
    const other = newHost();
    const { descriptor, findings, asked } = await looked(newHost(), other);
    expect([descriptor(CARD)?.signature, findings(CARD)]).toEqual([
      "others_key",
      ["key_of_another /signatures/0"],
    ]);
    expect(asked).not.toContain(other + KEYS);
  });

  it("by a key that is named nowhere is by one that is not to be had", async () => {
    const { descriptor, findings } = await looked(newHost(), null);
    expect([descriptor(CARD)?.signature, findings(CARD)]).toEqual([
      "key_unknown",
      ["key_unknown /signatures/0"],
    ]);
  });

  it("that was changed afterwards is told", async () => {
    const host = newHost();
    const { descriptor, findings } = await looked(host, host, "ES256", A2A_1, { ...A2A_1, name: "Coffee" });
    expect([descriptor(CARD)?.signature, findings(CARD)]).toEqual([
      "invalid",
      ["signature_invalid /signatures/0"],
    ]);
  });
});

const file = dataFile("agent-web-2/spec-examples/a2a-signature/vectors.jsonl");
const SAID: Readonly<Record<string, string | undefined>> = {
  signed_vouched: "own_key",
  signed_vouched_with_warning: "own_key",
  signed_by_nobody_vouched: "others_key",
  signed_key_unknown: "key_unknown",
  invalid: "invalid",
  unsigned: undefined,
};

describe.skipIf(!file)("a vector of A2A's signatures", () => {
  interface Vector {
    id: string;
    expected: string;
    served_at: string;
    card: object;
  }
  const vectors = file ? rowsOf<Vector>(file) : [];
  const sets = file ? JSON.parse(readFileSync(file.replace("vectors.jsonl", "jwks.json"), "utf8")) : {};

  it.each(vectors)("is judged as it says: $id", async ({ expected, served_at, card }) => {
    const url = new URL(served_at);
    const reading = A2A_CARD.read(Buffer.from(JSON.stringify(card)), url, "");
    const served = async (at: URL) => {
      const body = Buffer.from(JSON.stringify(sets[at.href] ?? null));
      const beside = { headers: {}, setCookies: [], truncated: false, address: "127.0.0.1", tookMs: 1 };
      return { ok: true as const, status: 200, url: at, body, ...beside };
    };
    const said = reading?.signed && (await signatureOf(reading.signed, url.hostname, served));
    expect(said?.signature).toBe(SAID[expected]);
    expect((said?.findings.length ?? 0) > 0).toBe(!["signed_vouched", "unsigned"].includes(expected));
  });
});
