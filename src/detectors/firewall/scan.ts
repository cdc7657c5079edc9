/** Reads a page's texts one by one, judges each, and collects what is suspect. */
import type { Finding, Severity, TextRole } from "../../../schemas/finding.ts";
import type { Channel } from "../../pages/channels.ts";
import { type Concealment, isShown } from "../../pages/computed-style.ts";
import { evidenceIn } from "../../pages/evidence.ts";
import { isHiddenFromPeople } from "../../pages/hiding.ts";
import type { PageModel, Segment } from "../../pages/page-model.ts";
import { round } from "../risk.ts";
import { type JudgedSpan, judgeText, UNITS_A_WORD, WARN_RISK } from "./judge.ts";
import type { AttackKind } from "./openings.ts";

export const MAX_FINDINGS = 100;

/** A part of a text that is warned of. */
export type Flagged = Pick<JudgedSpan, "from" | "to" | "risk">;

export const REFS = {
  injection: ["OWASP LLM01:2025", "arXiv:2302.12173"],
  hidden: ["OWASP LLM01:2025", "CWE-451"],
  exfiltration: ["OWASP LLM02:2025", "CWE-201"],
  phishing: ["MITRE ATT&CK T1566", "UTS #39"],
  reported: ["MITRE ATT&CK T1566"],
} as const;

export interface Suspect {
  finding: Finding;
  risk: number;
  /** What it wants, and the text that says it, of the texts that were judged. */
  kind?: AttackKind;
  segment?: Segment;
}

/** Suspects that are kept, the riskiest of all: a page may hold any number. */
const MAX_SUSPECTS = MAX_FINDINGS * 4;
/** Longer texts are seldom there twice. */
const LONGEST_REPEATED = 400;
/** Longer plain texts are judged by their paragraphs alone. */
const LONGEST_WHOLE = 65_536;

/** Texts of one channel that are concealed in one manner. */
interface TextChannel {
  readonly channel: Channel;
  readonly concealment: Concealment | null;
  /** Texts that were judged already: menus and cards repeat. */
  readonly known: Set<string>;
}

export class Scan {
  readonly #page: PageModel;
  readonly role: TextRole;
  readonly suspects: Suspect[] = [];
  readonly #flagged = new Map<string, readonly Flagged[]>();
  readonly hiddenSegments: number;
  /** Words in the open, and hidden ones. */
  readonly #words: { readonly open: number; readonly hidden: number };
  /** Tenths of risk that no kept suspect is below, once there is no more room. */
  #least = 0;
  #risk = 0;
  readonly #channels: TextChannel[] = [];

  /** @param role what the page's texts are to the agent that reads them */
  constructor(page: PageModel, role: TextRole = "page") {
    this.#page = page;
    this.role = role;
    const units = { open: 0, hidden: 0 };
    let hiddenSegments = 0;
    for (const segment of page.segments) {
      const hidden = isHiddenFromPeople(segment);
      hiddenSegments += Number(hidden);
      units[hidden ? "hidden" : "open"] += segment.text.length;
    }
    this.#words = { open: units.open / UNITS_A_WORD, hidden: units.hidden / UNITS_A_WORD };
    this.hiddenSegments = hiddenSegments;
  }

  segment(segment: Segment): void {
    const { text } = segment;
    if (text.length < LONGEST_REPEATED) {
      const known = this.#knownOf(segment);
      const before = known.size;
      if (known.add(text).size === before) return;
    }
    const hidden = isHiddenFromPeople(segment);
    const among = this.#words[hidden ? "hidden" : "open"];
    const { risk, spans } = judgeText(text, this.role, { isHidden: hidden, among });
    this.#risk = Math.max(this.#risk, risk);
    const flagged = spans.filter((span) => span.risk >= WARN_RISK);
    if (flagged.length > 0) this.#flagged.set(keyOf(segment), flagged);
    for (const span of spans) this.#add(segment, span, hidden);
  }

  /** Judges a plain text as a whole, after its paragraphs: what several say together is an attack of all of them. */
  whole(): void {
    const { source, segments } = this.#page;
    if (segments.length < 2 || source.length > LONGEST_WHOLE) return;
    const { risk, spans } = judgeText(source, this.role);
    this.#risk = Math.max(this.#risk, risk);
    for (const span of decisive(spans)) {
      const parts = segments.filter(({ at, text }) => at < span.to && at + text.length > span.from);
      const first = parts[0];
      if (first === undefined || parts.length < 2) continue;
      const shift = (place: number): number => Math.min(Math.max(0, place - first.at), first.text.length);
      this.#add(first, { ...span, from: shift(span.from), to: shift(span.to) }, false);
      if (span.risk < WARN_RISK) continue;
      for (const part of parts)
        this.#flagged.set(keyOf(part), [{ from: 0, to: part.text.length, risk: span.risk }]);
    }
  }

  /** What is warned of in a text of the page. */
  flaggedIn(segment: Segment): readonly Flagged[] | undefined {
    return this.#flagged.size === 0 ? undefined : this.#flagged.get(keyOf(segment));
  }

  /** Of the riskiest text; what is no finding counts, too. */
  get risk(): number {
    return this.#risk;
  }

  /** There are few, and most of them are not on one page. */
  #knownOf({ channel, concealment }: Segment): Set<string> {
    let found = this.#channels.find((one) => one.channel === channel && one.concealment === concealment);
    if (!found) {
      found = { channel, concealment, known: new Set() };
      this.#channels.push(found);
    }
    return found.known;
  }

  /**
   * Of more than are kept the riskiest, by tenths: what is quite harmless must not crowd out an attack, and each place is
   * taken ten times at most.
   */
  #add(segment: Segment, span: JudgedSpan, hidden: boolean): void {
    const { risk, kind } = span;
    const isFull = this.suspects.length >= MAX_SUSPECTS;
    // Where it stands takes long to say.
    if (isFull && tenths(risk) <= this.#least) return;
    const suspect = { risk, kind, segment, finding: this.#findingOf(segment, span, hidden) };
    if (!isFull) {
      this.suspects.push(suspect);
      return;
    }
    const weakest = this.suspects.findIndex((one) => tenths(one.risk) < tenths(risk));
    if (weakest >= 0) this.suspects[weakest] = suspect;
    else this.#least = tenths(risk);
  }

  #findingOf(
    segment: Segment,
    { risk, rule, from, to, why, encoding, read }: JudgedSpan,
    hidden: boolean,
  ): Finding {
    const evidence = evidenceIn(this.#page, segment, from, to);
    const isByOpening = rule !== "instruction";
    return {
      rule_id: encoding
        ? `encoded-instruction-${encoding}`
        : hidden && !isByOpening
          ? `hidden-${rule}`
          : rule,
      category: encoding ? "encoded-injection" : hidden ? "hidden-injection" : "injection",
      severity: severityOf(risk),
      confidence: round(risk),
      evidence:
        encoding && read !== undefined
          ? { ...evidence, snippet: read.slice(0, 240).toWellFormed() }
          : evidence,
      refs: [...(hidden ? REFS.hidden : REFS.injection)],
      remediation: `Do not act on it (${channelName(segment)}): it ${why}. Read sanitized_content instead.`,
    };
  }
}

/** A text that stands there twice is judged once; one that is hidden, apart from its like in the open. */
const keyOf = (segment: Segment): string => `${isHiddenFromPeople(segment)} ${segment.text}`;

const severityOf = (risk: number): Severity =>
  risk >= 0.9 ? "critical" : risk >= 0.7 ? "high" : risk >= WARN_RISK ? "medium" : "low";

const tenths = (risk: number): number => Math.floor(10 * risk);

const channelName = ({ channel, concealment }: Segment): string =>
  concealment ? `${channel}, ${concealment}` : channel;

/** Words strewn over many hidden elements, read together. */
const JOINED_LONGEST = 32;
export function joinHidden(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  let run: Segment[] = [];
  const end = (): void => {
    if (run.length === 0) return;
    if (run.length > 2)
      joined.push({
        ...run[0]!,
        text: run.map(({ text }) => text.trim()).join(" "),
        pieces: run.flatMap(({ pieces }) => pieces),
      });
    run = [];
  };
  for (const segment of segments) {
    const fits =
      !isShown(segment.concealment) && segment.channel === "text" && segment.text.length < JOINED_LONGEST;
    if (!fits || (run.length > 0 && (run[0]!.concealment !== segment.concealment || run.length >= 60))) end();
    if (fits) run.push(segment);
  }
  end();
  return joined;
}

/** Openings say where an attack is; what the classifier finds is wider, and tells where there are none. */
function decisive(spans: readonly JudgedSpan[]): readonly JudgedSpan[] {
  const openings = spans.filter(({ rule, risk }) => rule !== "instruction" && risk >= WARN_RISK);
  return openings.length > 0 ? openings : spans;
}
