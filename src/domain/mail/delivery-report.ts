/**
 * Delivery status notifications (RFC 3464): what a mail server says later about a mail that it took. Pure. Whoever writes to the
 * return path decides what is in them: each line is looked at once, and a part is never opened, so that depth and number of parts cost
 * nothing but their lines.
 */
import { MAX_REPORT_CHARS } from "../../../schemas/bounce.ts";

/** Of one field with its continuation lines; the rest of a longer one is left out. */
const MAX_FIELD_CHARS = 2_000;

export interface DeliveryReport {
  /** Of each receiver. `action`: in lower case; `status`: such as 5.1.1, "" where there is none. */
  receivers: { action: string; status: string }[];
}

type Fields = ReadonlyMap<string, string>;

/** Lines of a text, whatever ends them. */
function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf("\n", at);
    const end = found < 0 ? text.length : found;
    yield text.slice(at, text[end - 1] === "\r" ? end - 1 : end);
    at = end + 1;
  }
}

/**
 * Reads fields up to an empty line, the first of a name counts.
 * @param isEnd a line that ends them too
 * @returns the line that ended them; undefined at the end of the text
 */
const readFields = (
  lines: Iterator<string>,
  isEnd: (line: string) => boolean,
): { fields: Fields; last: string | undefined } => {
  const fields = new Map<string, string>();
  let name = "";
  for (let next = lines.next(); !next.done; next = lines.next()) {
    const line = next.value;
    if (line === "" || isEnd(line)) return { fields, last: line };
    if (line[0] === " " || line[0] === "\t") {
      const known = fields.get(name);
      if (known !== undefined && known.length + line.length <= MAX_FIELD_CHARS)
        fields.set(name, known + line);
      continue;
    }
    const colon = line.indexOf(":");
    const found = colon < 0 ? "" : line.slice(0, colon).trim().toLowerCase();
    // Of a second one the continuation lines are nobody's.
    name = fields.has(found) ? "" : found;
    if (name !== "") fields.set(name, line.slice(colon + 1, colon + 1 + MAX_FIELD_CHARS));
  }
  return { fields, last: undefined };
};

/** A part's media type in lower case, without parameters. */
const mediaTypeOf = (fields: Fields): string =>
  (fields.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();

/** RFC 2045 section 5.1; a boundary has at most 70 characters (RFC 2046 section 5.1.1). */
const boundaryOf = (fields: Fields): string | undefined => {
  const value = fields.get("content-type") ?? "";
  const at = value.toLowerCase().indexOf("boundary=");
  if (at < 0) return undefined;
  const rest = value.slice(at + "boundary=".length).trimStart();
  const found = rest[0] === '"' ? rest.slice(1).split('"', 1)[0]! : rest.split(/[;\s]/, 1)[0]!;
  return found === "" || found.length > 70 ? undefined : found;
};

/** The first word of a field, without a comment behind it. */
const wordOf = (fields: Fields, name: string): string =>
  (fields.get(name) ?? "")
    .trim()
    .split(/[\s(;]/, 1)[0]!
    .toLowerCase();

/** Groups of fields of a `message/delivery-status`, each after an empty line: the first is about the message. */
const readReceivers = (
  lines: Iterator<string>,
  isBoundary: (line: string) => boolean,
): DeliveryReport["receivers"] => {
  const receivers: DeliveryReport["receivers"] = [];
  for (;;) {
    const { fields, last } = readFields(lines, isBoundary);
    if (fields.has("action") || fields.has("status"))
      receivers.push({ action: wordOf(fields, "action"), status: wordOf(fields, "status") });
    if (last === undefined || isBoundary(last)) return receivers;
  }
};

const STATUS_TYPES = ["message/delivery-status", "message/global-delivery-status"];

const headOf = (message: string): { head: Fields; lines: Iterator<string> } => {
  const lines = linesOf(message.slice(0, MAX_REPORT_CHARS));
  return { head: readFields(lines, () => false).fields, lines };
};

/** @returns undefined for what is no report: an automatic reply, a letter, nonsense */
export const readDeliveryReport = (message: string): DeliveryReport | undefined => {
  const { head, lines } = headOf(message);
  const boundary = boundaryOf(head);
  if (mediaTypeOf(head) !== "multipart/report" || boundary === undefined) return undefined;
  const delimiter = `--${boundary}`;
  const isBoundary = (line: string): boolean =>
    line.startsWith(delimiter) && ["", "--"].includes(line.slice(delimiter.length).trimEnd());
  for (let next = lines.next(); !next.done; next = lines.next()) {
    let line: string | undefined = next.value;
    // A part without a body is ended by the boundary of the next one.
    while (line !== undefined && isBoundary(line)) {
      const part = readFields(lines, isBoundary);
      if (part.last === "" && STATUS_TYPES.includes(mediaTypeOf(part.fields)))
        return { receivers: readReceivers(lines, isBoundary) };
      line = part.last;
    }
  }
  return undefined;
};

/** Fields by which mail servers say whom a message was for. */
const RECEIVER_FIELDS = ["delivered-to", "x-original-to", "envelope-to", "to"];

/** Whom a message was for, as its header says, in the order in which that is to be believed. */
export const receiversOf = (message: string): string[] => {
  const { head } = headOf(message);
  return RECEIVER_FIELDS.flatMap((name) => head.get(name)?.trim() ?? []);
};

/**
 * Whether no mail will ever arrive: everybody that it went to refuses for good (RFC 3463: class 5). A delay is none, nor is a server
 * that gave up after some days (class 4).
 */
export const isPermanentFailure = ({ receivers }: DeliveryReport): boolean =>
  receivers.length > 0 &&
  receivers.every(({ action, status }) => action === "failed" && status.startsWith("5."));
