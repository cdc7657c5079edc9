/**
 * What a person was asked, as the client carries it between the question and the answer: signed, for ten minutes, and for
 * that very call. A client can neither write one itself nor move it to another call, nor have it done twice: its id is the
 * call's Idempotency-Key, which all fronts know (docs/decisions/0068).
 */
import { createHash, randomUUID } from "node:crypto";
import { createRequestStateCodec, type RequestStateCodec } from "@modelcontextprotocol/server";
import canonicalize from "canonicalize";
import { keyed } from "../../../src/domain/keyed.ts";

export interface AgreementState {
  /** Of this question alone. */
  id: string;
  /** Of the call: its tool and arguments, the session's handle among them. */
  call: string;
  /** What is agreed to. */
  agreement: string;
}
export type Agreements = RequestStateCodec<AgreementState>;

const TTL_SECONDS = 600;

export const newAgreement = (call: string, agreement: string): AgreementState => ({
  id: randomUUID(),
  call,
  agreement,
});

/** The digest of a call, whatever the order of its arguments. */
export const digestOfCall = (tool: string, args: unknown): string =>
  createHash("sha256")
    .update(canonicalize([tool, args ?? {}])!)
    .digest("base64url");

/** @param secret shared by all fronts of a registry, any of which may get the answer */
export const openAgreements = (secret: string): Agreements =>
  createRequestStateCodec<AgreementState>({
    key: keyed(secret, "mcp agreement"),
    ttlSeconds: TTL_SECONDS,
  });
