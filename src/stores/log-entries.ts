/** What leaves of the transparency log commit to, and which of its entries an operator erased or blocked. */
import { z } from "zod";
import type { Bucket } from "../ports/buckets.ts";
import type { Erasure } from "../ports/log.ts";
import { openRecords } from "./records.ts";

/** One commitment's preimage: base64 of the salt, and the entry's text. */
const Opening = z.looseObject({ v: z.literal(1), salt: z.string(), entry: z.string() });
export type LeafOpening = z.infer<typeof Opening>;

const Erasures = z.looseObject({
  v: z.literal(1),
  erasures: z.array(
    z.object({
      leaf_index: z.int().min(0),
      at: z.string(),
      form: z.enum(["erased", "blocked"]),
      why: z.string(),
    }),
  ),
});

/** So many entries can be erased or blocked: the list is one record, which readers keep for a second. */
export const MAX_ERASURES = 2_000;
const LIST = "log_erasures";
const READ_EVERY_MS = 1_000;

export interface LogEntries {
  opening(commitment: string): Promise<LeafOpening | undefined>;
  keep(commitment: string, opening: { salt: string; entry: string }): Promise<void>;
  forget(commitment: string): Promise<void>;
  /** By leaf. What was noted a second ago is in it; with `fresh`, what was noted by now. */
  erasures(fresh?: boolean): Promise<ReadonlyMap<number, Erasure>>;
  /** @returns false when the list is full */
  note(erasure: Erasure): Promise<boolean>;
}

/** @param monotonicMs of the process's clock */
export function openLogEntries(
  buckets: { log_entries: Bucket; service: Bucket },
  monotonicMs: () => number,
): LogEntries {
  const openings = openRecords(buckets.log_entries, Opening);
  const lists = openRecords(buckets.service, Erasures);
  let known: { atMs: number; byLeaf: Map<number, Erasure> } | undefined;
  return {
    opening: async (commitment) => (await openings.get(keyOf(commitment)))?.value,
    keep: async (commitment, opening) => {
      await openings.put(keyOf(commitment), { v: 1, ...opening });
    },
    forget: (commitment) => openings.remove(keyOf(commitment)),
    erasures: async (fresh = false) => {
      if (!fresh && known && monotonicMs() - known.atMs < READ_EVERY_MS) return known.byLeaf;
      const atMs = monotonicMs();
      const list = (await lists.get(LIST))?.value.erasures ?? [];
      known = { atMs, byLeaf: new Map(list.map((erasure) => [erasure.leaf_index, erasure])) };
      return known.byLeaf;
    },
    note: async (erasure) => {
      known = undefined;
      const isNoted = await lists.update(LIST, (before) => {
        const others = (before?.erasures ?? []).filter(({ leaf_index }) => leaf_index !== erasure.leaf_index);
        if (others.length >= MAX_ERASURES) return { result: false };
        return { next: { ...before, v: 1 as const, erasures: [...others, erasure] }, result: true };
      });
      return isNoted ?? false;
    },
  };
}

/** Keys of a bucket have no `+` and `/`. */
const keyOf = (commitment: string): string => Buffer.from(commitment, "base64").toString("base64url");
