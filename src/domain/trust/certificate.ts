/** Signs and checks notary certificates as docs/trust.md specifies, without network access. */
import { createHash, type KeyObject } from "node:crypto";
import type { Certificate, CertificateCheck, Statement } from "../../../schemas/certificate.ts";
import type { EvidenceSource } from "../../../schemas/evidence.ts";
import { CertificateEntry } from "../../../schemas/ring4.ts";
import { decodeBase64, decodeBase64Url, encodeBase64Url } from "../protocols/base64url.ts";
import { parseStrictJson } from "../protocols/strict-json.ts";
import { sign, verifyStrict } from "./ed25519.ts";
import { canonicalize } from "./jcs.ts";
import { leafHash, verifyInclusion } from "./tlog/merkle.ts";
import { type NoteKey, openNote, parseCheckpoint } from "./tlog/note.ts";

/** Domain separation: no other signature of the same key can pass for a certificate's. */
const CONTEXT = "bridge-notary/1\n";

export const signStatement = (statement: Statement, privateKey: string | KeyObject): string =>
  encodeBase64Url(sign(privateKey, bytesOf(statement)));

const bytesOf = (statement: Statement): Uint8Array => Buffer.from(CONTEXT + canonicalize(statement), "utf8");

/** The evidence for what a statement certifies, as the statement says. */
export function evidenceOfStatement(statement: Statement): EvidenceSource {
  const isFetched = statement.observed_by === "registry";
  const at =
    "observed_at" in statement
      ? statement.observed_at
      : (statement.paid_at ?? statement.agreed_at ?? statement.issued_at);
  const url = "observed_url" in statement ? statement.observed_url : null;
  return { kind: isFetched ? "fetched" : "reported", at, url };
}

/**
 * The result of each check of a certificate, in the order of CERTIFICATE_CHECKS.
 * @param key the log's key as the reader holds it; it signs both statements and checkpoints
 */
export function checkCertificate(certificate: Certificate, key: NoteKey): Record<CertificateCheck, boolean> {
  const { statement, statement_sha256, cert_id, leaf } = certificate;
  const signature = decodeBase64Url(certificate.signature);
  const entry = readLeaf(leaf);
  const note = openNote(certificate.checkpoint, key);
  return {
    statement:
      statementSha256(statement) === statement_sha256 &&
      statement.cert_id === cert_id &&
      statement.notary === key.name,
    signature: signature !== undefined && verifyStrict(key.publicKey, bytesOf(statement), signature),
    leaf:
      entry?.id === cert_id &&
      entry.statement_sha256 === statement_sha256 &&
      entry.signature === certificate.signature &&
      entry.observed_by === statement.observed_by &&
      canonicalize(entry) === leaf,
    checkpoint: note.ok && parseCheckpoint(note.text)?.origin === key.name,
    inclusion: note.ok && inclusionHolds(certificate, note.text),
  };
}

function readLeaf(text: string) {
  const json = parseStrictJson(text);
  const entry = json.ok ? CertificateEntry.safeParse(json.value) : undefined;
  return entry?.success ? entry.data : undefined;
}

export const statementSha256 = (statement: Statement): string =>
  createHash("sha256").update(canonicalize(statement)).digest("hex");

function inclusionHolds(certificate: Certificate, checkpointText: string): boolean {
  const checkpoint = parseCheckpoint(checkpointText);
  const proof = certificate.inclusion_proof.map(decodeBase64).filter((hash) => hash !== undefined);
  if (!checkpoint || proof.length < certificate.inclusion_proof.length) return false;
  const leaf = leafHash(Buffer.from(certificate.leaf, "utf8"));
  return verifyInclusion(certificate.leaf_index, checkpoint.size, leaf, proof, checkpoint.root);
}
