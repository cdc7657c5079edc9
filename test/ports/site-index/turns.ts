/** The rotation where more sites match than are ranked. */
import { describe, expect, it } from "vitest";
import { ROTATION_BUCKETS } from "../../../src/domain/trust/rotation.ts";
import type { CandidateQuery } from "../../../src/ports/index.ts";
import { asked, indexOf, type Open } from "./support.ts";

export function turns(open: Open): void {
  describe("turns", () => {
    const step = ROTATION_BUCKETS / 8;
    const index = indexOf(
      open,
      Array.from({ length: 8 }, (_, i) => ({
        domain: `turn${i}.example`,
        name: "Ride",
        text: i < 2 ? "carousel carousel" : "carousel",
        category: "fair",
        rotationBucket: i * step,
        lat: 47,
        lon: 11,
      })),
    );
    const broad = (more: Partial<CandidateQuery> = {}) =>
      index().candidates(asked("carousel", { limit: 4, epoch: 0, ...more }));
    const names = (found: { siteId: string }[] = []) => found.map(({ siteId }) => siteId).sort();

    it("share the places of a broad search: half are the best's, half theirs whose hour it is", async () => {
      const seen: string[] = [];
      for (const filter of [{}, { category: "fair" }])
        for (let epoch = 0; epoch < 4; epoch++) {
          const { candidates, rotated, total } = await broad({ epoch, filter });
          expect(names(candidates)).toEqual(["turn0.example", "turn1.example"]);
          expect(names(rotated)).toEqual([`turn${2 * epoch}.example`, `turn${2 * epoch + 1}.example`]);
          expect(rotated?.[0]).toMatchObject({ ring: 3, lengths: { text: epoch === 0 ? 2 : 1 } });
          expect(total).toBe(8);
          seen.push(...names(rotated));
        }
      expect(new Set(seen).size).toBe(8);
    });

    it("decide over nothing where all have places, where nearness narrows, or where no hour is given", async () => {
      const near = { latitude: 47, longitude: 11, radiusKm: 10 };
      for (const more of [{ limit: 8 }, { filter: { near } }]) {
        const { candidates, rotated } = await broad(more);
        expect(rotated).toBeUndefined();
        expect(candidates).toHaveLength(more.limit ?? 4);
      }
      const timeless = await index().candidates(asked("carousel", { limit: 4 }));
      expect([timeless.rotated, timeless.candidates.length]).toEqual([undefined, 4]);
    });

    it("come beside a site that was asked for by name", async () => {
      const { candidates, rotated } = await broad({ exactDomain: "turn7.example" });
      expect(candidates[0]?.siteId).toBe("turn7.example");
      expect([candidates.length, rotated?.length]).toEqual([2, 2]);
    });
  });
}
