/** Hidden costs, hidden subscriptions, sneaking into the basket, hard to cancel, disguised ads: what is kept out of sight. */

import { contrast } from "../../pages/color.ts";
import { type Concealment, isShown } from "../../pages/computed-style.ts";
import { elementText } from "../../pages/element.ts";
import { evidenceIn } from "../../pages/evidence.ts";
import type { Segment } from "../../pages/page-model.ts";
import { attribute, type Element } from "../../pages/parse-html.ts";
import { priceIn } from "./pressure.ts";
import {
  ancestors,
  atElement,
  type Hit,
  hit,
  inText,
  isSaid,
  MAX_HITS,
  textsLike,
  type View,
} from "./view.ts";
import { CANCEL_WORDS, LEAST_TERM, ONLINE_WORDS, OTHER_WAY_WORDS, withWords } from "./words.ts";

const FEE =
  /\b(?:service|handling|care (?:&|and) handling|processing|convenience|booking|facility|resort|cleaning|administration|admin|platform|transaction|order|small order|payment|destination|amenity|delivery service)\s+(?:fee|charge|surcharge|cost)s?\b|\bcare (?:&|and) handling\b|\b(?:servicegebühr|bearbeitungsgebühr|frais de service)\b/i;
const SUMMARY =
  /\b(?:sub-?total|total|order summary|due (?:now|today)|checkout|you pay|gesamt|zwischensumme)\b/i;
const DISCLOSED =
  /\b(?:fees? (?:included|incl)|includ(?:es|ing) (?:all )?(?:fees|taxes and fees|service)|no (?:hidden |extra )?fees|all-in price|total price includes)\b/i;

const RENEWS =
  /\b(?:auto(?:matic(?:ally)?)?[- ]?(?:renew\w*|re-?bill\w*)|renews? (?:automatically|at|for|each|every)|recurring (?:billing|charge|payment|subscription)|will be (?:charged|billed)[^.\n]{0,60}(?:month|year|week|trial|unless|until)|(?:then|after(?: that)?|thereafter),?[^.\n]{0,24}[$€£]?\s?\d[\d.,]*\s?€?\s*(?:\/|per|a|each|every)\s?(?:mo|month|year|week)|until (?:you )?cancel\w*|verlängert sich automatisch|se renouvelle)/i;
const TRIAL =
  /\b(?:free (?:\d+[- ]?(?:day|week|month)s? )?trial|try (?:it )?(?:for )?free|\d+[- ]days? free|free for \d+|trial (?:membership|offer|period)|[$€£]\s?[01](?:\.\d\d)? (?:trial|for your first)|gratis testen)\b/i;
const ADDED_TRIAL =
  /\b(?:trial|subscription|membership|vip)\b[^.\n]{0,60}\b(?:added|included|starts?|begins?) (?:to|with|in|by)\b[^.\n]{0,30}\b(?:order|purchase|cart|basket|checkout)|\b(?:by (?:completing|placing)|with) (?:this|your) (?:order|purchase)\b[^.\n]{0,60}\b(?:trial|subscription|membership|club)/i;
/** Something free to be started or had, which is a trial where a price follows; what stays free is left out. */
const FREE_OFFER =
  /\b(?:start|get|claim|try|order|grab|receive|unlock)\b[^.\n]{0,24}\bfree (?!(?:shipping|delivery|returns?|quote|estimate|consultation|account|newsletter|guide|e-?book|download|app)\b)/i;
const CANCELED = /\bcancel|kündig|résili|disdett/i;
const SMALL_PX = 10;
const FAINT = 3;

/** Names of form fields that order something paid beside what was chosen. */
export const EXTRA_NAME =
  /insurance|protection[-_]?plan|warranty|donation|addon|add[-_]on|breakage|gift[-_]?wrap|upsell/i;

const EXTRA =
  /\b(?:insurance|protection|warranty|donation|gift wrap\w*|magazine|trial|membership|support plan|carbon|versicherung)\b/i;
const ADDED =
  /\b(?:(?:has|have|was|were) (?:been )?(?:automatically )?added|we(?:'ve| have)? added|added (?:automatically|for you|to your (?:cart|order|basket))|automatically (?:added|included))\b/i;
const BASKET = /\b(?:cart|basket|order summary|your order|bag|warenkorb|panier)\b/i;
const YOU_ADDED = /\byou (?:just )?(?:added|chose|selected)\b|item (?:was )?added/i;

const CANCELS = withWords(
  /\b(?:cancel\w*|end|terminate|close|stop)\b[^.\n]{0,60}\b(?:subscription|membership|plan|account|renewal|contract|service|auto[- ]?(?:renew\w*|delivery)|at any time)|\b(?:subscription|membership|plan|account)s?\b[^.\n]{0,60}\bcancel\w*/i,
  CANCEL_WORDS,
);
const BY_OTHER_WAYS = withWords(
  /\b(?:by (?:phone|telephone|calling|letter|post|mail|fax|writing|contacting|e-?mailing|speaking)|call(?:ing)? (?:us|our|the|customer|\+?\d|1-)|phone us|in writing|registered (?:mail|letter)|write to us|visit (?:a|our|your) (?:store|branch|shop|office)|contact (?:our )?(?:customer|support|member|retention|us)|speak (?:to|with) (?:a|an|our)|telefonisch|schriftlich|per (?:post|brief))/i,
  OTHER_WAY_WORDS,
);
const ONLINE_TOO = withWords(
  /\b(?:online|in your account|account settings|with one click|in the app|at any time in|through your (?:account|profile)|click (?:here )?to cancel|im kundenkonto)\b/i,
  ONLINE_WORDS,
);
const NOT_ONLINE =
  /\b(?:not|cannot|can'?t|no)\b[^.\n]{0,30}\bonline\b|online[^.\n]{0,30}\b(?:not|unavailable)\b/i;
const SIGNS_UP =
  /^(?:sign up|subscribe|join|start|register|buy|order|get started|become a member|start (?:my|your)|jetzt|abonnieren|anmelden|mitglied werden|s'abonner|s'inscrire|suscrib|abbonati|iscriviti|aanmelden|abonneren)/i;

const AD_NAME =
  /(?:^|[\s_-])(?:ad|ads|advert\w*|adslot|ad-?(?:unit|slot|container|banner|box)|sponsored|promoted|native-ad|taboola|outbrain|dfp)(?:$|[\s_-])/i;
const AD_HOST =
  /(?:doubleclick\.net|googlesyndication\.com|taboola\.com|outbrain\.com|adnxs\.com|amazon-adsystem\.com|criteo\.|adform\.net|media\.net)/i;
const AD_LABEL =
  /\b(?:ad|ads|advert\w*|sponsored|promoted|promotion|paid (?:content|partnership)|anzeige|werbung|publicité|sponsorisé|publicidad|anuncio)\b/i;

interface Label {
  element: Element;
  readable: boolean;
}

/** @param later the next step of the same purchase */
export function hiddenCosts(view: View, later: View | undefined): Hit[] {
  const found: Hit[] = [];
  if (later) {
    const before = feeLines(view).length;
    const added = feeLines(later);
    if (before === 0 && added.length > 0 && !isSaid(view, DISCLOSED))
      found.push(hit("hidden-costs", "fee-appears-later", true, 0.9, inText(later, added[0]!.segment)));
  }
  if (!isSaid(view, SUMMARY) || isSaid(view, DISCLOSED)) return found;
  for (const { segment } of feeLines(view).slice(0, 3))
    found.push(hit("hidden-costs", "fee-in-the-summary", false, 0.7, inText(view, segment)));
  return found;
}

const feeLines = (view: View) => textsLike(view, FEE, 400).filter(({ text }) => /\d/.test(text));

export function hiddenSubscription(view: View): Hit[] {
  const found: Hit[] = [];
  const offers = (offer: RegExp): boolean =>
    isSaid(view, offer) || view.controls.some(({ text }) => offer.test(text));
  const offersFree = offers(FREE_OFFER);
  const offersTrial = offersFree || offers(TRIAL);
  // Small print may be hidden, too.
  for (const segment of view.page.segments) {
    const { text } = segment;
    if (segment.channel !== "text" || text.length > 2_000) continue;
    if (ADDED_TRIAL.test(text) && isShown(segment.concealment))
      found.push(
        hit("hidden-subscription", "trial-comes-with-the-purchase", true, 0.8, inText(view, segment)),
      );
    else if (offersTrial && RENEWS.test(text) && isSmallPrint(view, segment.element, segment.concealment))
      found.push(
        hit("hidden-subscription", "renewal-in-small-print", true, 0.85, evidenceIn(view.page, segment)),
      );
    else if (offersFree && RENEWS.test(text) && !CANCELED.test(view.whole))
      found.push(
        hit("hidden-subscription", "free-offer-renews-at-a-price", false, 0.75, inText(view, segment)),
      );
    if (found.length >= 3) return found;
  }
  for (const { segment } of textsLike(view, LEAST_TERM, 400))
    if (found.length < MAX_HITS && isSmallPrint(view, segment.element, segment.concealment))
      found.push(hit("hidden-subscription", "term-in-small-print", true, 0.8, inText(view, segment)));
  if (offersTrial && found.length === 0 && !isSaid(view, RENEWS)) {
    const asksCard = view.controls.some(
      ({ kind, text, element }) =>
        kind === "input" &&
        /card|iban|cc-number/i.test(
          `${text} ${attribute(element, "autocomplete") ?? ""} ${attribute(element, "name") ?? ""}`,
        ),
    );
    const [trial] = textsLike(view, TRIAL);
    if (asksCard && trial)
      found.push(
        hit(
          "hidden-subscription",
          "trial-asks-for-a-card-and-tells-no-price",
          false,
          0.7,
          inText(view, trial.segment),
        ),
      );
  }
  return found;
}

/** Small print: what can hardly be read, or only after a click. */
function isSmallPrint(view: View, element: Element | null, concealment: Concealment | null): boolean {
  if (!isShown(concealment)) return true;
  if (!element) return false;
  for (const at of [element, ...ancestors(element, 6)]) {
    const known = view.page.styles.get(at);
    if (known)
      return (
        known.fontPx <= SMALL_PX ||
        (known.background !== null && contrast(known.color, known.background) < FAINT)
      );
  }
  return false;
}

/** @param later the basket after a step in which nothing was added */
export function sneakIntoBasket(view: View, later: View | undefined): Hit[] {
  const found: Hit[] = [];
  const added = textsLike(view, ADDED, 300).filter(({ text }) => EXTRA.test(text) && !YOU_ADDED.test(text));
  for (const { segment } of added.slice(0, MAX_HITS))
    found.push(hit("sneak-into-basket", "extra-added", true, 0.85, inText(view, segment)));
  for (const { element } of view.page.elements) {
    if (found.length >= MAX_HITS) break;
    if (element.tagName !== "input" || attribute(element, "type")?.toLowerCase() !== "hidden") continue;
    const name = attribute(element, "name") ?? "";
    if (
      (EXTRA_NAME.test(name) || /protection/i.test(name)) &&
      /^(?:1|true|yes|on)$/i.test(attribute(element, "value") ?? "")
    )
      found.push(hit("sneak-into-basket", "extra-in-a-hidden-field", true, 0.8, atElement(view, element)));
  }
  if (later && isSaid(later, BASKET)) {
    const known = new Set(view.texts.map(({ text }) => text));
    const extra = textsLike(later, EXTRA).find(
      ({ text }) => !known.has(text) && (priceIn(text) ?? 0) > 0 && !/^add\b/i.test(text),
    );
    if (extra && !isSaid(view, EXTRA))
      found.push(hit("sneak-into-basket", "extra-appears-later", true, 0.85, inText(later, extra.segment)));
  }
  if (found.length === 0 && isSaid(view, BASKET))
    for (const { segment } of textsLike(view, EXTRA, 120)
      .filter(({ text }) => /\bremove\b/i.test(text))
      .slice(0, MAX_HITS))
      found.push(hit("sneak-into-basket", "extra-to-be-removed", false, 0.7, inText(view, segment)));
  return found.slice(0, MAX_HITS);
}

export function hardToCancel(view: View): Hit[] {
  const signsUp = view.controls.some(
    ({ kind, text }) => (kind === "button" || kind === "link") && SIGNS_UP.test(text.trim()),
  );
  return textsLike(view, CANCELS)
    .filter(({ text }) => BY_OTHER_WAYS.test(text))
    .filter(({ text }) => NOT_ONLINE.test(text) || !ONLINE_TOO.test(text))
    .filter(({ text }) => !/\border\b(?!.*(?:subscription|membership|renew))/i.test(text))
    .slice(0, 3)
    .map(({ segment }) => {
      const rule = signsUp ? "online-in-other-ways-out" : "only-other-ways-out";
      return hit("hard-to-cancel", rule, signsUp, 0.8, inText(view, segment));
    });
}

export function disguisedAds(view: View): Hit[] {
  const found: Hit[] = [];
  const seen = new Set<Element>();
  let labels: Map<Element, Segment> | undefined;
  for (const { element, style } of view.page.elements) {
    if (found.length >= 3 || !isShown(style.concealment) || seen.size > 100) break;
    if (
      element.tagName === "script" ||
      !isAd(element) ||
      elementText(element) === "" ||
      [...ancestors(element, 6)].some((outer) => seen.has(outer))
    )
      continue;
    seen.add(element);
    labels ??= labelsByElement(view);
    const label = labelOfAd(view, element, labels);
    if (!label)
      found.push(
        hit("disguised-ads", "no-label", false, 0.7, atElement(view, element, elementText(element))),
      );
    else if (!label.readable)
      found.push(
        hit(
          "disguised-ads",
          "label-cannot-be-read",
          true,
          0.8,
          atElement(view, element, elementText(element)),
        ),
      );
  }
  return found;
}

function isAd(element: Element): boolean {
  const relation = attribute(element, "rel");
  if (relation !== undefined && /\bsponsored\b/i.test(relation)) return true;
  const address = attribute(element, "href") ?? attribute(element, "src");
  if (address !== undefined && AD_HOST.test(address)) return true;
  const names = attribute(element, "class");
  return names !== undefined && AD_NAME.test(names.slice(0, 200));
}

/** The first segment inside each element that says what an advertisement must: read once, for all advertisements. */
function labelsByElement({ page }: View): Map<Element, Segment> {
  const labels = new Map<Element, Segment>();
  for (const segment of page.segments) {
    const { channel, text, element } = segment;
    if (channel !== "text" || text.length >= 200 || element === null || !AD_LABEL.test(text)) continue;
    for (const outer of [element, ...ancestors(element, 8)])
      if (!labels.has(outer)) labels.set(outer, segment);
  }
  return labels;
}

/** The label of an advertisement: words of it, or beside it. */
function labelOfAd(view: View, ad: Element, labels: ReadonlyMap<Element, Segment>): Label | undefined {
  const around = [ad, ...ancestors(ad, 2)].filter(
    (element) => element === ad || elementText(element).length < 400,
  );
  for (const outer of around) {
    if (!AD_LABEL.test(elementText(outer))) continue;
    const segment = labels.get(outer);
    if (!segment) continue;
    return { element: outer, readable: !isSmallPrint(view, segment.element, segment.concealment) };
  }
  return undefined;
}
