/** Whether what a pattern could show on is there: where it is not, nothing is said of the pattern. */
import { PATTERN_IDS, type PatternId } from "../../../schemas/dark-pattern.ts";
import { SURFACES } from "../../../schemas/tables.ts";
import { spokenLanguage } from "../../pages/language.ts";
import { PATTERNS, type Surface } from "./catalogue.ts";
import { isChoice, REFUSES } from "./choices.ts";
import { CONSENT_DIALOG, consentQuestions } from "./consent.ts";
import { advertisedPrice, priceIn } from "./pressure.ts";
import type { View } from "./view.ts";
import { isCovered } from "./words.ts";

/** UTF-16 units of visible text from which a page says something: a heading and two sentences. */
const LEAST_TEXT = 100;
const CONTRACT =
  /subscri|member|\bcancel|\brenew|\btrial\b|\babo|kündig|mitglied|abonne|résili|suscri|abbonam|laufzeit|vertrag|contrat|engagement|contract|opzeg|disdett|(?:per|a|\/) ?month|pro monat/i;
const BASKET =
  /\bsub-?total\b|\border summary\b|\byour (?:cart|basket|bag|order)\b|\bzwischensumme\b|\bsous-total\b/i;
const OFFERS =
  /^(?:add to|buy|order|check ?out|book|reserve|subscribe|join|start|get|donate|in den warenkorb|kaufen|bestellen|buchen|jetzt|ajouter|acheter|commander|comprar|añadir|acquista)\b/i;
const MAX_PRICED_CHARS = 300;

const NOT_COVERED = "that no words of this pattern were seen says little in the page's language";

/** Why nothing can be said of patterns that were not found; those that this leaves out would have shown. */
export type NotDeterminable = Partial<Record<PatternId, string>>;

/**
 * @param view undefined: no page was seen
 * @param isWhole the whole page was read
 */
export function notDeterminable(
  view: View | undefined,
  later: View | undefined,
  isWhole: boolean,
): NotDeterminable {
  const reasonOfAll = view ? (isWhole ? undefined : "part of the page was not read") : "no page was seen";
  const surfaces = view && !reasonOfAll ? surfacesOf(view, later) : new Set<Surface>();
  const language = view ? spokenLanguage(view.whole, view.page.language) : null;
  return Object.fromEntries(
    PATTERN_IDS.flatMap((pattern) => {
      const { needs } = PATTERNS[pattern];
      if (!surfaces.has(needs)) return [[pattern, reasonOfAll ?? `it takes ${SURFACES[needs]} to see it`]];
      if (pattern === "privacy-zuckering" && view && isUnclear(view))
        return [[pattern, "language_not_covered: what the buttons beside it say is not known"]];
      return isCovered(pattern, language)
        ? []
        : [[pattern, `language_not_covered: ${NOT_COVERED} (${language ?? "which is not known"})`]];
    }),
  );
}

function surfacesOf(view: View, later: View | undefined): ReadonlySet<Surface> {
  const { page, whole, dialogs, controls } = view;
  const isAsked = dialogs.length > 0 || controls.some(({ text }) => REFUSES.test(text.trim()));
  const has: Record<Surface, boolean> = {
    text: whole.length >= LEAST_TEXT,
    offer: offers(view),
    choice: controls.some(isChoice),
    question: isAsked,
    "styled question": isAsked && page.externalStyles === 0 && !page.stylesIncomplete,
    consent: dialogs.some(({ text }) => CONSENT_DIALOG.test(text)),
    contract: CONTRACT.test(whole),
    basket: later !== undefined || BASKET.test(whole),
    "advertised price": later !== undefined || advertisedPrice(view) !== undefined,
    "next step": later !== undefined,
    "next visit": later !== undefined || dialogs.length > 0,
  };
  return new Set((Object.keys(has) as Surface[]).filter((surface) => has[surface]));
}

const offers = ({ controls, texts }: View): boolean =>
  controls.some(({ kind, text }) => (kind === "button" || kind === "link") && OFFERS.test(text.trim())) ||
  texts.some(({ text }) => text.length < MAX_PRICED_CHARS && priceIn(text) !== undefined);

/** Whether a question for consent has no refusal that is known, and something that may be one. */
const isUnclear = (view: View): boolean =>
  consentQuestions(view).some(({ accept, refuse, others }) => !refuse && (!accept || others === "unknown"));
