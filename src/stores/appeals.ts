/** Appeals of sites' owners: one record a site, with what was decided lately. */
import { type Appeal, type AppealSummary, AppealsRecord, type StoredAppeal } from "../../schemas/appeal.ts";
import type { VerdictPart } from "../domain/listing/verdict-part.ts";
import { hostKey } from "../domain/names/domain-name.ts";
import type { Bucket } from "../ports/buckets.ts";
import { DAY_MS } from "../ports/time.ts";
import { openRecords, type Records } from "./records.ts";

/** Kept of one site. Those that are decided make room, the oldest first. */
const MOST_KEPT = 12;
/** How long a verdict says what became of an appeal. */
const SHOWN_MS = 90 * DAY_MS;

export type Appeals = Records<AppealsRecord>;

/** @param bucket `appeals` */
export const openAppeals = (bucket: Bucket): Appeals => openRecords(bucket, AppealsRecord);

/** @param host canonical */
export const appealsOf = async (appeals: Pick<Appeals, "get">, host: string): Promise<StoredAppeal[]> =>
  (await appeals.get(hostKey(host)))?.value.appeals ?? [];

/** With one more; undefined where as many as are kept wait already. Pure. */
export function withAppeal(known: readonly StoredAppeal[], appeal: StoredAppeal): StoredAppeal[] | undefined {
  const all = [...known, appeal];
  if (all.length <= MOST_KEPT) return all;
  const oldest = known.findIndex(({ state }) => state !== "open");
  return oldest < 0 ? undefined : all.toSpliced(oldest, 1);
}

/** As its owner and operators see it. Pure. */
export function shownAppeal(domain: string, appeal: StoredAppeal): Appeal {
  const { appealId, kind, decision, about, since, why, reason, at, state, answer } = appeal;
  return {
    appeal_id: appealId,
    domain,
    kind,
    decision,
    about,
    since,
    why,
    reason,
    at,
    state,
    answer: answer ? { why: answer.why, at: answer.at } : null,
  };
}

/** What the verdict of a site says: of an open appeal first, else of the last one that was decided. Pure. */
export function summaryOfAppeals(appeals: readonly StoredAppeal[], nowMs: number): AppealSummary | null {
  const shown =
    appeals.findLast(({ state }) => state === "open") ??
    appeals
      .filter(({ answer }) => answer && Date.parse(answer.at) > nowMs - SHOWN_MS)
      .toSorted((a, b) => (a.answer!.at < b.answer!.at ? -1 : 1))
      .at(-1);
  if (!shown) return null;
  const { kind, state, at, answer } = shown;
  return { kind, state, at, decided_at: answer?.at ?? null, why: answer?.why ?? null };
}

/** A verdict says what became of the owner's appeal. */
export const appealsPart: VerdictPart<readonly StoredAppeal[]> = {
  open: (buckets) => {
    const appeals = openAppeals(buckets.appeals);
    return (host) => appealsOf(appeals, host);
  },
  members: (appeals, _, now) => (appeals ? { appeal: summaryOfAppeals(appeals, now) } : {}),
};
