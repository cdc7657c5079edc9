/** HTTP/1.1 byte by byte: what clients that keep no rules send, and exactly what comes back. */
import { connect } from "node:net";

export interface RawReply {
  status: number;
  /** Lower-case names; the last of repeated fields. */
  headers: Record<string, string>;
  body: string;
}

const DEADLINE_MS = 8_000;

function bodyEnd(
  headers: Record<string, string>,
  status: number,
  rest: Buffer,
  bodiless: boolean,
): number | undefined {
  if (bodiless || status === 204 || status === 304 || status < 200) return 0;
  if (headers["transfer-encoding"] === "chunked") {
    const end = rest.indexOf("0\r\n\r\n");
    return end < 0 ? undefined : end + 5;
  }
  const length = Number(headers["content-length"] ?? 0);
  return rest.length < length ? undefined : length;
}

/** Every whole reply in `bytes`, in order. @param bodiless replies to HEAD have a length and no body */
export function parseReplies(bytes: Buffer, bodiless = false): RawReply[] {
  const replies: RawReply[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf("\r\n\r\n", at);
    if (end < 0) return replies;
    const [line = "", ...fields] = bytes.toString("latin1", at, end).split("\r\n");
    const headers = Object.fromEntries(
      fields.map((field) => {
        const colon = field.indexOf(":");
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(line)?.[1]);
    const rest = bytes.subarray(end + 4);
    const length = bodyEnd(headers, status, rest, bodiless);
    if (length === undefined) return replies;
    if (status >= 200) replies.push({ status, headers, body: rest.toString("utf8", 0, length) });
    at = end + 4 + length;
  }
}

export interface RawOptions {
  /** Replies to wait for. Default 1. */
  replies?: number;
  bodiless?: boolean;
  /** Waits until the server has closed the connection too. */
  untilClosed?: boolean;
}

/**
 * Sends bytes as they are and waits for the replies. Writing goes on although the server may have stopped reading.
 * @throws when they did not come within 8 s: nothing here may hang
 */
export const sendRaw = (
  url: string,
  bytes: string | Uint8Array,
  { replies: wanted = 1, bodiless = false, untilClosed = false }: RawOptions = {},
): Promise<RawReply[]> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    const finish = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(parseReplies(received, bodiless));
    };
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no whole reply within ${DEADLINE_MS} ms; received ${received.toString("latin1")}`));
    }, DEADLINE_MS);
    socket.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (!untilClosed && parseReplies(received, bodiless).length >= wanted) finish();
    });
    // A server that refuses half-way cuts the connection: what it said before counts.
    socket.on("error", () => undefined);
    socket.on("close", finish);
    socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  });

/** One request with the header fields given, beside Host when there is none among them. */
export async function request(
  url: string,
  line: string,
  headers: readonly string[] = [],
  body: string | Uint8Array = "",
): Promise<RawReply> {
  const host = headers.some((field) => /^host:/i.test(field)) ? [] : [`Host: ${new URL(url).host}`];
  const payload = typeof body === "string" ? Buffer.from(body) : body;
  const length =
    payload.length > 0 && !headers.some((field) => /^(content-length|transfer-encoding):/i.test(field))
      ? [`Content-Length: ${payload.length}`]
      : [];
  const head = [`${line} HTTP/1.1`, ...host, ...headers, ...length, "", ""].join("\r\n");
  const bodiless = line.startsWith("HEAD ");
  const [reply] = await sendRaw(url, Buffer.concat([Buffer.from(head, "latin1"), payload]), { bodiless });
  if (!reply) throw new Error(`${line}: the connection closed without a reply`);
  return reply;
}
