/**
 * The registry as a client of witnesses: it has each new checkpoint of the log cosigned by those of its policy, so that readers
 * need not trust the log alone. The log never waits for them: a witness that is slow, away or wrong is missing under a
 * checkpoint, and nothing else. However many processes there are, one of them asks at a time, and all show the same.
 */
import type { Logger } from "pino";
import { every } from "../../src/concurrency/every.ts";
import { COSIGNATURE, formatNoteKey } from "../../src/domain/trust/tlog/note.ts";
import type { Witness, WitnessPolicy } from "../../src/domain/trust/tlog/witness-policy.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { SignedHead, TransparencyLog } from "../../src/ports/log.ts";
import { HOUR_MS, iso } from "../../src/ports/time.ts";
import type { Records } from "../../src/stores/records.ts";
import { SAID, type WitnessesSaid, type WitnessWord } from "../../src/stores/witnesses.ts";
import { type Asked, askWitness, type WitnessPorts } from "./ask-witness.ts";

/** Also the longest that a checkpoint waits for its first cosignatures, beside the witnesses' own time. */
export const ASK_EVERY_MS = 30_000;
const MAX_PAUSE_MS = HOUR_MS;
/** What was read a moment ago serves every reader. */
const READ_EVERY_MS = 1_000;

/** The cosignatures under the log's checkpoints. */
export interface Cosignatures {
  /** The checkpoint with the cosignatures that it has by now. */
  under(head: SignedHead): Promise<string>;
  /** The newest checkpoint that the policy's quorum cosigned; undefined: none did. */
  reached(): Promise<{ size: number; note: string } | undefined>;
}

export interface WitnessDeps extends WitnessPorts {
  policy: WitnessPolicy;
  said: Records<WitnessesSaid>;
  transparency: TransparencyLog;
  clock: Clock;
  log: Pick<Logger, "warn">;
}

/** Without a policy no checkpoint has cosignatures. */
export const NO_COSIGNATURES: Cosignatures = {
  under: async ({ note }) => note,
  reached: async () => undefined,
};

export function readCosignatures({
  policy,
  said,
  clock,
}: Pick<WitnessDeps, "policy" | "said" | "clock">): Cosignatures {
  let reading: Promise<WitnessesSaid | undefined> | undefined;
  let readAtMs = 0;
  const read = (): Promise<WitnessesSaid | undefined> => {
    if (reading && clock.monotonicMs() - readAtMs < READ_EVERY_MS) return reading;
    readAtMs = clock.monotonicMs();
    // What cannot be read now is missing now: the checkpoint stands without it.
    reading = said.get(SAID).then(
      (stored) => stored?.value,
      () => undefined,
    );
    return reading;
  };
  return {
    under: async ({ size, note }) => note + linesFor(size, (await read())?.words ?? []),
    reached: async () => {
      const reached = (await read())?.reached;
      // The policy may have been a weaker one.
      return reached && policy.isReachedBy(namesOf(policy, reached.keys)) ? reached : undefined;
    },
  };
}

const namesOf = ({ witnesses }: WitnessPolicy, keys: readonly string[]): ReadonlySet<string> =>
  new Set(witnesses.filter((witness) => keys.includes(keyOf(witness))).map(({ name }) => name));

const linesFor = (size: number, words: readonly WitnessWord[]): string =>
  words.flatMap((word) => (word.size === size && word.line !== null ? [`${word.line}\n`] : [])).join("");

/** Asks at once and every 30 seconds, where there is something to ask. */
export function startWitnessing(deps: WitnessDeps): { drain(): Promise<void> } {
  const stopping = new AbortController();
  let running = Promise.resolve();
  let isRunning = false;
  const ask = (): void => {
    if (isRunning) return;
    isRunning = true;
    running = askWitnesses(deps, stopping.signal)
      .catch((error: unknown) =>
        deps.log.warn({ err: error }, "witnesses were not asked; retrying at the next interval"),
      )
      .finally(() => {
        isRunning = false;
      });
  };
  ask();
  const stop = every(deps.clock, ASK_EVERY_MS, ask);
  return {
    drain: async () => {
      stop();
      stopping.abort();
      await running;
    },
  };
}

/** Asks those that have not cosigned the newest checkpoint and are due, unless another process asked a moment ago. */
export async function askWitnesses(deps: WitnessDeps, signal: AbortSignal): Promise<void> {
  const { policy, said, transparency, now } = deps;
  const head = await transparency.head();
  if (head.size === 0) return;
  const stored = await said.get(SAID);
  const before = { ...(stored?.value ?? NOTHING_SAID), words: wordsOf(policy, stored?.value) };
  const due = before.words.filter((word) => word.ask_at <= now() && word.size !== head.size);
  if (due.length === 0 || now() - before.asked_at < ASK_EVERY_MS) return;
  // Whoever writes this asks: a process that ends before it has an answer is not followed by another at once.
  const mine = { ...before, asked_at: now() };
  if ((await said.compareAndSet(SAID, mine, stored?.revision ?? 0)) === undefined) return;
  // Each answer is kept when it comes: none waits for the slowest.
  await Promise.all(
    due.map(async (word) => {
      const witness = policy.witnesses.find(({ name }) => name === word.name)!;
      const asked = await askWitness(
        deps,
        { ...witness, address: witness.address! },
        head,
        word.size,
        signal,
      );
      if (!asked.ok && signal.aborted) return;
      tell(deps, word, asked);
      await said.update(SAID, (current) => ({
        next: withAnswer(policy, current, { head, name: word.name, asked }, now()),
        result: true,
      }));
    }),
  );
}

/** The size that each witness cosigned last, for status and metrics, and how many do not cosign now. */
export async function countsOf({ policy, said }: WitnessDeps): Promise<Record<string, number>> {
  const words = wordsOf(policy, (await said.get(SAID))?.value);
  const sizes = words.map(({ name, size }) => [`cosigned_size ${name}`, size] as const);
  const failing = words.filter(({ fault }) => fault !== null).length;
  return { ...Object.fromEntries(sizes), witnesses_failing: failing };
}

const NOTHING_SAID: WitnessesSaid = { v: 1, asked_at: 0, words: [], reached: null };

/** One word for each witness of the policy: what was said before by the same key, or none. */
const wordsOf = ({ witnesses }: WitnessPolicy, said: WitnessesSaid | undefined): WitnessWord[] =>
  witnesses.map((witness) => {
    const key = keyOf(witness);
    const known = said?.words.find((word) => word.key === key);
    const none = { size: 0, line: null, at: null, fault: null, failures: 0, ask_at: 0 };
    return { ...none, ...known, name: witness.name, key };
  });

const keyOf = ({ key }: Witness): string => formatNoteKey(key, COSIGNATURE);

function withAnswer(
  policy: WitnessPolicy,
  said: WitnessesSaid | undefined,
  { head, name, asked }: { head: SignedHead; name: string; asked: Asked },
  now: number,
): WitnessesSaid {
  const words = wordsOf(policy, said).map((word) =>
    word.name === name ? next(word, head, asked, now) : word,
  );
  const keys = words.filter(({ size }) => size === head.size).map(({ key }) => key);
  const known = said?.reached ?? null;
  const isReached = policy.isReachedBy(namesOf(policy, keys)) && head.size >= (known?.size ?? 0);
  const note = head.note + linesFor(head.size, words);
  return {
    ...(said ?? NOTHING_SAID),
    words,
    reached: isReached ? { size: head.size, note, keys } : known,
  };
}

function next(word: WitnessWord, head: SignedHead, asked: Asked, now: number): WitnessWord {
  if (asked.ok) {
    // An answer that another overtook.
    if (word.size > head.size) return word;
    const at = iso(asked.atSeconds * 1_000);
    return { ...word, size: head.size, line: asked.line, at, fault: null, failures: 0, ask_at: 0 };
  }
  const failures = word.failures + 1;
  const pauseMs = Math.min(ASK_EVERY_MS * 2 ** Math.min(failures, 10), MAX_PAUSE_MS);
  return { ...word, fault: asked.fault, failures, ask_at: now + pauseMs };
}

/** Says in the log of the process what changed. */
function tell({ log }: WitnessDeps, { name, fault }: WitnessWord, asked: Asked): void {
  if (!asked.ok && asked.fault !== fault)
    log.warn({ witness: name, fault: asked.fault }, "a witness does not cosign the log's checkpoint");
}
