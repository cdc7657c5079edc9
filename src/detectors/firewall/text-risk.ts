/** How likely a piece of a page's text is an attack: the classifiers, by sentences, weighted by how hidden it is. */

import { type LinearModel, loadModel, logistic } from "../../classifiers/linear-model.ts";
import type { Channel } from "../../pages/channels.ts";
import type { Concealment } from "../../pages/computed-style.ts";
import type { Segment } from "../../pages/page-model.ts";
import { unitsOf } from "../../pages/units.ts";

interface Models {
  attack: LinearModel;
  request: LinearModel;
  gate: LinearModel;
}
let loaded: Models | undefined;
/** Risk from which a text is a finding. */
export const RISK_KEPT = 0.3;

/** What each concealment adds to the logit: honest pages hide menus and labels, seldom sentences. */
const CONCEALED: Record<Concealment, number> = {
  "display-none": 0.9,
  "visibility-hidden": 1.1,
  "hidden-attribute": 0.8,
  transparent: 1.4,
  tiny: 1.6,
  "off-screen": 1.2,
  clipped: 0.8,
  "same-colour": 1.6,
  collapsed: 0.2,
  unselected: 0.8,
  folded: 0,
  animated: 0,
};
const CHANNELS: Record<Channel, number> = {
  text: 0,
  title: 0,
  comment: 0.9,
  alt: 0.5,
  tooltip: 0.5,
  aria: 0.5,
  meta: 0.4,
  "json-ld": 0.4,
  placeholder: 0.3,
  value: 0.2,
  data: 0.6,
  noscript: 0.4,
  fallback: 0.4,
  template: 0.5,
  svg: 0.6,
  srcdoc: 0.4,
};
/** Decoded text was meant for machines alone. */
const ENCODED = 2;

/** Many chances to be wrong: what is in the open must be the surer, the more text a page has. */
const PER_SEGMENT = 0.4;
const MOST_DOUBT = 1.6;

/** From here on a plain request, harmless in the open, is one that somebody hid. */
export const HIDDEN_ENOUGH = 0.8;
/** Fewer words are a label: "Search", "Enter your name". Scripts without spaces count by their characters. */
const MIN_WORDS = 3;
const ENOUGH_SIGNS = /[\u3040-\u9fff\uac00-\ud7af]{6}/;
/** Requests are distinguished from the labels and notes of honest pages less surely than attacks are. */
const REQUEST_BIAS = -2.2;

/** Quick scores below this are of texts that the whole classifier finds harmless. */
const GATE_LOGIT = -3.2;
const MAX_SENTENCES = 200;

export interface TextRisk {
  /** Probability 0 to 1, hiddenness included. */
  risk: number;
  kind: "attack" | "request";
  from: number;
  to: number;
}

interface Window {
  from: number;
  to: number;
  /** Sentences before pairs of them before the whole, and earlier ones before later ones. */
  rank: number;
}

/** Where the sentences of the text that was read last begin and end, and whether they may be something. */
const FROM = new Uint32Array(MAX_SENTENCES);
const TO = new Uint32Array(MAX_SENTENCES);
const SUSPECT = new Uint8Array(MAX_SENTENCES);

const NO_WINDOWS: readonly Window[] = [];

const NO_RISK: TextRisk = { risk: 0, kind: "attack", from: 0, to: 0 };

/** Risk from which a page is warned of, and cut from what an agent is given. */
export const warnThreshold = (): number => models().attack.card.threshold;

export function models(): Models {
  loaded ??= {
    attack: loadModel("firewall"),
    request: loadModel("firewall-request"),
    gate: loadModel("firewall-gate"),
  };
  return loaded;
}

/** What hiding adds to the logit of a segment. */
export const hiddenness = (segment: Pick<Segment, "channel" | "concealment">, encoded = false): number =>
  (encoded ? ENCODED : 0) +
  (segment.concealment ? CONCEALED[segment.concealment] : 0) +
  CHANNELS[segment.channel];

export const doubtOf = (openSegments: number): number =>
  Math.min(MOST_DOUBT, PER_SEGMENT * Math.log(Math.max(1, openSegments)));

/** An address or a name by itself says nothing to anybody. */
export function isBareWord(text: string): boolean {
  const word = text.trim();
  return /^[\w.:/@?&=#%+~-]+$/.test(word) && /[./:@_=-]/.test(word);
}

/**
 * The riskiest sentence, pair of sentences or whole of a text. In text that people see the quick classifier goes first,
 * and plain requests are no risk.
 * @param hidden what hiding adds (hiddenness)
 */
export function riskOfText(text: string, hidden: number): TextRisk {
  const { attack, request } = models();
  const isOpen = hidden < HIDDEN_ENOUGH;
  const windows = windowsOf(text, isOpen);
  if (windows.length === 0) return NO_RISK;
  const asAttack = riskiest(attack, text, windows, hidden, "attack");
  if (isOpen) return asAttack;
  const asRequest = riskiest(request, text, windows, hidden + REQUEST_BIAS, "request");
  return asRequest.risk > asAttack.risk ? asRequest : asAttack;
}

/**
 * Sentences that may be something, pairs of neighbours with one of them (an order and its payload are often two), the
 * whole. Those that begin at one place come together, shorter ones first: they are read on from one another.
 */
function windowsOf(text: string, isOpen: boolean): readonly Window[] {
  // One long word may be a sentence whose spaces were taken out.
  const isWord = text.length > 24 && !/\S\s+\S/.test(text);
  models().gate.open(text);
  const count = readSentences(text);
  const whole = { from: 0, to: text.length, rank: 2 * MAX_SENTENCES };
  if (count <= 1) return mayBe(text, 0, text.length, isWord, isOpen) ? [whole] : NO_WINDOWS;
  let suspects = 0;
  for (let i = 0; i < count; i++)
    suspects += SUSPECT[i] = Number(mayBe(text, FROM[i]!, TO[i]!, isWord, isOpen));
  if (suspects === 0) return NO_WINDOWS;
  const windows: Window[] = [];
  for (let i = 0; i < count; i++) {
    const from = FROM[i]!;
    if (SUSPECT[i]) windows.push({ from, to: TO[i]!, rank: i });
    if (count > 2 && i + 1 < count && (SUSPECT[i] || SUSPECT[i + 1]))
      windows.push({ from, to: TO[i + 1]!, rank: MAX_SENTENCES + i });
    if (i === 0) windows.push(whole);
  }
  return windows;
}

/** A point inside an address or a number ends no sentence: a blank or the end follows one that does. @returns how many */
function readSentences(text: string): number {
  const end = text.length;
  const units = unitsOf(text);
  let count = 0;
  for (let from = 0, at = 0; at < end && count < MAX_SENTENCES; at++) {
    const code = units[at]!;
    if (!isEndMark(code)) {
      if (at === end - 1 && at - from >= 5) {
        FROM[count] = from;
        TO[count++] = end;
      }
      continue;
    }
    while (at + 1 < end && isEndMark(units[at + 1]!)) at++;
    const isEnd = code > 127 || code === 10 || at + 1 === end || isBlank(units[at + 1]!);
    if (!isEnd) continue;
    if (at + 1 - from >= 6) {
      FROM[count] = from;
      TO[count++] = at + 1;
    }
    from = at + 1;
  }
  return count;
}

const isEndMark = (code: number): boolean =>
  code < 64
    ? code === 46 || code === 33 || code === 63 || code === 10
    : code >= 0x3002 && (code === 0x3002 || code === 0xff01 || code === 0xff1f);
const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13) || code === 0xa0;

/** Whether a sentence may be something; in the open the quick classifier, which has the text open, is asked. */
const mayBe = (text: string, from: number, to: number, isWord: boolean, isOpen: boolean): boolean =>
  says(text, from, to, isWord) && (!isOpen || models().gate.partLogit(from, to) >= GATE_LOGIT);

/** Whether a part of a text is more than a label, an address or a name. */
function says(text: string, from: number, to: number, isWord: boolean): boolean {
  const words = wordsOf(text, from, to);
  if (words >= MIN_WORDS) return true;
  const said = text.slice(from, to);
  if (words <= 1 && isBareWord(said)) return false;
  return isWord || ENOUGH_SIGNS.test(said);
}

/** Words of a part of a text, separated by white space: counted until they are more than a label's. */
function wordsOf(text: string, from: number, to: number): number {
  let words = 0;
  let inside = false;
  for (let i = from; i < to && words < MIN_WORDS; i++) {
    const isInside = !isSpace(text.charCodeAt(i));
    if (isInside && !inside) words++;
    inside = isInside;
  }
  return words;
}

/** White space as `\s` has it. */
const isSpace = (code: number): boolean =>
  code <= 32
    ? code === 32 || (code >= 9 && code <= 13)
    : code >= 0xa0 &&
      (code === 0xa0 ||
        code === 0x1680 ||
        (code >= 0x2000 && code <= 0x200a) ||
        code === 0x2028 ||
        code === 0x2029 ||
        code === 0x202f ||
        code === 0x205f ||
        code === 0x3000 ||
        code === 0xfeff);

/** Of windows that are as risky as each other, the one of the lowest rank. */
function riskiest(
  model: LinearModel,
  text: string,
  windows: readonly Window[],
  bias: number,
  kind: TextRisk["kind"],
): TextRisk {
  model.open(text);
  let best: Window | undefined;
  let most = 0;
  for (const window of windows) {
    const risk = logistic(model.partLogit(window.from, window.to) + bias);
    if (risk < most || (risk === most && (!best || window.rank > best.rank))) continue;
    best = window;
    most = risk;
  }
  return best ? { risk: most, kind, from: best.from, to: best.to } : NO_RISK;
}
