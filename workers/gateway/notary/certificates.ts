/** Certificates as they are issued, kept and proved: signed statements in the transparency log. */
import type { Certificate, CertificateRecord, Statement } from "../../../schemas/certificate.ts";
import type { LogEntry } from "../../../schemas/ring4.ts";
import { signStatement, statementSha256 } from "../../../src/domain/trust/certificate.ts";
import { canonicalize } from "../../../src/domain/trust/jcs.ts";
import { verifyConsistency } from "../../../src/domain/trust/tlog/merkle.ts";
import { openNote, parseCheckpoint, parseNoteKey } from "../../../src/domain/trust/tlog/note.ts";
import type { SignedHead, TransparencyLog } from "../../../src/ports/log.ts";
import { iso } from "../../../src/ports/time.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import type { Identity } from "../../../src/stores/identity.ts";
import type { Records } from "../../../src/stores/records.ts";

export interface CertificateDeps {
  certificates: Records<CertificateRecord>;
  transparency: TransparencyLog;
  identity: Identity;
}

/** Logs and keeps a signed statement. */
export async function issue(deps: CertificateDeps, statement: Statement): Promise<Certificate> {
  const { transparency, identity } = deps;
  const signature = signStatement(statement, identity.privateKey);
  const digest = statementSha256(statement);
  const entry: LogEntry = {
    v: 1,
    kind: "certificate",
    id: statement.cert_id,
    at: statement.issued_at,
    statement_sha256: digest,
    signature,
    observed_by: statement.observed_by,
  };
  const leaf = canonicalize(entry);
  const { leafIndex, head } = await transparency.append(
    { kind: "certificate" },
    statement.cert_id,
    Buffer.from(leaf),
  );
  const record: CertificateRecord = {
    v: 1,
    statement,
    signature,
    leaf,
    leaf_index: leafIndex,
    checkpoint: head.note,
  };
  await deps.certificates.compareAndSet(statement.cert_id, record, 0);
  return certificateOf(deps, record, head);
}

/** A record as a certificate, with the proof that the log of `head` includes it. */
export async function certificateOf(
  deps: CertificateDeps,
  record: CertificateRecord,
  head: SignedHead,
): Promise<Certificate> {
  const { statement, signature, leaf, leaf_index } = record;
  const proof = await deps.transparency.inclusionProof(leaf_index, head.size);
  return {
    cert_id: statement.cert_id,
    statement,
    statement_sha256: statementSha256(statement),
    signature,
    kid: deps.identity.kid,
    leaf,
    leaf_index,
    inclusion_proof: proof.map((hash) => Buffer.from(hash).toString("base64")),
    checkpoint: head.note,
  };
}

/** Members that every statement begins with. */
export const headOf = (origin: string, now: number) => ({
  cert_id: uuidv7(),
  notary: origin,
  issued_at: iso(now),
});

/** Whether today's tree begins with the one that a certificate was issued under. */
export async function isConsistent(
  { transparency }: CertificateDeps,
  record: CertificateRecord,
  head: SignedHead,
): Promise<boolean> {
  const key = parseNoteKey(transparency.key)!;
  const note = openNote(record.checkpoint, key);
  const issued = note.ok ? parseCheckpoint(note.text) : undefined;
  if (!issued || issued.size > head.size) return false;
  const proof = await transparency.consistencyProof(issued.size, head.size);
  return verifyConsistency(issued.size, head.size, proof, issued.root, head.root);
}
