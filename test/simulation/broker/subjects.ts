/** Subjects of NATS and their wildcards: `*` is one token, `>` is all that follow. */

export function matches(filter: string, subject: string): boolean {
  if (filter === subject || filter === ">") return true;
  if (!filter.includes("*") && !filter.endsWith(">")) return false;
  const wanted = filter.split(".");
  const tokens = subject.split(".");
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i] === ">") return tokens.length > i;
    if (i >= tokens.length || (wanted[i] !== "*" && wanted[i] !== tokens[i])) return false;
  }
  return wanted.length === tokens.length;
}

/** Headers as NATS writes them (ADR-4). Names as they were sent; the last value of a name counts. */
export type Headers = ReadonlyMap<string, string>;

const VERSION = "NATS/1.0";

export function parseHeaders(bytes: Buffer): Headers {
  const lines = bytes.toString("latin1").split("\r\n").slice(1);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.set(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return headers;
}

/** @param status such as `404 Message Not Found` */
export function formatHeaders(headers: Headers, status = ""): Buffer {
  let text = `${VERSION}${status ? ` ${status}` : ""}\r\n`;
  for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
  return Buffer.from(`${text}\r\n`, "latin1");
}

export const NO_HEADERS: Headers = new Map();
