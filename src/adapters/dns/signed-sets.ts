/** The answer's records by owner and type, with their signatures, as DNS sends them: for proofs that others check. */
import type { SignedSet } from "../../ports/dns.ts";
import { DamagedMessage, type MessageReader, readName, type Wire } from "./message.ts";
import { TYPE } from "./query.ts";

/** Types that a proof is made of. */
const KEPT: ReadonlySet<number> = new Set([TYPE.TXT, TYPE.CNAME, TYPE.DS, TYPE.DNSKEY, TYPE.RRSIG]);
/** Sets of one answer, and records of one set: what is longer is no proof that anybody should check. */
const MAX_SETS = 16;
const MAX_RECORDS = 32;
const MAX_TTL = 0x7fffffff;
const CLASS_IN = 1;

/** The sets of the answer section in their order; undefined where the message is damaged or has more than a proof needs. */
export function readSignedSets({ data, questionName, questionEnd }: Wire): SignedSet[] | undefined {
  const reader: MessageReader = { data, questionName, offset: questionEnd };
  const sets = new Map<string, SignedSet>();
  const setOf = (owner: string, type: number, ttlSeconds: number): SignedSet => {
    const key = `${type} ${owner}`;
    const known = sets.get(key);
    if (known) return known;
    const made = { owner, type, ttlSeconds, data: [], signatures: [] };
    sets.set(key, made);
    return made;
  };
  try {
    for (let left = data.readUInt16BE(6); left > 0; left--) {
      const owner = readName(reader);
      const at = reader.offset;
      const type = data.readUInt16BE(at);
      const ttl = data.readUInt32BE(at + 4);
      const start = at + 10;
      const end = start + data.readUInt16BE(at + 8);
      if (end > data.length) return undefined;
      reader.offset = start;
      if (data.readUInt16BE(at + 2) === CLASS_IN && KEPT.has(type)) {
        const ttlSeconds = ttl > MAX_TTL ? 0 : ttl;
        if (type === TYPE.RRSIG)
          setOf(owner, data.readUInt16BE(start), ttlSeconds).signatures.push(data.subarray(start, end));
        else setOf(owner, type, ttlSeconds).data.push(dataOf(reader, type, end));
      }
      reader.offset = end;
    }
  } catch (error) {
    if (error instanceof DamagedMessage || error instanceof RangeError) return undefined;
    throw error;
  }
  // A signature over what is not here is of no use.
  const found = [...sets.values()].filter((set) => set.data.length > 0);
  const isShort = found.every(
    (set) => set.data.length <= MAX_RECORDS && set.signatures.length <= MAX_RECORDS,
  );
  return isShort && found.length <= MAX_SETS ? found : undefined;
}

/** Data of a record; names that may be compressed are written in full. */
function dataOf(reader: MessageReader, type: number, end: number): Buffer {
  const { data, offset } = reader;
  if (type === TYPE.CNAME) return wireName(readName(reader));
  return data.subarray(offset, end);
}

/** A normalized name in wire form, uncompressed. */
function wireName(name: string): Buffer {
  if (name === "") return Buffer.from([0]);
  const labels = name.split(".").map((label) => {
    const bytes = Buffer.from(
      label.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number(code))),
      "latin1",
    );
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  return Buffer.concat([...labels, Buffer.from([0])]);
}

/** A set as one text, as the cache keeps answers. */
export const textOfSet = ({ data, signatures, ...set }: SignedSet): string =>
  JSON.stringify({ ...set, data: data.map(base64), signatures: signatures.map(base64) });

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

export function setOfText(text: string): SignedSet {
  const { data, signatures, ...set } = JSON.parse(text);
  const bytes = (each: string) => new Uint8Array(Buffer.from(each, "base64"));
  return { ...set, data: data.map(bytes), signatures: signatures.map(bytes) };
}
