/** Checkpoints of a log, each held to the one that was seen before it: two views of one log are noticed. */
import { TwoViewsError, VerificationError } from "../errors.ts";
import { type LogState, openCheckpoint, verifyConsistency } from "./log.ts";
import { readPolicy, verifyCheckpoint, type WitnessedState } from "./witnesses.ts";

/** Where you keep the newest checkpoint of each log, as text: a Map will do, and what lasts is better. */
export interface CheckpointStore {
  get(origin: string): string | undefined | Promise<string | undefined>;
  set(origin: string, note: string): unknown;
}

export interface FollowOptions {
  store: CheckpointStore;
  /** That the checkpoint extends the stored one, in base64: evidence has it as `log.consistency_proof` where `log_size` was asked. */
  proof?: readonly string[];
  /** As of `verifyCheckpoint`. */
  now?: () => number;
}

/**
 * `verifyCheckpoint`, and that the log kept all of what it showed before. The store then has the larger of both.
 * @throws TwoViewsError, which names both, of the step `freshness` where the tree is smaller, and `log` where it is another one
 * or no proof says that it is the same; VerificationError as `verifyCheckpoint`
 */
export async function followCheckpoint(
  note: string,
  policy: string,
  { store, proof = [], now }: FollowOptions,
): Promise<WitnessedState> {
  const state = await verifyCheckpoint(note, policy, now);
  const { origin } = state;
  const earlier = await store.get(origin);
  if (earlier === undefined) {
    await store.set(origin, note);
    return state;
  }
  const seen = await openCheckpoint(earlier, (await readPolicy(policy)).logs.get(origin)!);
  const differ = (step: "freshness" | "log", why: string): TwoViewsError =>
    new TwoViewsError(step, `${why}: ${named(seen)} before, and now ${named(state)}`, earlier, note);
  if (state.size < seen.size) throw differ("freshness", "the log shows less than it did");
  await verifyConsistency(seen, state, proof).catch((error: unknown) => {
    throw error instanceof VerificationError ? differ("log", error.message.replace(/^log: /, "")) : error;
  });
  if (state.size > seen.size) await store.set(origin, note);
  return state;
}

const named = ({ size, root }: LogState): string => `${size} entries with the root ${root}`;
