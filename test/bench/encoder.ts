/** What the sentence encoder takes: processor time and time a text, and memory, in its own process. */
import { setTimeout as delay } from "node:timers/promises";
import { ensureEncoder } from "../../deploy/encoder.ts";
import { EncoderProcess } from "../../src/adapters/encoder/encoder-process.ts";
import { encoderText } from "../../src/domain/search/embeddings/site-meaning.ts";
import { readEveryday, readLanguages } from "../eval/search/questions.ts";
import type { BenchLine } from "./bench-line.ts";
import { cpuSeconds, ownResidentMb } from "./processes.ts";

const START_POLL_MS = 20;
const WAIT_MS = 60_000;
/** More pieces than are read. */
const LONG =
  "Fresh bread, rolls and cakes from our stone oven, delivered to your door every morning. ".repeat(8);
const ROUNDS = 3;

const round = (value: number): number => Math.round(value * 100) / 100;

/** Needs Linux, whose /proc says what a process took. */
export async function bench(): Promise<BenchLine[]> {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  const encoder = new EncoderProcess({ ...(await ensureEncoder(say)), onFailure: say });
  // The encoder's process keeps nobody running.
  const awake = setInterval(() => undefined, WAIT_MS);
  while (encoder.state !== "running") await delay(START_POLL_MS);
  const pid = encoder.pid!;
  const measure = async (what: string, texts: string[], foreign = false): Promise<BenchLine[]> => {
    const before = cpuSeconds(pid);
    const took: number[] = [];
    for (const text of texts) {
      const startedMs = performance.now();
      await encoder.encode(text, { for: "query", waitMs: WAIT_MS, foreign });
      took.push(performance.now() - startedMs);
    }
    const middle = took.toSorted((a, b) => a - b)[texts.length >> 1]!;
    const conditions = `${texts.length} texts, one after the other, one thread`;
    const line = { unit: "ms", baseline: null, ratio: null, conditions };
    return [
      {
        name: `encoder, processor time of ${what}`,
        value: round(((cpuSeconds(pid) - before) * 1_000) / texts.length),
        ...line,
      },
      { name: `encoder, median time of ${what}`, value: round(middle), ...line },
    ];
  };
  try {
    const questions = readEveryday().map(({ question }) => question);
    const sites = readEveryday().map(({ name, description = "" }) =>
      encoderText({ name, description, tags: [], text: "" }),
    );
    const rounds = Array.from({ length: ROUNDS }, (_, i) => `${i}`);
    const lines = [
      ...(await measure(
        "a question",
        rounds.flatMap((i) => questions.map((text) => `${text} ${i}`)),
      )),
      ...(await measure(
        "a short site",
        rounds.flatMap((i) => sites.map((text) => `${text} ${i}`)),
      )),
      ...(await measure(
        "a site of 128 pieces",
        Array.from({ length: 60 }, (_, i) => `${i} ${LONG}`),
      )),
    ];
    const memory = (after: string): BenchLine => ({
      name: `encoder, memory of its process after ${after}`,
      value: round(ownResidentMb(pid)),
      unit: "MB",
      baseline: null,
      ratio: null,
      conditions: "resident, after all of these",
    });
    lines.push(memory("English texts"));
    const asked = readLanguages().map(({ question }) => question);
    lines.push(
      ...(await measure(
        "a question in another language",
        rounds.flatMap((i) => asked.map((text) => `${text} ${i}`)),
        true,
      )),
      ...(await measure(
        "a foreign site of 128 pieces",
        Array.from({ length: 60 }, (_, i) => `${i} ${LONG}`),
        true,
      )),
      memory("texts in other languages"),
    );
    return lines;
  } finally {
    clearInterval(awake);
    await encoder.close();
  }
}
