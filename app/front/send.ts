/** Sends what an operation answered: with its entity tag, its type, and how old it is. */
import { hash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "../../src/domain/protocols/header-fields.ts";
import type { OperationSpec } from "../../src/rpc/contract.ts";
import type { ReplyBytes } from "../../src/transport/client.ts";
import { prefersCsv } from "./negotiation.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/**
 * Node writes a text in one piece with its header fields, and bytes in a piece of their own: for short replies that costs
 * more than all else that is done for them.
 */
const MOST_SHORT_BYTES = 8 * 1024;
/** By the bytes of the reply, as long as those are kept. */
const tables = new WeakMap<Uint8Array, string>();

/** Sends a successful reply, or 304 if the client has it. */
export function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: OperationSpec,
  answer: ReplyBytes,
) {
  const { bytes } = answer;
  const { "content-type": type, ...fields } = fieldsOf(operation, answer);
  reply.headers(fields);
  if (isCached(request, fields.etag)) return reply.code(304).send();
  const isShort = bytes.length <= MOST_SHORT_BYTES && operation.contentType !== "application/octet-stream";
  return reply
    .code(operation.status ?? 200)
    .type(type!)
    .send(isShort ? decoder.decode(bytes) : bytes);
}

/** Sends a reply: one that is also a table as CSV to who asks for it. */
export function sendReply(
  request: FastifyRequest,
  reply: FastifyReply,
  operation: OperationSpec,
  answer: ReplyBytes,
) {
  const { csv } = operation;
  if (!csv) return sendBytes(request, reply, operation, answer);
  const { format } = request.query as { format?: unknown };
  const isCsv = format === undefined ? prefersCsv(request.headers.accept) : format === "csv";
  reply.header("vary", "accept");
  if (!isCsv) return sendBytes(request, reply, operation, answer);
  return reply
    .header("cache-control", "no-cache")
    .header("content-disposition", `attachment; filename="${csv.name}.csv"`)
    .type("text/csv; charset=utf-8")
    .send(tableOf(csv, answer));
}

/** The table of a reply, made once of one that is kept: reading it again for everybody would take longer than making it. */
function tableOf({ text }: NonNullable<OperationSpec["csv"]>, { bytes }: ReplyBytes): string {
  const table = tables.get(bytes) ?? text(JSON.parse(decoder.decode(bytes)) as never);
  tables.set(bytes, table);
  return table;
}

/** Header fields of a successful reply. GETs have an entity tag. */
function fieldsOf(
  { method, status, contentType = "application/json" }: OperationSpec,
  { bytes, tag }: ReplyBytes,
): Record<string, string> {
  const type = contentType === "application/octet-stream" ? contentType : `${contentType}; charset=utf-8`;
  if (method !== "GET" || status === 201) return { "content-type": type };
  const etag = `"${tag ?? hash("sha1", bytes, "base64url")}"`;
  return { etag, "cache-control": "no-cache", "content-type": type };
}

/** Whether the client has the reply (RFC 9110 section 13). */
function isCached({ headers }: Pick<IncomingMessage, "headers">, etag: string | undefined): boolean {
  const theirs = headers["if-none-match"];
  return theirs !== undefined && etag !== undefined && matchesEntityTag(theirs, etag);
}

/** Answers as `sendBytes` does, past Fastify. @param fields name, value, name, value: those of every reply @returns bytes of its body */
export function writeBytes(
  request: IncomingMessage,
  response: ServerResponse,
  operation: OperationSpec,
  answer: ReplyBytes,
  fields: string[],
): number {
  const { "content-type": type, ...own } = fieldsOf(operation, answer);
  for (const [name, value] of Object.entries(own)) fields.push(name, value);
  if (isCached(request, own.etag)) {
    response.writeHead(304, fields).end();
    return 0;
  }
  fields.push("content-type", type!, "content-length", String(answer.bytes.length));
  response.writeHead(operation.status ?? 200, fields).end(decoder.decode(answer.bytes));
  return answer.bytes.length;
}

/** Header fields of an earlier reply in place of a new one: its age, and that it is stale (RFC 9111 section 5.1, RFC 9211). */
export const staleHeaders = (staleSeconds: number) => ({
  age: staleSeconds,
  "cache-status": `bridge; hit; ttl=-${staleSeconds}; detail=stale-if-error`,
});

/** Aborts when the client goes away before it was answered. */
export function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
}
