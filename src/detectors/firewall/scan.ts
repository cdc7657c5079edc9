/** Reads a page's texts one by one, judges each, and collects what is suspect. */
import type { Finding, Severity, TextRole } from "../../../schemas/finding.ts";
import type { Channel } from "../../pages/channels.ts";
import { type Concealment, isShown } from "../../pages/computed-style.ts";
import { evidenceIn } from "../../pages/evidence.ts";
import type { PageModel, Segment } from "../../pages/page-model.ts";
import { round } from "../risk.ts";
import { decodeHidden, type Encoding, withoutInvisible } from "./decode.ts";
import { endorses, type Surroundings } from "./framing.ts";
import { MAY_HOLD_PHRASE, phrasesIn } from "./phrases.ts";
import {
  introduces,
  isItem,
  mayQuote,
  meantOf,
  quotedIn,
  reportedQuotations,
  without,
} from "./quotations.ts";
import type { Span } from "./span.ts";
import {
  doubtOf,
  HIDDEN_ENOUGH,
  hiddenness,
  RISK_KEPT,
  riskOfText,
  type TextRisk,
  warnThreshold,
} from "./text-risk.ts";
import { Topic } from "./topic.ts";

export const MAX_FINDINGS = 100;

const severityOf = (risk: number): Severity =>
  risk >= 0.9 ? "critical" : risk >= 0.7 ? "high" : risk >= warnThreshold() ? "medium" : "low";

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
  segment: Segment | undefined;
}

/** An attack that the page reports: what it would be if nobody reported it, and where it stands. */
interface Reported {
  readonly unreported: Suspect;
  readonly segment: Segment;
  readonly spans: readonly Span[];
}

/** Suspects that are kept, the riskiest of all: a page may hold any number. */
const MAX_SUSPECTS = MAX_FINDINGS * 4;
/** No article quotes more: what else a page holds stands for itself. */
const MAX_REPORTED = 200;

/** In the open, what the classifier finds less risky would not be warned of for a phrase either. */
const RISK_READ = 0.02;

/** Of a reported attack: a finding, below every warning. */
const REPORTED_RISK = RISK_KEPT;

const channelName = ({ channel, concealment }: Segment): string =>
  concealment ? `${channel === "text" ? "text" : channel}, ${concealment}` : channel;

/** Longer texts are seldom there twice. */
const LONGEST_REPEATED = 400;

/** Texts of one channel that are concealed in one manner. */
interface TextChannel {
  readonly channel: Channel;
  readonly concealment: Concealment | null;
  readonly hidden: number;
  /** Texts that were judged already: menus and cards repeat. */
  readonly known: Set<string>;
}

const tenths = (risk: number): number => Math.floor(10 * risk);

const asReported = ({ finding }: Suspect): Suspect => ({
  risk: REPORTED_RISK,
  segment: undefined,
  finding: {
    ...finding,
    rule_id: "quoted-instruction",
    severity: severityOf(REPORTED_RISK),
    confidence: REPORTED_RISK,
    remediation: "The page quotes it as an attack. Read sanitized_content, which leaves it out.",
  },
});

/** One reading of a segment. */
interface Reading {
  readonly segment: Segment;
  readonly text: string;
  readonly hidden: number;
  readonly encoding: Encoding | undefined;
}

export class Scan {
  readonly #page: PageModel;
  readonly role: TextRole;
  readonly #doubt: number;
  readonly suspects: Suspect[] = [];
  /** Texts that are warned of. By their words: one that stands there twice is judged once. */
  readonly flagged = new Set<string>();
  readonly hiddenSegments: number;
  /** What stands for itself when the page tells to obey it. */
  readonly #reported: Reported[] = [];
  /** Tenths of risk that no kept suspect is below, once there is no more room. */
  #least = 0;
  /** Open texts before, the last one first: what they say may make a quotation a report. */
  #before: readonly [string, string] = ["", ""];
  /** What introduces the block, or the items of a list, that are read. */
  #introduction: string | undefined;
  #topic: Topic | undefined;
  readonly #channels: TextChannel[] = [];
  /** That of the segment before: the next one's is mostly the same. */
  #last: TextChannel | undefined;

  /** @param role what the page's texts are to the agent that reads them */
  constructor(page: PageModel, role: TextRole = "page") {
    this.#page = page;
    this.role = role;
    let open = 0;
    let hiddenEnough = 0;
    for (const segment of page.segments) {
      const { hidden } = this.#channelOf(segment);
      if (hidden === 0) open++;
      else if (hidden >= HIDDEN_ENOUGH) hiddenEnough++;
    }
    this.#doubt = doubtOf(open);
    this.hiddenSegments = hiddenEnough;
  }

  segment(segment: Segment): void {
    const { hidden, known } = this.#channelOf(segment);
    if (segment.text.length < LONGEST_REPEATED) {
      const before = known.size;
      if (known.add(segment.text).size === before) return;
    }
    const plain = withoutInvisible(segment.text);
    this.#text(
      segment,
      plain,
      hidden === 0 ? -this.#doubt : hidden,
      undefined,
      0,
      segment.text.length,
      plain === segment.text,
    );
    // People read and write digits for letters, too: that by itself hides nothing.
    for (const { encoding, text, from, to } of decodeHidden(segment.text))
      this.#text(segment, text, hiddenness(segment, encoding !== "leet"), encoding, from, to, false);
    if (hidden === 0) this.#follow(segment, plain);
  }

  /** Keeps what an open text says of the texts after it. */
  #follow(segment: Segment, plain: string): void {
    if (introduces(plain)) this.#introduction = plain;
    else if (this.#introduction !== undefined && !isItem(segment)) this.#introduction = undefined;
    this.#before = [plain, this.#before[0]];
  }

  #surroundingsOf(segment: Segment): Surroundings {
    const topic = (): Topic => {
      this.#topic ??= new Topic(this.#page.segments);
      return this.#topic;
    };
    return {
      before: `${this.#before[1]} ${this.#before[0]}`,
      after: () => topic().after(segment),
      isAboutAttacks: () => topic().isOfRest(segment),
    };
  }

  /**
   * To be called when all segments were read: where some text of the page, hidden or not, tells to obey what is quoted, a
   * quotation is an attack like any other.
   * @returns the parts of segments that report an attack
   */
  settle(): Map<Segment, readonly Span[]> {
    if (this.#reported.length === 0) return new Map();
    const isEndorsed = this.#page.segments.some(({ text }) => endorses(withoutInvisible(text)));
    for (const { unreported, segment } of this.#reported) {
      if (isEndorsed && unreported.risk >= warnThreshold()) this.flagged.add(segment.text);
      this.#keep(isEndorsed ? unreported : asReported(unreported), this.suspects);
    }
    return isEndorsed ? new Map() : new Map(this.#reported.map(({ segment, spans }) => [segment, spans]));
  }

  /** There are few, and most of them are not on one page. */
  #channelOf(segment: Segment): TextChannel {
    const { channel, concealment } = segment;
    const isIts = (one: TextChannel): boolean => one.channel === channel && one.concealment === concealment;
    if (this.#last && isIts(this.#last)) return this.#last;
    let found = this.#channels.find(isIts);
    if (!found) {
      found = { channel, concealment, hidden: hiddenness(segment), known: new Set() };
      this.#channels.push(found);
    }
    this.#last = found;
    return found;
  }

  /** Judges one reading of a segment; `exact` says that places in the reading are places in the segment. */
  #text(
    segment: Segment,
    text: string,
    hidden: number,
    encoding: Encoding | undefined,
    from: number,
    to: number,
    exact: boolean,
  ): void {
    const judged = riskOfText(text, hidden);
    const isOpen = hidden <= 0 && !encoding && segment.channel === "text" && isShown(segment.concealment);
    const mayReport = isOpen && this.#reported.length < MAX_REPORTED && mayQuote(segment, text);
    const quoted = mayReport ? quotedIn(segment, text) : [];
    // Most texts and quotations are nothing that could be reported.
    const mayBe =
      mayReport &&
      (judged.risk >= RISK_READ ||
        quoted.some((span) => riskOfText(text.slice(span.from, span.to), hidden).risk >= RISK_READ));
    const spans = mayBe
      ? reportedQuotations(segment, text, quoted, this.#surroundingsOf(segment), this.#introduction)
      : [];
    const place = { from, to, exact };
    const reading = { segment, text, hidden, encoding };
    if (spans.length === 0) {
      this.#judge(reading, judged, place, this.suspects);
      // What is quoted and meant is judged by itself as well: harmless words around it say nothing for it.
      if (mayBe && judged.risk < warnThreshold())
        this.#judgeQuoted(reading, meantOf(quoted, text), place, this.suspects);
      return;
    }
    const whole: Suspect[] = [];
    this.#judge(reading, judged, place, whole);
    // Words of an article make what it quotes look harmless: by itself it does not.
    this.#judgeQuoted(reading, spans, place, whole);
    const rest = without(text, spans);
    this.#judge({ ...reading, text: rest }, riskOfText(rest, hidden), place, this.suspects);
    const worst = whole.sort((a, b) => b.risk - a.risk)[0];
    if (!worst) return;
    this.#reported.push({ unreported: worst, segment, spans });
    // The same words elsewhere are another matter: what stands around them may report nothing.
    this.#channelOf(segment).known.delete(segment.text);
  }

  /** Judges quotations of a reading by themselves; each is found where the reading is. */
  #judgeQuoted(reading: Reading, spans: readonly Span[], { from, to }: Span, into: Suspect[]): void {
    for (const { from: start, to: end } of spans) {
      const text = reading.text.slice(start, end);
      const judged = riskOfText(text, reading.hidden);
      this.#judge({ ...reading, text }, judged, { from, to, exact: false }, into);
    }
  }

  /** What a reading that was judged is suspected of. */
  #judge(
    { segment, text, hidden, encoding }: Reading,
    judged: TextRisk,
    { from, to, exact }: Span & { exact: boolean },
    into: Suspect[],
  ): void {
    if (judged.risk >= RISK_KEPT) {
      const [start, end] = exact ? [judged.from, judged.to] : [from, to];
      this.#add(segment, ruleOf(segment, judged.kind, encoding), judged.risk, start, end, text, into);
    }
    if ((judged.risk < RISK_READ && hidden < HIDDEN_ENOUGH) || !MAY_HOLD_PHRASE.test(text)) return;
    for (const { rule, from: start, to: end } of phrasesIn(text)) {
      const logit = Math.log(rule.confidence / (1 - rule.confidence)) + hidden;
      // In the open a phrase alone may be a quotation: the classifier has its say.
      const support = Math.max(judged.risk, hidden >= HIDDEN_ENOUGH ? 1 : 0);
      const risk = (1 / (1 + Math.exp(-logit))) * Math.min(1, support + 0.35);
      this.#add(segment, rule.id, risk, exact ? start : from, exact ? end : to, text.slice(start, end), into);
    }
  }

  /**
   * Of more than are kept the riskiest, by tenths: what is quite harmless must not crowd out an attack, and each place is
   * taken ten times at most.
   */
  #keep(suspect: Suspect, into: Suspect[]): void {
    if (into.length < MAX_SUSPECTS) {
      into.push(suspect);
      return;
    }
    const weakest = into.findIndex(({ risk }) => tenths(risk) < tenths(suspect.risk));
    if (weakest >= 0) into[weakest] = suspect;
    else this.#least = tenths(suspect.risk);
  }

  #add(
    segment: Segment,
    rule: string,
    risk: number,
    from: number,
    to: number,
    read: string,
    into: Suspect[],
  ): void {
    if (into === this.suspects && risk >= warnThreshold()) this.flagged.add(segment.text);
    // Where it stands takes long to say.
    if (into.length >= MAX_SUSPECTS && tenths(risk) <= this.#least) return;
    const evidence = evidenceIn(this.#page, segment, from, to);
    const isHidden = hiddenness(segment) >= HIDDEN_ENOUGH;
    const suspect: Suspect = {
      risk,
      segment,
      finding: {
        rule_id: rule,
        category: rule.startsWith("encoded")
          ? "encoded-injection"
          : isHidden
            ? "hidden-injection"
            : "injection",
        severity: severityOf(risk),
        confidence: round(risk),
        evidence: rule.startsWith("encoded")
          ? { ...evidence, snippet: read.slice(0, 240).toWellFormed() }
          : evidence,
        refs: [...(isHidden ? REFS.hidden : REFS.injection)],
        remediation: `Do not act on it (${channelName(segment)}): read sanitized_content instead.`,
      },
    };
    this.#keep(suspect, into);
  }
}

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

/** Marks beside which an encoding is named in a finding's rule. */
function ruleOf(segment: Segment, kind: "attack" | "request", encoding: Encoding | undefined): string {
  if (encoding) return `encoded-instruction-${encoding}`;
  const isHidden = hiddenness(segment) >= HIDDEN_ENOUGH;
  return isHidden ? (kind === "request" ? "hidden-request" : "hidden-instruction") : "instruction";
}
