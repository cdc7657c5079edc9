/** One example of each format of docs/trust.md, made from fixed keys and times: docs/trust-examples.json. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Certificate, Statement } from "../../schemas/certificate.ts";
import { observedBy, signStatement, statementSha256 } from "../../src/domain/trust/certificate.ts";
import { keyFromSeed } from "../../src/domain/trust/ed25519.ts";
import { INVARIANTS_NOW } from "../../src/domain/trust/invariants.ts";
import { canonicalize } from "../../src/domain/trust/jcs.ts";
import { signDocument } from "../../src/domain/trust/manifest.ts";
import {
  consistencyRanges,
  inclusionRanges,
  leafHash,
  proofOf,
  rangeHash,
} from "../../src/domain/trust/tlog/merkle.ts";
import { formatCheckpoint, formatNoteKey, noteKeyOf, signNote } from "../../src/domain/trust/tlog/note.ts";
import { nodesOfTiles, TreeEdge } from "../../src/domain/trust/tlog/tiles.ts";
import { trustHeaders } from "../../src/domain/trust/trust-headers.ts";
import { formatTxtRecord } from "../../src/domain/trust/txt-record.ts";
import { documentOf } from "../workers/crawler/observations.ts";

export interface Case {
  kind: "manifest" | "trust_header" | "inclusion" | "consistency" | "certificate" | "ed25519";
  [member: string]: unknown;
}

export const EXAMPLES_FILE = join(import.meta.dirname, "../../docs/trust-examples.json");

const NOW = "2026-01-31T12:00:00.000Z";
const ORIGIN = "registry.example/.well-known/bridge-log";
const site = keyFromSeed(new Uint8Array(32).fill(1));
const registry = keyFromSeed(new Uint8Array(32).fill(2));
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const manifestCase = (): Case => {
  const document = signDocument(documentOf(), site, {
    endpoint: "https://shop.example",
    issuedAt: "2026-01-31T11:00:00.000Z",
    expiresAt: "2026-03-01T11:00:00.000Z",
    serial: 7,
    trustProfile: { capabilities: ["read"], constraints: ["no-resale"], ttl_seconds: 3_600 },
    invariantsSha256: INVARIANTS_NOW.sha256,
  });
  const txt = [formatTxtRecord({ publicKey: site.publicKey, endpoint: "https://shop.example" })];
  return { kind: "manifest", domain: "shop.example", txt, now: NOW, document: JSON.stringify(document) };
};

const headerCase = (): Case => {
  const body = '{"domain":"shop.example"}';
  const request = { method: "POST", authority: "registry.example", target: "/api/registry/report", body };
  const signer = { domain: "shop.example", privateKey: site.privateKey };
  const fields = trustHeaders(
    { ...request, body: Buffer.from(body) },
    signer,
    Date.parse(NOW),
    new Uint8Array(16).fill(3),
  );
  const headers = {
    "X-BRIDGE-Trust-Domain": fields["x-bridge-trust-domain"],
    "X-BRIDGE-Trust-Nonce": fields["x-bridge-trust-nonce"],
    "X-BRIDGE-Signature": fields["x-bridge-signature"],
  };
  const txt = [formatTxtRecord({ publicKey: site.publicKey, endpoint: "https://shop.example" })];
  return { kind: "trust_header", txt, now: NOW, request, headers };
};

const statement: Statement = {
  type: "bridge-notary/claimed-price/2",
  observed_by: "caller",
  cert_id: "0193a5f0-7d1c-7cc3-8a51-0d6f2b3c4d5e",
  notary: ORIGIN,
  issued_at: NOW,
  subject: { host: "shop.example", path: "/tea", product: "Grüner Tee, 100 g", seller: null },
  currency: "EUR",
  minor_digits: 2,
  price_minor: 790,
  observed_at: NOW,
  observer: { country: "AT", device: "desktop", signed_in: false },
  evidence_sha256: null,
  comparison: null,
  attests: "A claim of the caller: that this statement was submitted.",
};

/** A log of `size` entries of which the certificate's is number 5. */
const logOf = async () => {
  const signature = signStatement(statement, registry.privateKey);
  const leaf = canonicalize({
    v: 1,
    kind: "certificate",
    id: statement.cert_id,
    at: NOW,
    statement_sha256: statementSha256(statement),
    signature,
    observed_by: observedBy(statement),
  });
  const entries = Array.from({ length: 11 }, (_, i) =>
    i === 5 ? leaf : canonicalize({ v: 1, kind: "example", n: i }),
  );
  const edge = new TreeEdge();
  for (const entry of entries) edge.append(leafHash(Buffer.from(entry)));
  const nodes = nodesOfTiles(edge, async () => undefined);
  const checkpoint = async (size: number) => {
    const root = await rangeHash({ start: 0, end: size }, nodes);
    return signNote(formatCheckpoint({ origin: ORIGIN, size, root }), ORIGIN, registry);
  };
  return { signature, leaf, entries, nodes, checkpoint, size: entries.length };
};

/** All examples, one of each kind. */
export const makeExamples = async (): Promise<Case[]> => {
  const { signature, leaf, entries, nodes, checkpoint, size } = await logOf();
  const log_key = formatNoteKey(noteKeyOf(ORIGIN, registry.publicKey));
  const newest = await checkpoint(size);
  const inclusionProof = async (index: number) =>
    (await proofOf(inclusionRanges(index, size), nodes)).map(base64);
  const certificate: Certificate = {
    cert_id: statement.cert_id,
    statement,
    statement_sha256: statementSha256(statement),
    signature,
    kid: registry.kid,
    leaf,
    leaf_index: 5,
    inclusion_proof: await inclusionProof(5),
    checkpoint: newest,
  };
  return [
    manifestCase(),
    headerCase(),
    {
      kind: "inclusion",
      log_key,
      entry: entries[2],
      leaf_index: 2,
      proof: await inclusionProof(2),
      checkpoint: newest,
    },
    {
      kind: "consistency",
      log_key,
      old: await checkpoint(6),
      new: newest,
      proof: (await proofOf(consistencyRanges(6, size), nodes)).map(base64),
    },
    { kind: "certificate", log_key, certificate },
  ];
};

export const examplesText = async (): Promise<string> =>
  `${JSON.stringify(await makeExamples(), undefined, 2)}\n`;

if (import.meta.main) writeFileSync(EXAMPLES_FILE, await examplesText());
