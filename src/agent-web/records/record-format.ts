/** What a kind of DNS record of the agent-ready web is to the rest: a row of the table beside this file. */
import type { ServiceBinding } from "../../ports/dns.ts";
import type { Reading } from "../formats/format.ts";

interface Row<Type extends string, Data> {
  /** Stable: `format` of a descriptor. */
  name: string;
  /** Owner of the records below the domain; empty: the domain itself. */
  label: string;
  type: Type;
  /**
   * Pure, and linear in the records, whose order says nothing: they come sorted.
   * @param of the domain, canonical, and broker milliseconds
   * @returns undefined: none of the records is of this kind
   */
  read(records: readonly Data[], of: RecordContext): Reading | undefined;
}

export interface RecordContext {
  domain: string;
  now: number;
}

export type RecordFormat = Row<"TXT", string> | Row<"SVCB", ServiceBinding>;

/** Records of one answer that are looked at. */
export const MAX_RECORDS = 16;
/** What the bounds of a document leave to say of a record. */
export const MAX_RECORD_CHARS = 4_096;
