/**
 * Which pages a visit asks for: the home page, pages in question, then those that were seen longest ago, among them links
 * that nobody has followed. Pure.
 */
import { createHash } from "node:crypto";
import type { PageRecord, SitePages } from "../../../schemas/site-pages.ts";
import { DAY_MS } from "../../ports/time.ts";

/** Links that one visit keeps in mind. */
const MAX_LINKS = 100;
/** A link that was not followed yet is as due as a page that was seen so long ago: a site without end is read again, too. */
const UNSEEN_AGE_MS = 30 * DAY_MS;
/** A page below this value is looked at again soon: its owner may have mended it. */
const SOUND = 0.6;

const isInQuestion = ({ measures: { dark, affiliate, paid, parent } }: PageRecord): boolean =>
  dark < SOUND || affiliate < SOUND || paid || parent;

/** The pages of one visit, in order. */
export class PageQueue {
  readonly #first: string[];
  readonly #now: number;
  /** How long ago each page was seen, milliseconds. */
  readonly #ages = new Map<string, number>();
  /** When addresses that gave no page were asked for. */
  readonly #tried: Map<string, number>;
  readonly #taken = new Set<string>();
  readonly #isFirstVisit: boolean;
  #links = 0;

  /** @param now milliseconds */
  constructor(home: URL, known: SitePages | undefined, now: number) {
    const pages = known?.pages ?? [];
    this.#now = now;
    this.#isFirstVisit = pages.length === 0;
    this.#first = [home.href, ...inQuestion(pages)];
    this.#tried = new Map(known?.unread.map(({ page, tried_at }) => [page, Date.parse(tried_at)]));
    for (const { page, seen_at } of pages)
      this.#ages.set(page, now - Math.max(Date.parse(seen_at), this.#tried.get(page) ?? 0));
  }

  /** Links of a page that was read. */
  add(links: readonly string[]): void {
    for (const link of links) {
      if (this.#links >= MAX_LINKS) return;
      if (this.#ages.has(link)) continue;
      const tried = this.#tried.get(link);
      this.#ages.set(link, tried === undefined ? UNSEEN_AGE_MS + this.#turn(link) : this.#now - tried);
      this.#links++;
    }
  }

  /** The next page to ask for; undefined when no more are known. */
  next(): URL | undefined {
    const address = this.#first.shift() ?? this.#oldest();
    if (address === undefined) return undefined;
    if (this.#taken.has(address)) return this.next();
    this.#taken.add(address);
    return new URL(address);
  }

  #oldest(): string | undefined {
    let oldest: string | undefined;
    let longest = Number.NEGATIVE_INFINITY;
    for (const [address, age] of this.#ages)
      if (age > longest && !this.#taken.has(address)) [oldest, longest] = [address, age];
    return oldest;
  }

  /** Below a millisecond: links take turns by the visit's time, except on a first visit, which goes by their order. */
  #turn(link: string): number {
    if (this.#isFirstVisit) return 0;
    return createHash("sha256").update(`${this.#now}\n${link}`).digest().readUInt32BE(0) / 2 ** 32;
  }
}

/** Every page that attacks machines, and of those that speak against the site the one that was seen longest ago. */
function inQuestion(pages: readonly PageRecord[]): string[] {
  const oldestFirst = pages.toSorted((a, b) => Date.parse(a.seen_at) - Date.parse(b.seen_at));
  const attacks = oldestFirst.filter(({ measures }) => measures.malicious);
  const doubted = oldestFirst.filter((page) => !page.measures.malicious && isInQuestion(page));
  return [...attacks, ...doubted.slice(0, 1)].map(({ page }) => page);
}
