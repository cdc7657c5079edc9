/**
 * The questions to DNS of a look: one of each kind of record, all at once. Asked of registrable domains alone, since owners publish
 * there, and a domain of many hosts is not to cost as many questions.
 */
import { createHash } from "node:crypto";
import { registrableDomain } from "../../domain/names/domain-name.ts";
import type { DnsAnswer, DnssecState, Resolver, ServiceBindings } from "../../ports/dns.ts";
import type { Reading } from "../formats/format.ts";
import type { SeenService } from "../reading.ts";
import type { RecordFormat } from "./record-format.ts";
import { RECORD_FORMATS } from "./table.ts";

/** What has not answered until then is asked at another look. */
const MAX_ASKING_MS = 10_000;

export type RecordResolver = Pick<Resolver, "txt"> & ServiceBindings;

/** No kind of record lists tools. */
type RecordReading = Omit<Reading, "services"> & { services: SeenService[] };

export type AskedRecords = { format: string; url: string } & (
  | { outcome: "read"; read: RecordReading; sha256: string; dnssec: DnssecState }
  | { outcome: "absent" }
  /** Nothing is learned, of the domain or of the resolver. */
  | { outcome: "failed"; isBogus: boolean }
);

/**
 * @param isAbsent whether the records of an owner are known not to be there
 * @returns nothing for a host that is no registrable domain; never rejects
 */
export async function askRecords(
  resolver: RecordResolver,
  host: string,
  isAbsent: (owner: string) => boolean,
  now: () => number,
): Promise<AskedRecords[]> {
  if (registrableDomain(host) !== host) return [];
  const signal = AbortSignal.timeout(MAX_ASKING_MS);
  const asked = RECORD_FORMATS.map((row) => ({
    row,
    owner: row.label === "" ? host : `${row.label}.${host}`,
  }));
  return Promise.all(
    asked
      .filter(({ owner }) => !isAbsent(owner))
      .map(async ({ row, owner }): Promise<AskedRecords> => {
        const context = { domain: host, now: now() };
        const said =
          row.type === "TXT"
            ? readBy(await resolver.txt(owner, signal), (records) => row.read(records, context))
            : readBy(await resolver.serviceBindings(owner, signal), (records) => row.read(records, context));
        return { format: row.name, url: addressOf(owner, row.type), ...said };
      }),
  );
}

/** RFC 4501. */
const addressOf = (owner: string, type: RecordFormat["type"]): string => `dns:${owner}?type=${type}`;

/** Whether the address of a descriptor is that of records. */
export const isOfRecords = (url: string): boolean => url.startsWith("dns:");

/** The order of an answer says nothing: records are read, and their digest is taken, in the order of their texts. */
function readBy<Data>(answer: DnsAnswer<Data>, read: (records: Data[]) => Reading | undefined) {
  if (answer.outcome === "failed") return { outcome: "failed", isBogus: answer.reason === "bogus" } as const;
  const records = answer.outcome === "found" ? answer.records : [];
  const sorted = records
    .map((record) => ({ record, text: JSON.stringify(record) }))
    .sort((one, other) => (one.text < other.text ? -1 : 1));
  const reading = read(sorted.map(({ record }) => record));
  if (!reading) return { outcome: "absent" } as const;
  const sha256 = createHash("sha256")
    .update(sorted.map(({ text }) => text).join("\n"))
    .digest("hex");
  const services = reading.services.map((each) => ({ ...each, tools: [] }));
  return { outcome: "read", read: { ...reading, services }, sha256, dnssec: answer.dnssec } as const;
}
