/** Two programs that share no code, only docs/trust.md, decide alike: what one signs the other believes, and nothing else. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Certificate } from "../../schemas/certificate.ts";
import { decodeBase64, decodeBase64Url, encodeBase64Url } from "../../src/domain/protocols/base64url.ts";
import { checkCertificate } from "../../src/domain/trust/certificate.ts";
import { verifyStrict } from "../../src/domain/trust/ed25519.ts";
import { verifyDocument } from "../../src/domain/trust/manifest.ts";
import { leafHash, verifyConsistency, verifyInclusion } from "../../src/domain/trust/tlog/merkle.ts";
import { openNote, parseCheckpoint, parseNoteKey } from "../../src/domain/trust/tlog/note.ts";
import {
  isSignedBy,
  readTrustHeaders,
  TRUST_WINDOW_MS,
  trustHeaders,
} from "../../src/domain/trust/trust-headers.ts";
import { selectRecords } from "../../src/domain/trust/txt-record.ts";
import { dataFile } from "../support/data.ts";
import { startRegistry } from "../support/registry.ts";
import { keyOf } from "../support/site-keys.ts";
import { givenKey } from "../support/visitor.ts";
import { type Case, EXAMPLES_FILE, examplesText } from "./examples.ts";

const hasGo = spawnSync("go", ["version"]).status === 0;
if (!hasGo)
  process.stderr.write("The second implementation of docs/trust.md is not checked: there is no Go here.\n");

const examples: Case[] = JSON.parse(readFileSync(EXAMPLES_FILE, "utf8"));

// ---------------------------------------------------------------- the first implementation's answers

const checkpointOf = (note: unknown, key: NonNullable<ReturnType<typeof parseNoteKey>>) => {
  const opened = openNote(String(note), key);
  const checkpoint = opened.ok ? parseCheckpoint(opened.text) : undefined;
  return checkpoint?.origin === key.name ? checkpoint : undefined;
};
const hashesOf = (proof: unknown): Uint8Array[] =>
  (proof as string[]).map((text) => decodeBase64(text) ?? new Uint8Array());

const first = (one: any): boolean => {
  if (one.kind === "manifest") {
    const txt = selectRecords(one.txt, one.domain);
    if (!txt.ok) return false;
    const context = { domain: one.domain, txt, nowMs: Date.parse(one.now), previousSerial: null };
    const verified = verifyDocument(Buffer.from(one.document), context);
    return verified.ok && verified.ring === 3;
  }
  if (one.kind === "trust_header") {
    const lower = Object.fromEntries(
      Object.entries(one.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const claim = readTrustHeaders(lower as Record<string, string>);
    if (claim === undefined || claim === "malformed") return false;
    const txt = selectRecords(one.txt, claim.domain);
    const current = Math.abs(claim.madeAtMs - Date.parse(one.now)) <= TRUST_WINDOW_MS;
    return (
      txt.ok &&
      current &&
      isSignedBy(claim, { ...one.request, body: Buffer.from(one.request.body) }, txt.keys)
    );
  }
  if (one.kind === "ed25519") {
    const [key, message, signature] = [one.key, one.message, one.signature].map(decodeBase64Url);
    return verifyStrict(key!, message!, signature!);
  }
  const key = parseNoteKey(one.log_key);
  if (!key) return false;
  if (one.kind === "certificate")
    return Object.values(checkCertificate(one.certificate as Certificate, key)).every(Boolean);
  if (one.kind === "inclusion") {
    const head = checkpointOf(one.checkpoint, key);
    const leaf = leafHash(Buffer.from(one.entry));
    return (
      head !== undefined && verifyInclusion(one.leaf_index, head.size, leaf, hashesOf(one.proof), head.root)
    );
  }
  const [older, newer] = [checkpointOf(one.old, key), checkpointOf(one.new, key)];
  if (!older || !newer) return false;
  return verifyConsistency(older.size, newer.size, hashesOf(one.proof), older.root, newer.root);
};

// ---------------------------------------------------------------- what is wrong, a little or a lot

/** Every text and number of a case changed, one at a time; not its kind, nor the reader's own clock. */
function* changed(
  value: unknown,
  path: (string | number)[] = [],
): Generator<{ path: string; apply: (copy: any) => void }> {
  const at = path.join("/");
  const put = (next: unknown) => (copy: any) => {
    let inside = copy;
    for (const step of path.slice(0, -1)) inside = inside[step];
    inside[path.at(-1)!] = next;
  };
  if (typeof value === "string" && path[0] !== "kind" && path[0] !== "now") {
    const middle = Math.floor(value.length / 2);
    const other = value[middle] === "A" ? "B" : "A";
    yield {
      path: `${at} in the middle`,
      apply: put(value.slice(0, middle) + other + value.slice(middle + 1)),
    };
    yield { path: `${at} cut`, apply: put(value.slice(0, -1)) };
    yield { path: `${at} empty`, apply: put("") };
  } else if (typeof value === "number") yield { path: at, apply: put(value + 1) };
  else if (Array.isArray(value)) {
    if (value.length > 0 && path.length > 0) yield { path: `${at} shortened`, apply: put(value.slice(1)) };
    for (const [i, item] of value.entries()) yield* changed(item, [...path, i]);
  } else if (typeof value === "object" && value !== null)
    for (const [name, member] of Object.entries(value)) yield* changed(member, [...path, name]);
}

const variants = examples.flatMap((one) =>
  [...changed(one)].map(({ path, apply }) => {
    const copy = structuredClone(one);
    apply(copy);
    return { name: `${one.kind}: ${path}`, case: copy };
  }),
);

/** A change that leaves what is checked as it was: nothing reads the name of the key, since the reader holds the key. */
const HARMLESS = /certificate\/kid /;

describe("the examples of docs/trust.md", () => {
  it("are those that the program makes (else: node test/second/examples.ts)", async () => {
    expect(readFileSync(EXAMPLES_FILE, "utf8")).toBe(await examplesText());
  });

  it("are believed, and none of their changed copies is", () => {
    for (const one of examples) expect(first(one), one.kind).toBe(true);
    expect(variants.length).toBeGreaterThan(100);
    const believed = variants.filter((one) => first(one.case)).map(({ name }) => name);
    expect(believed.filter((name) => !HARMLESS.test(name))).toEqual([]);
  });
});

describe.skipIf(!hasGo)("the second implementation", () => {
  let folder: string;
  let program: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "bridge-test-second-"));
    program = join(folder, "second");
    const env = { ...process.env, GOTOOLCHAIN: "local", GOPROXY: "off", CGO_ENABLED: "0" };
    const built = spawnSync("go", ["build", "-o", program, "."], {
      cwd: import.meta.dirname,
      env,
      encoding: "utf8",
    });
    if (built.status !== 0) throw new Error(built.stderr);
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Its answers, a line a case. */
  const second = (cases: readonly Case[]): string[] => {
    const input = cases.map((one) => JSON.stringify(one)).join("\n");
    const { stdout, status } = spawnSync(program, { input, encoding: "utf8", maxBuffer: 1 << 26 });
    expect(status).toBe(0);
    return stdout.trimEnd().split("\n");
  };

  it("believes what a running registry and a site of the synthetic web say, and no other", async () => {
    const registry = await startRegistry({ world: { sites: 1, seed: 41 }, roles: ["gateway", "trust"] });
    onTestFinished(() => registry.stop());
    const { host } = registry.world.hosts[0]!;
    const { resolver, fetcher, broker } = registry.runtime;
    const answer = await resolver.txt(`_bridge.${host}`);
    const txt = answer.outcome === "found" ? answer.records : [];
    const document = await fetcher.fetch(`https://${host}:${registry.world.port}/.well-known/bridge.json`);
    const issued = await fetch(`${registry.url}/api/v1/notary/price`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${await givenKey(registry, "BUSINESS")}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({
        url: "https://shop.example/",
        product: "Tee – grün",
        price: 0.1,
        currency: "EUR",
      }),
    });
    const { certificate } = (await issued.json()) as { certificate: Certificate };
    const now = new Date(broker.now()).toISOString();
    const log_key = (await (await fetch(`${registry.url}/.well-known/bridge-log/key`)).text()).trim();
    const request = { method: "GET", authority: "registry.example", target: "/x?y=1", body: "" };
    const signer = { domain: host, privateKey: keyOf(registry, host).privateKey };
    const fields = trustHeaders({ ...request, body: new Uint8Array() }, signer, broker.now());
    const headers = {
      "X-BRIDGE-Trust-Domain": fields["x-bridge-trust-domain"],
      "X-BRIDGE-Trust-Nonce": fields["x-bridge-trust-nonce"],
      "X-BRIDGE-Signature": fields["x-bridge-signature"],
    };
    const { leaf, leaf_index, inclusion_proof: proof, checkpoint } = certificate;
    const cases: Case[] = [
      {
        kind: "manifest",
        domain: host,
        txt,
        now,
        document: document.ok ? Buffer.from(document.body).toString() : "",
      },
      { kind: "trust_header", txt, now, request, headers },
      { kind: "inclusion", log_key, entry: leaf, leaf_index, proof, checkpoint },
      { kind: "certificate", log_key, certificate },
    ];
    expect(second(cases)).toEqual(cases.map(() => "ok"));
    const others = cases.map((one) => ({
      ...one,
      ...("txt" in one && { txt: [] }),
      ...("log_key" in one && { log_key: `${log_key}x` }),
    }));
    expect(second(others)).not.toContain("ok");
  });

  it("believes the examples", () => {
    expect(second(examples)).toEqual(examples.map(() => "ok"));
  });

  it("decides about every changed copy as the first does", () => {
    const answers = second(variants.map((one) => one.case));
    const differing = variants.filter((one, i) => first(one.case) !== (answers[i] === "ok"));
    expect(differing.map(({ name }) => name)).toEqual([]);
  });

  it.skipIf(!dataFile("vectors/ed25519-cctv.json") || !dataFile("vectors/ed25519-wycheproof.json"))(
    "decides about the published signatures as the first does (CCTV, Wycheproof)",
    () => {
      const hex = (text: string) => encodeBase64Url(Buffer.from(text, "hex"));
      const cctv = JSON.parse(readFileSync(dataFile("vectors/ed25519-cctv.json")!, "utf8")) as {
        key: string;
        sig: string;
        msg: string;
      }[];
      const wycheproof = JSON.parse(readFileSync(dataFile("vectors/ed25519-wycheproof.json")!, "utf8")) as {
        testGroups: { publicKey: { pk: string }; tests: { msg: string; sig: string }[] }[];
      };
      const cases: Case[] = [
        ...cctv.map(({ key, sig, msg }) => ({
          kind: "ed25519" as const,
          key: hex(key),
          message: encodeBase64Url(msg),
          signature: hex(sig),
        })),
        ...wycheproof.testGroups.flatMap(({ publicKey, tests }) =>
          tests.map(({ msg, sig }) => ({
            kind: "ed25519" as const,
            key: hex(publicKey.pk),
            message: hex(msg),
            signature: hex(sig),
          })),
        ),
      ];
      expect(cases.length).toBeGreaterThan(1_000);
      const answers = second(cases);
      const differing = cases.filter((one, i) => first(one) !== (answers[i] === "ok"));
      expect(differing).toEqual([]);
      expect(answers.filter((answer) => answer === "ok").length).toBeGreaterThan(50);
    },
  );
});
