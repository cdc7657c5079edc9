/** How likely a piece of a page's text is an attack: the classifiers, by sentences, weighted by how hidden it is. */
import { type LinearModel, loadModel, logistic } from "../common/linear-model.ts";
import type { Concealment } from "../common/look.ts";
import type { Channel, Segment } from "../common/page-model.ts";

interface Models {
  attack: LinearModel;
  request: LinearModel;
  gate: LinearModel;
}
let loaded: Models | undefined;
export const models = (): Models => {
  loaded ??= {
    attack: loadModel("firewall"),
    request: loadModel("firewall-request"),
    gate: loadModel("firewall-gate"),
  };
  return loaded;
};

/** What a way to keep text from readers adds to the logit: honest pages hide menus and labels, seldom sentences. */
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
  template: 0.5,
  svg: 0.6,
  srcdoc: 0.4,
};
/** Decoded text was meant for machines alone. */
const ENCODED = 2;

/** What hiding adds to the logit of a segment. */
export const hiddenness = (segment: Pick<Segment, "channel" | "concealment">, encoded = false): number =>
  (encoded ? ENCODED : 0) +
  (segment.concealment ? CONCEALED[segment.concealment] : 0) +
  CHANNELS[segment.channel];

/** Many chances to be wrong: what is in the open must be the surer, the more text a page has. */
const PER_SEGMENT = 0.45;
const MOST_DOUBT = 1.8;
export const doubtOf = (openSegments: number): number =>
  Math.min(MOST_DOUBT, PER_SEGMENT * Math.log(Math.max(1, openSegments)));

/** From here on a plain request, harmless in the open, is one that somebody hid. */
export const HIDDEN_ENOUGH = 0.8;
/** Fewer words are a label: "Search", "Enter your name". Scripts without spaces count by their characters. */
const MIN_WORDS = 3;
const isLabel = (text: string): boolean =>
  text.trim().split(/\s+/, MIN_WORDS).length < MIN_WORDS && !/[\u3040-\u9fff\uac00-\ud7af]{6}/.test(text);
/** Requests are told from the labels and notes of honest pages less surely than attacks are. */
const REQUEST_BIAS = -2.2;

/** Quick scores below this are of texts that the whole classifier finds harmless. */
const GATE_LOGIT = -3.2;
/** A point inside an address or a number ends no sentence. */
const SENTENCE = /(?:[^.!?。！？\n]|[.!?](?![\s.!?]|$))+(?:[.!?。！？\n]+|$)/g;
/** An address or a name by itself says nothing to anybody. */
const BARE_WORD = /^\s*[\w.:/@?&=#%+~-]*[./:@_=-][\w.:/@?&=#%+~-]*\s*$/;
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
}

/** Sentences, and pairs of neighbours: an order and its payload are often two. */
const windowsOf = (text: string): Window[] => {
  const sentences: Window[] = [];
  for (const match of text.matchAll(SENTENCE)) {
    if (match[0].trim().length < 6) continue;
    sentences.push({ from: match.index, to: match.index + match[0].length });
    if (sentences.length >= MAX_SENTENCES) break;
  }
  const pairs = sentences.slice(1).map(({ to }, i) => ({ from: sentences[i]!.from, to }));
  const whole = { from: 0, to: text.length };
  return sentences.length <= 1 ? [whole] : [...sentences, ...(sentences.length > 2 ? pairs : []), whole];
};

/**
 * The riskiest sentence, pair of sentences or whole of a text.
 * @param hidden what hiding adds (hiddenness)
 * @param isOpen whether people see it: then the quick classifier goes first, and plain requests are no risk
 */
export const riskOfText = (text: string, hidden: number): TextRisk => {
  const { attack, request, gate } = models();
  const isOpen = hidden < HIDDEN_ENOUGH;
  let best: TextRisk = { risk: 0, kind: "attack", from: 0, to: text.length };
  const consider = (logit: number, kind: TextRisk["kind"], { from, to }: Window): void => {
    const risk = logistic(logit);
    if (risk > best.risk) best = { risk, kind, from, to };
  };
  // One long word may be a sentence whose spaces were taken out.
  const isWord = text.length > 24 && !/\s/.test(text.trim());
  for (const window of windowsOf(text)) {
    const words = window.to - window.from === text.length ? text : text.slice(window.from, window.to);
    if (BARE_WORD.test(words) || (isLabel(words) && !isWord)) continue;
    if (isOpen && gate.logits(words)[0]! < GATE_LOGIT) continue;
    consider(attack.logits(words)[0]! + hidden, "attack", window);
    if (!isOpen) consider(request.logits(words)[0]! + hidden + REQUEST_BIAS, "request", window);
  }
  return best;
};
