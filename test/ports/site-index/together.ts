/** Reads and writes at the same time. */
import { describe, expect, it } from "vitest";
import { put } from "../index-document.ts";
import { asked, type Open } from "./support.ts";

export function together(open: Open): void {
  describe("at the same time", () => {
    it("answers readers while it writes, every answer from one moment", async () => {
      const index = await open();
      await index.apply([put({ domain: "s0.example", text: "moment" })]);
      let writing = true;
      const write = async () => {
        // Each batch adds ten: a reader that sees part of one would see another number.
        for (let batch = 1; batch <= 20; batch++)
          await index.apply(
            Array.from({ length: 10 }, (_, i) => put({ domain: `s${batch}-${i}.example`, text: "moment" })),
          );
        writing = false;
      };
      const read = async () => {
        while (writing) {
          const set = await index.candidates(asked("moment", { limit: 500 }));
          expect(set.total % 10).toBe(1);
          expect(set.candidates).toHaveLength(set.total);
          expect(set.documentFrequencies).toEqual([set.documents]);
        }
      };
      await Promise.all([write(), read(), read(), read()]);
      expect((await index.stats()).documents).toBe(201);
      await index.close();
    });

    it("finishes what waits when it is closed, and refuses afterwards", async () => {
      const index = await open();
      const written = index.apply([put({ domain: "last.example" })]);
      const [, again] = await Promise.all([index.close(), index.close(), written]);
      expect(again).toBeUndefined();
      await expect(index.get("last.example")).rejects.toThrow("closed");
    });
  });
}
