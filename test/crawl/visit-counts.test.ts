/** What the status says of a day's visits, over counters in memory. */
import { expect, it } from "vitest";
import { countProbes, countVisit, visitsToday } from "../../src/crawl/visit-counts.ts";
import { periodOf } from "../../src/ports/counters.ts";

const HOUR_MS = 3_600_000;
const MIDNIGHT = Date.UTC(2026, 10, 27);

it("visits of a day are counted by hour and by what they found; those of another day are not among them", async () => {
  const totals = new Map<string, number>();
  let now = MIDNIGHT - HOUR_MS;
  const counters = {
    add: async (_: string, key: string, amount = 1) => {
      const place = `${key} ${periodOf("day", now)}`;
      totals.set(place, (totals.get(place) ?? 0) + amount);
      return totals.get(place)!;
    },
    list: async (_: string, __: string | readonly string[], asked?: string) =>
      [...totals]
        .map(([place, total]) => {
          const [key, period] = place.split(" ") as [string, string];
          return { key, period, total };
        })
        .filter(({ period }) => period === asked),
  };
  const visit = (reason: Parameters<typeof countVisit>[1]) => countVisit(counters, reason, now);
  await visit("verified");
  now = MIDNIGHT + 9 * HOUR_MS;
  await visit("verified");
  await visit("no_txt");
  await visit("no_txt");
  now += HOUR_MS;
  await visit("not_claimed");
  await countProbes(counters, 3, now);
  await countProbes(counters, 0, now);
  expect(await visitsToday(counters, now)).toEqual({
    by_hour: [
      { hour: 9, listed: 1, found: 0, not_listed: 2, endpoints: 0 },
      { hour: 10, listed: 0, found: 1, not_listed: 0, endpoints: 3 },
    ],
    by_reason: [
      { reason: "no_txt", visits: 2 },
      { reason: "verified", visits: 1 },
      { reason: "not_claimed", visits: 1 },
    ],
  });
});
