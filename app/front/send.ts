/** Sends what an operation answered: with its entity tag, its type, and how old it is. */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "../../src/domain/protocols/header-fields.ts";
import type { OperationSpec } from "../../src/rpc/contract.ts";
import type { ReplyBytes } from "../../src/transport/client.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/**
 * Node writes a text in one piece with its header fields, and bytes in a piece of their own: for short replies that costs
 * more than all else that is done for them.
 */
const MOST_SHORT_BYTES = 8 * 1024;

/** Sends a successful reply. GETs have an entity tag, and return 304 if the client has it cached (RFC 9110 section 13). */
export const sendBytes = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: OperationSpec,
  { bytes, tag: known }: ReplyBytes,
) => {
  if (operation.method === "GET" && operation.status !== 201) {
    const tag = `"${known ?? hash("sha1", bytes, "base64url")}"`;
    reply.header("etag", tag).header("cache-control", "no-cache");
    const theirs = request.headers["if-none-match"];
    if (theirs !== undefined && matchesEntityTag(theirs, tag)) return reply.code(304).send();
  }
  const { contentType = "application/json" } = operation;
  const type = contentType === "application/octet-stream" ? contentType : `${contentType}; charset=utf-8`;
  const isShort = bytes.length <= MOST_SHORT_BYTES && contentType !== "application/octet-stream";
  return reply
    .code(operation.status ?? 200)
    .type(type)
    .send(isShort ? decoder.decode(bytes) : bytes);
};

/** Header fields of an earlier reply in place of a new one: its age, and that it is stale (RFC 9111 section 5.1, RFC 9211). */
export const staleHeaders = (staleSeconds: number) => ({
  age: staleSeconds,
  "cache-status": `bridge; hit; ttl=-${staleSeconds}; detail=stale-if-error`,
});

/** Aborts when the client goes away before it was answered. */
export const goneSignal = (reply: FastifyReply): AbortSignal => {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
};
