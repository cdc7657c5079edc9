/** Sends the bytes of a successful reply. */
import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "../../src/domain/protocols/header-fields.ts";
import type { OperationSpec } from "../../src/rpc/contract.ts";
import type { ReplyBytes } from "../../src/transport/reply-cache.ts";

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
  return reply
    .code(operation.status ?? 200)
    .type(type)
    .send(bytes);
};
