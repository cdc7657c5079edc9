/** How a page asks for consent: what agrees, what refuses, and whether anything beside them is not understood. */
import { isShown } from "../../pages/computed-style.ts";
import type { Element } from "../../pages/parse-html.ts";
import { attribute } from "../../pages/parse-html.ts";
import { meaningOf } from "./consent-labels.ts";
import { ancestors, type Control, parentElement, type View } from "./view.ts";

export const CONSENT_DIALOG =
  /cookie|consent|privacy|personal data|tracking|partners|gdpr|datenschutz|einwilligung|données personnelles|vie privée|confidentialit|privacidad|datos personales|riservatezza|dati personali|persoonsgegevens|toestemming|dados pessoais|ciasteczk|prywatno|samtyck|samtykke|kakor|informasjonskaps|evästeet|çerez|куки|クッキー/i;

/** A question for consent. Who accuses it of having no refusal needs `others` to be none or to manage alone. */
export interface ConsentQuestion {
  /** Null where it stands in no dialog. */
  readonly dialog: View["dialogs"][number] | null;
  /** Undefined: nothing in it is known to agree. */
  readonly accept: Control | undefined;
  readonly refuse: Control | undefined;
  /** What else can be pressed: `unknown` where anything of it may refuse, for its words are not known. */
  readonly others: "none" | "manages" | "unknown";
}

const BUTTON_LIKE = /btn|button/i;
const MAX_LABEL_CHARS = 60;
/** Ancestors that are searched for a dialog. */
const MAX_DEPTH = 40;

/** Levels around an agreement that is in no dialog, within which its refusal would stand. */
const MAX_LEVELS = 3;
const MAX_TOGETHER = 12;
/** Says what is agreed to, so that it is no button of something else. */
const AGREES_TO_ALL =
  /cookie|\ball(?:e|es|en|er)?\b|\btout|\btod[ao]s?\b|\btutt[io]\b|wszystk|\btudo\b|\balla\b|hepsi|tümü|все\b|すべて|全部|모두/i;

/** The question that a page asks, in a dialog or not. */
export function consentQuestion(view: View): ConsentQuestion | undefined {
  const asked = consentQuestions(view);
  return asked.find(({ accept }) => accept !== undefined) ?? looseQuestion(view) ?? asked[0];
}

/** What a page asks for consent by: its dialogs that speak of it. */
export function consentQuestions(view: View): ConsentQuestion[] {
  const asking = view.dialogs.filter(
    ({ text, controls }) => CONSENT_DIALOG.test(text) && controls.some(isPressable),
  );
  if (asking.length === 0) return [];
  const unmarked = withUnmarkedControls(view, new Set(asking.map(({ element }) => element)));
  return asking.map((dialog) => questionOf(dialog, unmarked.has(dialog.element)));
}

const isPressable = ({ kind }: Control): boolean => kind === "button" || kind === "link";

/**
 * Of these elements those in which something that is no button or link by its markup may be one: it refuses by its words, or
 * is made to be pressed. One walk up from each short text.
 */
function withUnmarkedControls(view: View, within: ReadonlySet<Element>): ReadonlySet<Element> {
  const known = new Set<Element>(view.controls.map(({ element }) => element));
  const found = new Set<Element>();
  for (const { text, segment } of view.texts) {
    if (!segment.element || text.length > MAX_LABEL_CHARS) continue;
    const path: Element[] = [];
    let inside: Element | undefined;
    for (const element of [segment.element, ...ancestors(segment.element, MAX_DEPTH)]) {
      if (known.has(element)) break;
      if (within.has(element)) inside = element;
      if (inside) break;
      path.push(element);
    }
    if (inside && (path.slice(0, 2).some(isMadeToBePressed) || meaningOf(text) === "refuse"))
      found.add(inside);
  }
  return found;
}

const isMadeToBePressed = (element: Element): boolean =>
  attribute(element, "onclick") !== undefined ||
  attribute(element, "tabindex") !== undefined ||
  BUTTON_LIKE.test(attribute(element, "class")?.slice(0, 200) ?? "");

function questionOf(dialog: View["dialogs"][number], hasUnmarked: boolean): ConsentQuestion {
  const pressable = dialog.controls.filter(isPressable).map((control) => ({
    control,
    meaning: meaningOf(control.text),
  }));
  // What is seen comes first: a second layer has the same buttons again, hidden.
  const first = (...meanings: string[]): Control | undefined => {
    const fitting = pressable.filter(({ meaning }) => meanings.includes(meaning));
    return (fitting.find(({ control }) => isSeen(control)) ?? fitting[0])?.control;
  };
  const isUnknown =
    pressable.some(
      ({ control, meaning }) => meaning === "unknown" && isSeen(control) && !leadsAway(control),
    ) || hasUnmarked;
  // "Accept all" and "Accept these": one of two agreements may be to less, which refuses the rest.
  const agreements = new Set(
    pressable.flatMap(({ control, meaning }) =>
      meaning === "accept" && isSeen(control) ? control.text.trim().toLowerCase() : [],
    ),
  );
  const manages = pressable.some(({ meaning }) => meaning === "manage");
  return {
    dialog,
    accept: first("accept"),
    refuse: first("refuse") ?? first("save"),
    others: isUnknown || agreements.size > 1 ? "unknown" : manages ? "manages" : "none",
  };
}

const isSeen = ({ style }: Control): boolean => isShown(style.concealment);

/** An address of another page: a policy, whatever its link says. */
const leadsAway = ({ element, kind }: Control): boolean =>
  kind === "link" && /^(?:https?:|\/[^/]|[\w-]+\/)/i.test(attribute(element, "href")?.trim() ?? "");

/** A question without a dialog: an agreement to all with what stands around it. */
function looseQuestion(view: View): ConsentQuestion | undefined {
  const pressable = view.controls.filter(isPressable);
  const accept = pressable.find(({ text }) => AGREES_TO_ALL.test(text) && meaningOf(text) === "accept");
  if (!accept) return undefined;
  let around: Element | undefined = accept.element;
  for (let level = 0; level < MAX_LEVELS; level++) {
    around = parentElement(around);
    if (!around) break;
    const element = around;
    const controls = pressable.filter((control) => [...ancestors(control.element, 6)].includes(element));
    if (controls.length > MAX_TOGETHER) break;
    if (controls.length > 1) {
      const hasUnmarked = withUnmarkedControls(view, new Set([element])).size > 0;
      return { ...questionOf({ element, text: "", controls }, hasUnmarked), dialog: null };
    }
  }
  return { dialog: null, accept, refuse: undefined, others: "unknown" };
}
