/** What a page's open text says beside a segment: an article that quotes an attack speaks of attacks elsewhere too. */
import { isShown } from "../../pages/computed-style.ts";
import type { Segment } from "../../pages/page-model.ts";
import { marked, without } from "./quotations.ts";

/** Words that articles about attacks are made of and pages that sell are not; two of them make a page one. */
const TOPIC =
  /\b(?:inject|jailbreak|attack|exploit|payload|adversar|malicious|vulnerab|hack|phish|malware|cve|advisor|severity|mitigat|guardrail|untrusted|hijack|prank|incident|postmortem|trojan|intrus|prompt|angriff|angreif|schwachstelle|sicherheitsl|sicherheitsh|eingeschleus|einschleus|attaqu|malveill|faille)/gi;
const ENOUGH = 2;
/** Characters of a page that are asked. */
const MAX_CHARS = 40_000;

/** The words of the topic on a page, by the segments that they stand in; what is quoted does not count. */
export class Topic {
  readonly #wordsOf = new Map<Segment, ReadonlySet<string>>();
  /** In how many segments each word stands. */
  readonly #counts = new Map<string, number>();
  /** The open segment after each one that was read. */
  readonly #after = new Map<Segment, Segment>();

  constructor(segments: readonly Segment[]) {
    let left = MAX_CHARS;
    let last: Segment | undefined;
    for (const segment of segments) {
      const isOpen =
        isShown(segment.concealment) && (segment.channel === "text" || segment.channel === "title");
      if (!isOpen) continue;
      if (last) this.#after.set(last, segment);
      last = segment;
      const text = without(segment.text, marked(segment.text)).slice(0, left);
      left -= text.length;
      const words = new Set([...text.matchAll(TOPIC)].map(([word]) => word.toLowerCase()));
      if (words.size > 0) this.#wordsOf.set(segment, words);
      for (const word of words) this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
      if (left <= 0) return;
    }
  }

  /** What is said right after a segment; nothing where it stands too far down the page. */
  after(segment: Segment): string {
    return this.#after.get(segment)?.text ?? "";
  }

  /** Whether what the page says outside a segment is about attacks. */
  isOfRest(segment: Segment): boolean {
    const own = this.#wordsOf.get(segment);
    let found = 0;
    for (const [word, count] of this.#counts)
      if (count > (own?.has(word) ? 1 : 0) && ++found >= ENOUGH) return true;
    return false;
  }
}
