/** The asking half of the wire format (RFC 1035 section 4, RFC 6891), and the check that an answer is to our question. */
import { randomFillSync } from "node:crypto";

/** Unpredictable bytes, drawn from the system's generator a block at a time. */
const block = Buffer.alloc(8192);
let used = block.length;

export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  CAA: 257,
  DS: 43,
  RRSIG: 46,
  DNSKEY: 48,
  SVCB: 64,
} as const;
export type QueryType = "A" | "AAAA" | "NS" | "TXT" | "CAA" | "CNAME" | "DS" | "DNSKEY" | "SVCB";

export const DNS_HEADER_BYTES = 12;
/** What fits every path unfragmented: DNS flag day 2020, RFC 9715. */
const UDP_PAYLOAD_BYTES = 1232;
const RECURSION_DESIRED = 0x0100;
/** In a query: "tell me by AD whether this is validated" (RFC 6840 section 5.7). */
const AUTHENTIC_DATA = 0x0020;
const CHECKING_DISABLED = 0x0010;
/** In the OPT record's flags: "send the signatures too" (RFC 3225). */
const DNSSEC_OK = 0x8000;
const CLASS_IN = 1;

export interface QueryOptions {
  checkingDisabled?: boolean;
  /** Asks for the signatures over the answer too. */
  dnssecOk?: boolean;
  /** Default true; false only after a server could not read the OPT record. */
  edns?: boolean;
}

export interface Query {
  /** Normalized; "" is the root. */
  name: string;
  /** A whole message; its id (the first two bytes) is set by the transport that knows which are free. */
  bytes: Buffer;
  /** The question is bytes[12 … questionEnd). */
  questionEnd: number;
}

type QuestionMatch = "same" | "case_differs" | "other";

/** 0 … 65535. */
export const randomUint16 = (): number => (randomByte() << 8) | randomByte();

/** 0 … 255. */
export function randomByte(): number {
  if (used >= block.length) {
    randomFillSync(block);
    used = 0;
  }
  return block[used++] as number;
}

/**
 * A query for a normalized name. Each letter's case is drawn at random (draft-vixie-dnsext-dns0x20), since a forger must
 * then guess it as well as port and id.
 */
export function encodeQuery(name: string, type: QueryType, options: QueryOptions = {}): Query {
  const edns = options.edns ?? true;
  const questionEnd = DNS_HEADER_BYTES + (name === "" ? 1 : name.length + 2) + 4;
  const bytes = Buffer.alloc(questionEnd + (edns ? 11 : 0));
  bytes.writeUInt16BE(
    RECURSION_DESIRED | AUTHENTIC_DATA | (options.checkingDisabled ? CHECKING_DISABLED : 0),
    2,
  );
  bytes[5] = 1;
  writeName(bytes, name);
  bytes.writeUInt16BE(TYPE[type], questionEnd - 4);
  bytes.writeUInt16BE(CLASS_IN, questionEnd - 2);
  if (edns) {
    bytes[11] = 1;
    // The root's empty name, then OPT with the payload size in the place of the class; no options.
    bytes.writeUInt16BE(TYPE.OPT, questionEnd + 1);
    bytes.writeUInt16BE(UDP_PAYLOAD_BYTES, questionEnd + 3);
    if (options.dnssecOk) bytes.writeUInt16BE(DNSSEC_OK, questionEnd + 7);
  }
  return { name, bytes, questionEnd };
}

function writeName(bytes: Buffer, name: string): void {
  let lengthAt = DNS_HEADER_BYTES;
  let bits = 0;
  for (let i = 0; i < name.length; i++) {
    if ((i & 7) === 0) bits = randomByte();
    const code = name.charCodeAt(i);
    const at = DNS_HEADER_BYTES + 1 + i;
    if (code === 0x2e) {
      bytes[lengthAt] = at - lengthAt - 1;
      lengthAt = at;
    } else {
      const isLetter = code >= 0x61 && code <= 0x7a;
      bytes[at] = isLetter ? code ^ ((bits & 1) << 5) : code;
      bits >>= 1;
    }
  }
  bytes[lengthAt] = DNS_HEADER_BYTES + name.length - lengthAt;
}

/**
 * Whether a message is an answer to this query: a response with one question, byte for byte ours. The id and the
 * sender are the transport's to check.
 */
export function matchQuestion(query: Query, data: Buffer): QuestionMatch {
  const { bytes, questionEnd } = query;
  if (data.length < questionEnd) return "other";
  const isResponseToQuery = (data[2]! & 0xf8) === 0x80;
  const questions = (data[4]! << 8) | data[5]!;
  if (!isResponseToQuery || questions !== 1) return "other";
  if (data.compare(bytes, DNS_HEADER_BYTES, questionEnd, DNS_HEADER_BYTES, questionEnd) === 0) return "same";
  const lower = (buffer: Buffer) => buffer.toString("latin1", DNS_HEADER_BYTES, questionEnd).toLowerCase();
  return lower(data) === lower(bytes) ? "case_differs" : "other";
}
