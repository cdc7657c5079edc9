import { createHmac, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { openTokens, rotatedKeys, type TokenOptions, type Tokens } from "../../src/stores/tokens.ts";
import { joinBroker } from "../support/gate.ts";

let broker: NatsBroker;
let now = Date.UTC(2026, 0, 31, 12);
const LIFE_SECONDS = 3_600;
beforeAll(async () => {
  broker = await joinBroker();
});
afterAll(() => broker?.close());

const open = (change: Partial<TokenOptions> = {}): Tokens =>
  openTokens({
    bucket: broker.buckets.service,
    use: "login",
    issuer: "urn:bridge:here",
    now: () => now,
    lifeSeconds: LIFE_SECONDS,
    ...change,
  });

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (part: string): any => JSON.parse(Buffer.from(part, "base64url").toString());
function partsOf(token: string) {
  const [header = "", payload = "", signature = ""] = token.split(".");
  return { header: decode(header), payload: decode(payload), signature };
}
const storedKeys = async () =>
  (await broker.buckets.service.get("tokens.login"))!.json<{ keys: { kid: string; secret: string }[] }>()
    .keys;
/** A token signed rightly by the newest key, whatever it says. */
async function signedWith(header: object, payload: object): Promise<string> {
  const [key] = await storedKeys();
  const signed = `${encode(header)}.${encode(payload)}`;
  const mac = createHmac("sha256", Buffer.from(key!.secret, "base64url")).update(signed).digest("base64url");
  return `${signed}.${mac}`;
}

describe("a token", () => {
  it("tells who it was given to, in every process and after a restart, until it ends", async () => {
    const token = await open().issue("a1", { gen: 3 });
    expect(await open().read(token)).toMatchObject({ subject: "a1", claims: { gen: 3 } });
    now += (LIFE_SECONDS - 1) * 1_000;
    expect(await open().read(token)).toBeDefined();
    now += 4_000;
    expect(await open().read(token)).toBeUndefined();
  });

  it("is of one use: a session's is no log-in, though it is signed for the same person", async () => {
    const token = await open({ use: "session" }).issue("a1", {});
    expect(await open({ use: "session" }).read(token)).toBeDefined();
    expect(await open().read(token)).toBeUndefined();
  });

  it("is of one registry", async () => {
    expect(await open().read(await open({ issuer: "urn:bridge:elsewhere" }).issue("a1", {}))).toBeUndefined();
  });

  it("is refused when anything of it was changed", async () => {
    const tokens = open();
    const { header, payload, signature } = partsOf(await tokens.issue("a1", { gen: 1 }));
    const forged: [string, string][] = [
      ["another subject", `${encode(header)}.${encode({ ...payload, sub: "a2" })}.${signature}`],
      ["a later end", `${encode(header)}.${encode({ ...payload, exp: payload.exp + 1 })}.${signature}`],
      ["no signature", `${encode(header)}.${encode(payload)}.`],
      ["alg none", `${encode({ ...header, alg: "none" })}.${encode(payload)}.`],
      ["alg None", `${encode({ ...header, alg: "None" })}.${encode(payload)}.${signature}`],
      ["HS512 named", `${encode({ ...header, alg: "HS512" })}.${encode(payload)}.${signature}`],
      ["a cut signature", `${encode(header)}.${encode(payload)}.${signature.slice(0, -2)}`],
      ["two parts", `${encode(header)}.${encode(payload)}`],
      ["nothing", ""],
      ["dots", ".."],
      ["length", "x".repeat(10_000)],
    ];
    for (const [name, token] of forged) expect(await tokens.read(token), name).toBeUndefined();
  });

  it("is refused when it is signed rightly but says the wrong things (RFC 8725 sections 3.8 to 3.11)", async () => {
    const tokens = open();
    const { header, payload } = partsOf(await tokens.issue("a1", {}));
    expect(await tokens.read(await signedWith(header, payload))).toBeDefined();
    const { typ: _typ, ...untyped } = header;
    const { kid: _kid, ...unnamed } = header;
    const without = (name: string) =>
      Object.fromEntries(Object.entries(payload).filter(([key]) => key !== name));
    const wrong: [string, object, object][] = [
      ["typ JWT", { ...header, typ: "JWT" }, payload],
      ["typ of a session", { ...header, typ: "bridge-session+jwt" }, payload],
      ["no typ", untyped, payload],
      ["no kid", unnamed, payload],
      ["unknown kid", { ...header, kid: "x" }, payload],
      ["a kid that is a path", { ...header, kid: "../../dev/null" }, payload],
      ["an unknown crit", { ...header, crit: ["x"], x: 1 }, payload],
      ["unencoded payload", { ...header, crit: ["b64"], b64: false }, payload],
      ["another audience", header, { ...payload, aud: "bridge:session" }],
      ["no audience", header, without("aud")],
      ["another issuer", header, { ...payload, iss: "urn:bridge:elsewhere" }],
      ["no issuer", header, without("iss")],
      ["no end", header, without("exp")],
      ["no subject", header, without("sub")],
      ["no time of issue", header, without("iat")],
      [
        "an end beyond its life",
        header,
        { ...payload, iat: payload.iat - 86_400, exp: payload.exp + 86_400 },
      ],
      ["issued in the future", header, { ...payload, iat: payload.iat + 60 }],
      ["not yet valid", header, { ...payload, nbf: payload.iat + 60 }],
    ];
    for (const [name, head, body] of wrong)
      expect(await tokens.read(await signedWith(head, body)), name).toBeUndefined();
  });

  it("is refused when it brings its own key, or an asymmetric signature", async () => {
    const tokens = open();
    const { header, payload } = partsOf(await tokens.issue("a1", {}));
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const pem = publicKey.export({ type: "spki", format: "pem" });
    const jwk = publicKey.export({ format: "jwk" });
    for (const extra of [
      {},
      { jwk },
      { jku: "https://evil.example/keys" },
      { x5u: "https://evil.example/" },
    ]) {
      const signed = `${encode({ ...header, alg: "EdDSA", ...extra })}.${encode(payload)}`;
      const signature = sign(null, Buffer.from(signed), privateKey).toString("base64url");
      expect(await tokens.read(`${signed}.${signature}`)).toBeUndefined();
    }
    // A public key taken for a shared secret.
    const own = randomBytes(32);
    for (const secret of [Buffer.from(pem), own]) {
      const signed = `${encode({ ...header, jwk: { kty: "oct", k: own.toString("base64url") } })}.${encode(payload)}`;
      const mac = createHmac("sha256", secret).update(signed).digest("base64url");
      expect(await tokens.read(`${signed}.${mac}`)).toBeUndefined();
    }
  });
});

describe("the keys of tokens", () => {
  it("are one for many processes that begin at once", async () => {
    const other = await joinBroker();
    const bucket = other.buckets.service;
    const processes = Array.from({ length: 8 }, () => open({ bucket }));
    const issued = await Promise.all(processes.map((tokens, i) => tokens.issue(`a${i}`, {})));
    for (const token of issued)
      for (const tokens of processes) expect(await tokens.read(token)).toBeDefined();
    expect((await bucket.get("tokens.login"))!.json<{ keys: unknown[] }>().keys).toHaveLength(1);
    await other.close();
  });

  it("turn without ending what was signed before, and are forgotten once nothing needs them", async () => {
    const tokens = open();
    const elsewhere = open();
    const before = await tokens.issue("a1", {});
    await elsewhere.read(before);
    await tokens.rotate(false);
    const after = await tokens.issue("a1", {});
    expect(partsOf(after).header.kid).not.toBe(partsOf(before).header.kid);
    now += 1_500;
    for (const process of [tokens, elsewhere])
      for (const token of [before, after]) expect(await process.read(token)).toBeDefined();
    now += (LIFE_SECONDS + 60) * 1_000;
    await tokens.rotate(false);
    const kids = (await storedKeys()).map(({ kid }) => kid);
    expect(kids).toHaveLength(2);
    expect(kids).toContain(partsOf(after).header.kid);
  });

  it("end every token at once when they are said to have leaked, within half a minute in other processes", async () => {
    const tokens = open();
    const elsewhere = open();
    const stolen = await tokens.issue("a1", {});
    expect(await elsewhere.read(stolen)).toBeDefined();
    await tokens.rotate(true);
    expect(await tokens.read(stolen)).toBeUndefined();
    now += 30_000;
    expect(await elsewhere.read(stolen)).toBeUndefined();
    expect(await elsewhere.read(await elsewhere.issue("a1", {}))).toBeDefined();
  });

  it("turn by themselves after thirty days, and sign on where a new one has no room", async () => {
    const before = await open().issue("a1", {});
    now += 31 * 86_400_000;
    const full = { ...broker.buckets.service, compareAndSet: () => Promise.reject(new Error("full")) };
    const late = await open({ bucket: full }).issue("a1", {});
    expect(partsOf(late).header.kid).toBe(partsOf(before).header.kid);
    const after = await open().issue("a1", {});
    expect(partsOf(after).header.kid).not.toBe(partsOf(before).header.kid);
  });

  it("never grow beyond those that may still be needed", () => {
    const key = (madeAt: number) => ({ kid: String(madeAt), secret: "", madeAt });
    let keys = [key(0)];
    for (let hour = 1; hour < 100; hour++) keys = rotatedKeys(keys, key(hour * 3_600_000), 86_400);
    expect(keys.length).toBeLessThanOrEqual(26);
  });
});
