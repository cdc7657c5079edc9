/** Documents that are the same for everybody: encoded, hashed and compressed once, and served by reference from then on. */
import { hash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { matchesEntityTag } from "../../src/domain/protocols/header-fields.ts";
import { DOCUMENT_UNIT_BYTES } from "../../src/rpc/limit-rows/processes.ts";
import { originOfAddress, type Rate, tooManyRequests } from "./limits.ts";
import { sendProblem } from "./refusals.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** Requests of networks, which documents count more of. */
    requestRate: Rate;
  }
}

/** Compressed by every server that compresses: below, a header field more is worth more. */
const LEAST_COMPRESSED_BYTES = 2_048;

const compress = promisify(gzip);

/** One form of a document. */
interface Form {
  readonly bytes: Buffer;
  /** With quotes; each form has its own (RFC 9110 section 8.8.3.3). */
  readonly tag: string;
}

export interface SharedDocument {
  readonly type: string;
  readonly plain: Form;
  /** Once it is made, and where it is shorter. */
  gzip?: Form;
}

/** Made once, kept by whoever serves it. @param type media type, with its charset where the type defines one */
export function sharedDocument(type: string, content: string | Buffer): SharedDocument {
  // Bytes, since Fastify adds a charset to text, and RFC 9264 defines none.
  const bytes = Buffer.from(content as string);
  const name = hash("sha1", bytes, "base64url");
  const document: SharedDocument = { type, plain: { bytes, tag: `"${name}"` } };
  if (bytes.length < LEAST_COMPRESSED_BYTES) return document;
  // In a thread of Node's own; until then, and where it fails, there is the plain form.
  compress(bytes).then(
    (packed) => {
      document.gzip = { bytes: packed, tag: `"${name}.gz"` };
    },
    () => undefined,
  );
  return document;
}

/**
 * Sends the document, or that it did not change, or refuses to whoever has had too many bytes of them.
 * @param cacheControl value of the field
 */
export function sendShared(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, plain, gzip: packed }: SharedDocument,
  cacheControl: string,
): FastifyReply {
  const vary = reply.getHeader("vary");
  reply
    .header("cache-control", cacheControl)
    .header("vary", vary === undefined ? "accept-encoding" : `${vary}, accept-encoding`);
  const theirs = request.headers["if-none-match"];
  // Whichever form the client has.
  const known = [plain, packed].find((form) => form && theirs && matchesEntityTag(theirs, form.tag));
  if (known) return reply.header("etag", known.tag).code(304).send();
  const usesGzip = packed !== undefined && takesGzip(request.headers["accept-encoding"]);
  const { bytes, tag } = usesGzip ? packed : plain;
  const more = Math.floor(bytes.length / DOCUMENT_UNIT_BYTES);
  const waitSeconds = request.server.requestRate.take(originOfAddress(request.ip), more);
  if (waitSeconds > 0) return sendProblem(request, reply, tooManyRequests(waitSeconds));
  if (usesGzip) reply.header("content-encoding", "gzip");
  return reply.header("etag", tag).type(type).send(bytes);
}

/** Whether a client takes gzip (RFC 9110 section 12.5.3); one that says nothing, as programs do, gets the plain form. */
const takesGzip = (accepted: string | string[] | undefined): boolean =>
  [accepted ?? ""]
    .flat()
    .join(",")
    .slice(0, 256)
    .split(",")
    .some((each) => {
      const [name = "", weight = ""] = each.split(";");
      return name.trim().toLowerCase() === "gzip" && !/^ *q=0(?:\.0*)? *$/i.test(weight);
    });
