/** What the witnesses of the transparency log said last: one record, for every process. */
import { z } from "zod";
import type { Bucket } from "../ports/buckets.ts";
import { openRecords, type Records } from "./records.ts";

/** Why a witness did not cosign. The last two are no failures of reach: the witness saw another history of this log. */
export const WITNESS_FAULTS = {
  unreachable: "it cannot be reached, or not in time",
  refused_log: "it does not know this log (404)",
  refused_key: "it does not trust this log's key (403)",
  wrong_answer: "its answer is not what the protocol says",
  wrong_signature: "it answered without a cosignature of its key for this checkpoint",
  ahead: "it saw a larger tree of this log than there is: the store lost entries, or the witness lies",
  fork: "it saw another tree of this log: two histories were signed, or the witness lies",
} as const satisfies Record<string, string>;
export type WitnessFault = keyof typeof WITNESS_FAULTS;

/** What one witness said. */
const Word = z.looseObject({
  /** Its name in the policy, and its key in note format. */
  name: z.string(),
  key: z.string(),
  /** Leaves of the tree that it cosigned last; its signature line; when (RFC 3339). 0 and null: none yet. */
  size: z.int().min(0),
  line: z.string().nullable(),
  at: z.string().nullable(),
  /** Of its last answer. null: it cosigned. */
  fault: z.enum(Object.keys(WITNESS_FAULTS) as [WitnessFault, ...WitnessFault[]]).nullable(),
  /** In a row. */
  failures: z.int().min(0),
  /** Not asked before this, in milliseconds of the broker. */
  ask_at: z.number(),
});
export type WitnessWord = z.infer<typeof Word>;

/** What is shown of it: beside the log's size, how far each witness vouches for it. */
export const shownWitnesses = (said: WitnessesSaid | undefined): ShownWitness[] =>
  (said?.words ?? []).map(({ name, size, at, fault }) => ({ name, size, at, fault }));
export type ShownWitness = Pick<WitnessWord, "name" | "size" | "at" | "fault">;

const Said = z.looseObject({
  v: z.literal(1),
  /** When a process last began to ask, in milliseconds of the broker. */
  asked_at: z.number(),
  words: z.array(Word),
  /** The newest checkpoint that the policy's quorum cosigned, with the cosignatures, and the keys that they are of. */
  reached: z.object({ size: z.int().min(0), note: z.string(), keys: z.array(z.string()) }).nullable(),
});
export type WitnessesSaid = z.infer<typeof Said>;

/** The key of the one record. */
export const SAID = "witnesses";

/** @param bucket `log` */
export const openWitnessesSaid = (bucket: Bucket): Records<WitnessesSaid> => openRecords(bucket, Said);
