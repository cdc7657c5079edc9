/** How long a question to price/compare holds the gateway's event loop, with as many offers as are held. */
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { readMatchModel } from "../../workers/gateway/price/model.ts";
import { Offers } from "../../workers/gateway/price/offers.ts";
import type { BenchLine } from "./bench-line.ts";

const OFFERS = 100_000;
const QUESTIONS = 200;
const WANTED_MS = 50;
/** The longest name that the contract takes. */
const LONGEST_NAME = 500;
const SYLLABLES = "ba ce di fo gu ha ki le mo nu pa re si to vu xa ye zo".split(" ");

/** Words by rank, and names whose words are as often as words are: the n-th one in n times as few (Zipf). */
function wordOf(rank: number): string {
  let word = "";
  for (let left = rank + 400; left > 0; left = Math.floor(left / SYLLABLES.length))
    word += SYLLABLES[left % SYLLABLES.length];
  return word;
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))]!;

export async function bench(): Promise<BenchLine[]> {
  const random = mulberry32(20_261_121);
  const word = (): string => wordOf(Math.floor(30_000 ** random()));
  const nameOf = (words: number): string =>
    `${Array.from({ length: words }, word).join(" ")} ${word()}-${Math.floor(random() * 9_000)}`;
  const offers = new Offers(readMatchModel());
  const names = Array.from({ length: OFFERS }, () => nameOf(4 + Math.floor(random() * 10)));
  for (const [i, productName] of names.entries())
    offers.put(`${i}`, {
      v: 1,
      platform: "shop.example",
      productId: `${i}`,
      productName,
      url: null,
      latest: [],
    });
  const timesOf = (questions: readonly string[]): number[] => {
    for (const name of questions) offers.match({ name }, 20);
    return questions.map((name) => {
      const startedMs = performance.now();
      offers.match({ name }, 20);
      return performance.now() - startedMs;
    });
  };
  const line = (what: string, questions: readonly string[]): BenchLine => {
    const times = timesOf(questions);
    const value = Number(quantile(times, 0.5).toFixed(1));
    return {
      name: `price: ${what}`,
      value,
      unit: "ms of the event loop, median",
      baseline: WANTED_MS,
      ratio: Number((value / WANTED_MS).toFixed(2)),
      conditions: `${OFFERS} offers held, ${QUESTIONS} questions; p95 ${quantile(times, 0.95).toFixed(1)} ms; wanted: at most ${WANTED_MS} ms`,
    };
  };
  const asked = Array.from({ length: QUESTIONS }, (_, i) => names[(i * 7_919) % OFFERS]!);
  const longest = Array.from({ length: QUESTIONS }, () => nameOf(120).slice(0, LONGEST_NAME));
  return [line("a product's name", asked), line("the longest name", longest)];
}
