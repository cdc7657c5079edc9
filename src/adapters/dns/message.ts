/**
 * The reading half of the wire format. A message is read whole or not at all: a count, length or pointer that does not
 * hold makes all of it damaged, since a shortened TXT record must never pass for the record. (The dns-packet codec reads
 * a TXT record cut at the message's end as a shorter one, and takes 200 ms for 48 KB of pointers to pointers; it serves
 * as the second opinion in the tests.)
 */
import ipaddr from "ipaddr.js";
import type { ServiceBinding } from "../../ports/dns.ts";
import { DNS_HEADER_BYTES, TYPE } from "./query.ts";

export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;

interface AnswerRecord {
  /** Normalized. */
  owner: string;
  /** One of TYPE: A, AAAA, NS, CNAME, TXT, CAA, SVCB, DS, DNSKEY or RRSIG; others are not kept. */
  type: number;
  ttlSeconds: number;
  /** An address, a normalized name, or the TXT strings joined with nothing between, as UTF-8. SVCB: a ServiceBinding in JSON. DS, DNSKEY and RRSIG: empty (signed-sets.ts). */
  data: string;
}

export interface DnsMessage {
  /** The whole twelve bits, with those of the OPT record. */
  rcode: number;
  truncated: boolean;
  authentic: boolean;
  answers: AnswerRecord[];
  /** The authority section's SOA; its TTL is the least of the record's and its MINIMUM field (RFC 2308 section 5). */
  soa: { owner: string; ttlSeconds: number } | undefined;
  /** The authority section names servers: with nothing else this is a referral. */
  hasDelegation: boolean;
  /** INFO-CODEs of RFC 8914. */
  extendedErrors: number[];
  /** The message itself, for those who need more of it. */
  wire: Wire;
}

/** A message's bytes, and where its answers begin. */
export interface Wire {
  data: Buffer;
  questionName: string;
  questionEnd: number;
}

/** Where reading stands, and what is known already. */
export interface MessageReader {
  data: Buffer;
  offset: number;
  /** What a pointer to the question, by far the commonest, stands for. */
  questionName: string;
}

export class DamagedMessage extends Error {}

const ANSWER = 0;
const AUTHORITY = 1;
const ADDITIONAL = 2;

const MAX_POINTERS = 127;
/** Bytes that would be ambiguous or unreadable in the text form; written \DDD (RFC 1035 section 5.1). */
const ODD_BYTES = /[^!-~]|[.\\]/g;

/**
 * Reads a message whose question was matched already and ends at `questionEnd`. Undefined where it is damaged.
 * Time is linear in the message: names are at most 255 bytes and 127 pointers.
 */
export function decodeMessage(
  data: Buffer,
  questionName: string,
  questionEnd: number,
): DnsMessage | undefined {
  try {
    return readMessage({ data, offset: questionEnd, questionName });
  } catch (error) {
    if (error instanceof DamagedMessage || error instanceof RangeError) return undefined;
    throw error;
  }
}

function readMessage(reader: MessageReader): DnsMessage {
  const { data, questionName, offset: questionEnd } = reader;
  const flags = data.readUInt16BE(2);
  const message: DnsMessage = {
    rcode: flags & 0xf,
    truncated: (flags & 0x0200) !== 0,
    authentic: (flags & 0x0020) !== 0,
    answers: [],
    soa: undefined,
    hasDelegation: false,
    extendedErrors: [],
    wire: { data, questionName, questionEnd },
  };
  // A truncated message is asked for again over TCP, and may end anywhere.
  if (message.truncated) return message;
  const counts = [data.readUInt16BE(6), data.readUInt16BE(8), data.readUInt16BE(10)] as const;
  for (const [section, count] of counts.entries()) {
    for (let i = 0; i < count; i++) readRecord(reader, section, message);
  }
  return message;
}

function readRecord(reader: MessageReader, section: number, message: DnsMessage): void {
  const { data } = reader;
  const owner = readName(reader);
  const at = reader.offset;
  const type = data.readUInt16BE(at);
  const inInternet = data.readUInt16BE(at + 2) === 1;
  const ttl = data.readUInt32BE(at + 4);
  const start = at + 10;
  const end = start + data.readUInt16BE(at + 8);
  if (end > data.length) throw new DamagedMessage("record data beyond the end");
  reader.offset = start;
  if (section === ADDITIONAL) {
    if (type === TYPE.OPT) readOpt(data, ttl, start, end, message);
  } else if (inInternet) {
    // RFC 2181 section 8: a TTL with the top bit set is zero.
    const ttlSeconds = ttl > 0x7fffffff ? 0 : ttl;
    if (section === ANSWER) {
      const text = readData(reader, type, end);
      if (text !== undefined) message.answers.push({ owner, type, ttlSeconds, data: text });
    } else if (section === AUTHORITY && type === TYPE.SOA) {
      message.soa = { owner, ttlSeconds: Math.min(ttlSeconds, readSoaMinimum(reader, end)) };
    } else if (type === TYPE.NS) {
      message.hasDelegation = true;
    }
  }
  reader.offset = end;
}

/** Reads the name at the offset and leaves the offset behind it. The root is "". */
export function readName(reader: MessageReader): string {
  const { data } = reader;
  if (data[reader.offset] === 0xc0 && data[reader.offset + 1] === DNS_HEADER_BYTES) {
    reader.offset += 2;
    return reader.questionName;
  }
  let at = reader.offset;
  let after = -1;
  let wireLength = 1;
  let pointers = 0;
  let text = "";
  for (;;) {
    const length = data[at];
    if (length === undefined) throw new DamagedMessage("a name beyond the end");
    if (length === 0) {
      reader.offset = after === -1 ? at + 1 : after;
      return text;
    }
    if (length >= 0xc0) {
      const target = data.readUInt16BE(at) & 0x3fff;
      if (after === -1) after = at + 2;
      // Only backwards, and never into the header: so a loop cannot be written.
      if (target >= at || target < DNS_HEADER_BYTES || ++pointers > MAX_POINTERS)
        throw new DamagedMessage("bad pointer");
      at = target;
      continue;
    }
    if (length > 63) throw new DamagedMessage("a label type that does not exist");
    wireLength += length + 1;
    if (at + 1 + length > data.length || wireLength > 255) throw new DamagedMessage("a name too long");
    const label = data
      .toString("latin1", at + 1, at + 1 + length)
      .replace(ODD_BYTES, escapeByte)
      .toLowerCase();
    text = text === "" ? label : `${text}.${label}`;
    at += length + 1;
  }
}

const escapeByte = (byte: string): string => `\\${String(byte.charCodeAt(0)).padStart(3, "0")}`;

/** RFC 6891 section 6.1.3: the OPT record's TTL field carries the upper bits of the rcode. */
function readOpt(data: Buffer, ttl: number, start: number, end: number, message: DnsMessage): void {
  message.rcode |= (ttl >>> 24) << 4;
  for (let at = start; at < end; ) {
    const code = data.readUInt16BE(at);
    const length = data.readUInt16BE(at + 2);
    if (at + 4 + length > end) throw new DamagedMessage("an option beyond its record");
    if (code === 15 && length >= 2) message.extendedErrors.push(data.readUInt16BE(at + 4));
    at += 4 + length;
  }
}

/** The data of the kept types as text; undefined for any other. */
function readData(reader: MessageReader, type: number, end: number): string | undefined {
  const { data, offset: start } = reader;
  switch (type) {
    case TYPE.A:
      if (end - start !== 4) throw new DamagedMessage("an IPv4 address is 4 bytes");
      return `${data[start]}.${data[start + 1]}.${data[start + 2]}.${data[start + 3]}`;
    case TYPE.AAAA:
      if (end - start !== 16) throw new DamagedMessage("an IPv6 address is 16 bytes");
      return ipaddr.fromByteArray([...data.subarray(start, end)]).toString();
    case TYPE.TXT:
      return readStrings(data, start, end);
    case TYPE.CAA:
      return readCaa(data, start, end);
    case TYPE.SVCB:
      return JSON.stringify(readServiceBinding(reader, end));
    case TYPE.CNAME:
    case TYPE.NS: {
      const target = readName(reader);
      if (reader.offset !== end) throw new DamagedMessage("a name that does not fill its record");
      return target;
    }
    case TYPE.DS:
    case TYPE.DNSKEY:
    case TYPE.RRSIG:
      return "";
    default:
      return undefined;
  }
}

/** Character strings, each behind its length. Bytes are joined before they are text: a character may be split. */
function readStrings(data: Buffer, start: number, end: number): string {
  const first = data[start];
  // RFC 1035 section 3.3.14 wants one or more, though each may be empty.
  if (start === end || first === undefined) throw new DamagedMessage("TXT without a string");
  if (start + 1 + first === end) return data.toString("utf8", start + 1, end);
  const parts: Buffer[] = [];
  for (let at = start; at < end; ) {
    const next = at + 1 + data[at]!;
    if (next > end) throw new DamagedMessage("a string beyond its record");
    parts.push(data.subarray(at + 1, next));
    at = next;
  }
  return Buffer.concat(parts).toString("utf8");
}

/** RFC 8659 section 4.1: flags, the tag behind its length, the value to the record's end. */
function readCaa(data: Buffer, start: number, end: number): string {
  const tagLength = data[start + 1];
  if (end - start < 3 || !tagLength || start + 2 + tagLength > end)
    throw new DamagedMessage("CAA without a tag");
  const tag = data.toString("latin1", start + 2, start + 2 + tagLength).toLowerCase();
  if (!/^[a-z0-9]+$/.test(tag)) throw new DamagedMessage("a CAA tag of other than letters and digits");
  const value = data.toString("latin1", start + 2 + tagLength, end).replace(/[^ -~]|["\\]/g, escapeByte);
  return `${data[start]} ${tag} "${value}"`;
}

/** RFC 9460 section 2.2: keys ascend, each once; all else is malformed. */
function readServiceBinding(reader: MessageReader, end: number): ServiceBinding {
  const { data, offset: start } = reader;
  if (end - start < 3) throw new DamagedMessage("SVCB without a target");
  reader.offset = start + 2;
  const target = readName(reader);
  const parameters: ServiceBinding["parameters"] = [];
  let last = -1;
  let at = reader.offset;
  while (at < end) {
    const key = data.readUInt16BE(at);
    const next = at + 4 + data.readUInt16BE(at + 2);
    if (key <= last || next > end) throw new DamagedMessage("a parameter out of its place");
    parameters.push([key, data.toString("latin1", at + 4, next)]);
    last = key;
    at = next;
  }
  if (at !== end) throw new DamagedMessage("a target that does not fit its record");
  return { priority: data.readUInt16BE(start), target, parameters };
}

function readSoaMinimum(reader: MessageReader, end: number): number {
  readName(reader);
  readName(reader);
  if (reader.offset + 20 !== end) throw new DamagedMessage("SOA of a wrong length");
  return reader.data.readUInt32BE(end - 4);
}
