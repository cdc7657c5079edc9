/** What features add to the verdict on a site, one row each; those whose findings come first are first. */
import type { SiteRecord } from "../../schemas/site.ts";
import type { Fix, VerdictFinding, VerdictMembers } from "../../schemas/verdict.ts";
import type { VerdictPart } from "../domain/listing/verdict-part.ts";
import type { Broker } from "../ports/broker.ts";
import { appealsPart } from "../stores/appeals.ts";
import { reportsPart } from "../stores/reports.ts";
import { declaredPart } from "./declared.ts";
import { registrationPart } from "./registration.ts";

const PARTS = {
  reports: reportsPart,
  declared: declaredPart,
  registration: registrationPart,
  appeals: appealsPart,
} as const;

/** What features keep of one host, each by the name of its row. */
export type FeatureRecords = {
  [Name in keyof typeof PARTS]?: (typeof PARTS)[Name] extends VerdictPart<infer Own> ? Own : never;
};

const ROWS = Object.entries(PARTS) as [keyof FeatureRecords, VerdictPart<unknown>][];

/** @returns reads what every feature keeps of a host */
export function openFeatureRecords(
  buckets: Broker["buckets"],
): (host: string, now: number) => Promise<FeatureRecords> {
  const readers = ROWS.flatMap(([name, { open }]) => (open ? [[name, open(buckets)] as const] : []));
  return async (host, now) => {
    const read = readers.map(async ([name, reader]) => [name, await reader(host, now)] as const);
    return Object.fromEntries(await Promise.all(read)) as FeatureRecords;
  };
}

/** What features know against a site. Pure. */
export const findingsOfFeatures = (record: SiteRecord, kept: FeatureRecords): VerdictFinding[] =>
  ROWS.flatMap(([name, part]) => part.findings?.(kept[name], record) ?? []);

/** What the owner of a site can do about what features know. Pure. */
export const fixesOfFeatures = (record: SiteRecord, kept: FeatureRecords): Fix[] =>
  ROWS.flatMap(([name, part]) => part.fixes?.(kept[name], record) ?? []);

/** What features say in the verdict on a site. Pure. @param now milliseconds */
export const membersOfFeatures = (
  record: SiteRecord,
  kept: FeatureRecords,
  now: number,
): Partial<VerdictMembers> =>
  Object.assign({}, ...ROWS.map(([name, part]) => part.members?.(kept[name], record, now)));
