/** Urgency, scarcity, social proof, pressured selling, bait and switch: what presses people to decide. */
import { attribute, type Element } from "../../pages/parse-html.ts";
import {
  atElement,
  type Hit,
  hit,
  inText,
  isSaid,
  MAX_HITS,
  type SeenText,
  textsLike,
  type View,
} from "./view.ts";
import { CROWD_WORDS_OF_OTHERS, SCARCE_WORDS, URGENT_WORDS, withWords } from "./words.ts";

/** A clock that runs down: 14:59, 02h 10m, 1 day 3 hours 4 minutes. */
const CLOCK =
  /\b\d{1,3}\s*:\s*[0-5]\d(?:\s*:\s*[0-5]\d)?\b|\b\d{1,3}\s*(?:d|days?|h|hrs?|hours?|m|mins?|minutes?)\b[\s:,]{0,3}\d{1,2}\s*(?:h|hrs?|hours?|m|mins?|minutes?|s|secs?|seconds?)\b/i;
const URGENT = withWords(
  /\b(?:hurry|(?:sale|deal|offer|discount|price|promo\w*)\b[^.\n]{0,24}\b(?:ends?|expires?|ending) (?:in|soon|tonight|today)|ends in|expires in|last chance|limited[- ]time|time is running out|only today|today only|order within|reserved for|act now|don'?t wait|before it'?s too late|nur noch heute|nur heute|endet in|schnell sein|dernière chance|se termine dans|solo hoy|termina en)\b/i,
  URGENT_WORDS,
);
/** A real end that can be checked: a date. */
export const DATED =
  /\b(?:\d{1,2}(?:\.|st|nd|rd|th)? (?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)|(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}|\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})\b/i;
/** Times of the day, and lengths of what runs. */
export const OPENING =
  /\d\s?:\s?[0-5]\d\s?[–—-]\s?\d|open(?:ing)?|hours|monday|mon\b|geöffnet|starts? at|begins? at|doors|departure|arrival|duration|runtime|playtime|video/i;

/** Smaller numbers are steps and places, no times. */
const LEAST_TIME = 10;
const NUMBER = /^\d{1,12}(?:e\d)?$/i;
const NOW = /^(?:now|getTime|Date)$/;
const TIMER = /setInterval|requestAnimationFrame|setTimeout/;

const SECONDS = /\b(\d{1,3})\s*:\s*([0-5]\d)(?:\s*:\s*([0-5]\d))?\b/;

const SCARCE = withWords(
  /\b(?:only|just|nur noch|plus que|sólo quedan|last)\s+(?:a few|few|\d{1,3})\b[^.\n]{0,40}\b(?:left|remaining|available|in stock|rooms?|seats?|spots?|items?|pieces?|auf lager|verfügbar|restants?)\b|\b\d{1,3}\s+(?:left(?!-\w| (?:turn|hand|side|lane|foot|arm|eye|column|panel))|remaining|pieces? left|items? left)\b|\b(?:low (?:in )?stock|almost (?:gone|sold out|out of stock)|nearly sold out|selling (?:out )?fast|going fast|in high demand|high demand|last one|few left|limited (?:stock|quantit\w+|availability|supply))\b/i,
  SCARCE_WORDS,
);
const MADE_UP = /Math\.(?:floor|ceil|round)?\(?\s*Math\.random\(\)|Math\.random\(\)/;
const STOCK_WORDS = /stock|left|remaining|quantity|available/i;
const CROWD_WORDS = /view|watch|people|visitor|bought|purchas|customer|cart|someone/i;

const CROWD = withWords(
  /\b(?:\d[\d,.]*\+?|someone|several|many)\s+(?:other )?(?:people|persons?|customers?|users?|shoppers?|visitors?|others|travell?ers)\b[^.\n]{0,40}\b(?:view\w*|looking|watching|added|bought|purchased|in (?:their|this) (?:cart|basket)|booked|right now|active)\b|\b\d[\d,.]* (?:sold|viewed|bought|booked|purchased)\b[^.\n]{0,30}\b(?:last|past|today|hours?|days?|week)\b|\b(?:someone|[A-Z][a-z]+(?: [A-Z]\.)?)\s+(?:from|in|near)\s+[A-Z][\w\s,.]{1,60}?\s+(?:just )?(?:bought|purchased|ordered|booked)\b|\bjust (?:bought|purchased|ordered|booked)\b|\bbooked \d+ times\b/,
  CROWD_WORDS_OF_OTHERS,
);

const GUILT =
  /\b(?:are you sure you (?:want to|don'?t want)|don'?t (?:leave|miss|risk|go|lose)\b|wait[!,.]|before you go|unprotected|without (?:protection|insurance|cover)[^.\n]{0,50}\b(?:risk|pay|could|may|might|lose)|you(?:'ll| will| could| may) (?:regret|lose|miss out|have to pay)|you'?re about to lose|last chance to (?:add|upgrade))\b|\bwait!/i;
const UPSELL =
  /\b(?:upgrade|add|protect\w*|insur\w*|premium|plus|extra|bundle|plan|warranty|deal|offer|discount|pro)\b/i;

const GONE =
  /\b(?:(?:this|the) (?:item|product|offer|deal|model|price|room) (?:is |has )?(?:(?:no longer|not) available|sold out|expired|ended)|(?:sold out|unavailable) at this price)\b[^\n]{0,120}/i;
const INSTEAD = /\b(?:instead|similar|alternative|upgrade|try|consider|now (?:from|only)|available for)\b/i;
const PRICE = /(?:[$€£]\s?(\d{1,6}(?:[.,]\d{2})?)|\b(\d{1,6}(?:[.,]\d{2})?)\s?(?:€|EUR|USD|GBP)\b)/;

/** @param secondsLater between the snapshots: an honest clock has run down by as much */
export function urgency(view: View, later: View | undefined, secondsLater: number | undefined): Hit[] {
  const urgent = urgentTexts(view).slice(0, 5);
  if (urgent.length === 0) return [];
  const isRestarted = TIMER.test(view.script) && beginsAnew(view.script);
  const marked = view.page.elements.some(({ element }) => isSetTimer(element));
  const [before] = clocksOf(view);
  const [after] = later ? clocksOf(later) : [];
  const isSame =
    before !== undefined &&
    after !== undefined &&
    // No clock that runs down shows more time later; how much less is honest, the seconds between tell.
    ((after.around === before.around && after.seconds > before.seconds) ||
      (secondsLater !== undefined && secondsLater >= 5 && after.seconds > before.seconds - secondsLater / 2));
  return urgent.map(({ text, segment }) => {
    const hasClock = CLOCK.test(text) || marked;
    const deceptive = (hasClock || isRestarted) && (isSame || isRestarted || marked);
    const rule = isSame
      ? "countdown-restarts-between-visits"
      : deceptive
        ? "countdown-set-by-the-page"
        : hasClock
          ? "countdown"
          : "limited-time-claim";
    return hit("fake-urgency", rule, deceptive, deceptive ? 0.9 : 0.75, inText(view, segment));
  });
}

/** What urges, and bare clocks on a page that urges elsewhere or sets timers. */
function urgentTexts(view: View): SeenText[] {
  const hasClocks = TIMER.test(view.script) || isSaid(view, URGENT);
  const urgent = hasClocks
    ? view.texts.filter(
        ({ text }) => text.length <= 400 && (URGENT.test(text) || (text.length < 80 && CLOCK.test(text))),
      )
    : textsLike(view, URGENT, 401);
  return urgent.filter(({ text }) => !OPENING.test(text) && !DATED.test(text));
}

/** Whether a time begins anew with the page: a number that is counted down, or one that is added to the present time. */
export function beginsAnew(script: string): boolean {
  if (restarts(script)) return true;
  const tokens = script.match(/[\w$]+|--|-=|=+|\S/g) ?? [];
  const numbers = new Set<string>();
  const used = new Set<string>();
  for (const [i, token] of tokens.entries()) {
    const [before, after, next = ""] = [tokens[i - 1], tokens[i + 1], tokens[i + 2]];
    // `for (i = 10`, `for (let i = 10`
    const isOfLoop = tokens[i - 2] === "for" || tokens[i - 3] === "for";
    if (after === "=" && !isOfLoop && NUMBER.test(next) && Number(next) >= LEAST_TIME) numbers.add(token);
    if (after === "--" || before === "--" || (after === "-=" && next === "1")) used.add(token);
    // `Date.now() + span`, `new Date().getTime() + span`, `+new Date + span`
    if (before === "+" && NOW.test(tokens[tokens[i - 2] === ")" ? i - 4 : i - 2] ?? "")) used.add(token);
  }
  return [...used].some((name) => numbers.has(name));
}

/** A script that sets the end from now, or starts a counter from a number. */
export const restarts = (script: string): boolean =>
  /(?:Date\.now\(\)|new Date\(\)(?:\.getTime\(\))?|\+new Date)\s*\+\s*[\d(]/i.test(script) ||
  movesClock(script) ||
  startsCounter(script);

/** `end.setMinutes(end.getMinutes() + 15)`: the second call inside the first. */
function movesClock(script: string): boolean {
  let inside = false;
  for (const [token] of script.matchAll(
    /\)|set(?:Minutes|Hours|Seconds)\(|get(?:Minutes|Hours|Seconds)\(\)\s*\+/gi,
  )) {
    const isSet = /^set/i.test(token);
    if (inside && !isSet && token !== ")") return true;
    inside = isSet;
  }
  return false;
}

/** `let timeLeft = 15 * 60;` */
function startsCounter(script: string): boolean {
  for (const [, name = ""] of script.matchAll(
    /(?:let|var|const)\s+(\w+)\s*=\s*\d+(?:\s*\*\s*\d+)*\s*[;,\n]/gi,
  ))
    if (/time|left|remaining|countdown|seconds|timer|duration/i.test(name)) return true;
  return false;
}

/** A timer that the page gives its time. */
function isSetTimer(element: Element): boolean {
  const names = attribute(element, "class");
  return (
    names !== undefined &&
    /countdown|timer/i.test(names) &&
    element.attrs.some(
      ({ name, value }) =>
        /^data-(?:seconds|minutes|duration|countdown|time)$/.test(name) && /^\d{1,6}$/.test(value),
    )
  );
}

/** Clocks with what stands around them, the same of the same text at another time. */
const clocksOf = (view: View): { around: string; seconds: number }[] =>
  textsLike(view, SECONDS, 200)
    .filter(({ text }) => !OPENING.test(text))
    .flatMap(({ text }) => {
      const seconds = secondsIn(text);
      return seconds === undefined ? [] : { around: text.replace(/\d+/g, "#"), seconds };
    });

function secondsIn(text: string): number | undefined {
  const clock = SECONDS.exec(text);
  if (!clock) return undefined;
  const [, a, b, c] = clock;
  return c === undefined ? Number(a) * 60 + Number(b) : Number(a) * 3_600 + Number(b) * 60 + Number(c);
}

export function scarcity(view: View, later: View | undefined): Hit[] {
  const random = MADE_UP.test(view.script) && isMadeUp(view.script, STOCK_WORDS);
  return textsLike(view, SCARCE, 250)
    .slice(0, 5)
    .map(({ text, segment }) => {
      const shape = text.replace(/\d+/g, "#");
      const again = later?.texts.find((other) => other.text.replace(/\d+/g, "#") === shape);
      const [one, two] = [firstNumber(text), again && firstNumber(again.text)];
      const rises = one !== undefined && two !== undefined && two > one;
      const deceptive = random || rises;
      const rule = rises ? "stock-rises-by-itself" : random ? "stock-made-up-by-the-page" : "low-stock-claim";
      return hit("fake-scarcity", rule, deceptive, deceptive ? 0.9 : 0.8, inText(view, segment));
    });
}

/** Text near a random number in the scripts. */
function isMadeUp(script: string, words: RegExp): boolean {
  for (const match of script.matchAll(/Math\.random\(\)/g))
    if (words.test(script.slice(Math.max(0, match.index - 300), match.index + 300))) return true;
  return false;
}

function firstNumber(text: string): number | undefined {
  const digits = /\d{1,6}/.exec(text)?.[0];
  return digits === undefined ? undefined : Number(digits);
}

export function socialProof(view: View, later: View | undefined): Hit[] {
  const random = isMadeUp(view.script, CROWD_WORDS);
  const names =
    /\[\s*["'][A-Z][a-z]+["']\s*,\s*["'][A-Z][a-z]+["']\s*,\s*["'][A-Z][a-z]+["']/.test(view.script) &&
    CROWD_WORDS.test(view.script);
  return textsLike(view, CROWD, 250)
    .slice(0, 5)
    .map(({ text, segment }) => {
      const again = later?.texts.find(
        (other) => CROWD.test(other.text) && other.text.replace(/\d+/g, "#") === text.replace(/\d+/g, "#"),
      );
      const swings =
        again !== undefined &&
        Math.abs((firstNumber(again.text) ?? 0) - (firstNumber(text) ?? 0)) >
          Math.max(5, 0.5 * (firstNumber(text) ?? 0));
      const deceptive = random || names || swings;
      const rule = swings
        ? "activity-changes-wildly"
        : deceptive
          ? "activity-made-up-by-the-page"
          : "activity-claim";
      return hit("fake-social-proof", rule, deceptive, deceptive ? 0.9 : 0.8, inText(view, segment));
    });
}

/** In a dialog, or on a page of its own between basket and payment. */
export function pressuredSelling(view: View): Hit[] {
  const found: Hit[] = [];
  for (const dialog of view.dialogs)
    if (GUILT.test(dialog.text) && UPSELL.test(dialog.text))
      found.push(
        hit(
          "pressured-selling",
          "fear-in-an-offer-dialog",
          true,
          0.8,
          atElement(view, dialog.element, dialog.text),
        ),
      );
  if (found.length > 0) return found.slice(0, 3);
  return textsLike(view, GUILT, 300)
    .filter(({ text }) => UPSELL.test(text))
    .slice(0, 3)
    .map(({ segment }) =>
      hit("pressured-selling", "fear-beside-an-offer", false, 0.7, inText(view, segment)),
    );
}

export function priceIn(text: string): number | undefined {
  const match = PRICE.exec(text);
  const digits = match?.[1] ?? match?.[2];
  return digits === undefined ? undefined : Number(digits.replace(",", "."));
}

export function baitAndSwitch(view: View, later: View | undefined): Hit[] {
  const found: Hit[] = [];
  for (const { segment } of textsLike(view, GONE, 400)
    .filter(({ text }) => INSTEAD.test(text))
    .slice(0, MAX_HITS))
    found.push(hit("bait-and-switch", "offer-gone-other-pushed", false, 0.7, inText(view, segment)));
  const advertised = advertisedPrice(view);
  const shown = advertised || later ? shownPrices(view) : [];
  if (advertised && shown.length > 0 && shown.every(({ price }) => price > advertised.price * 1.01))
    found.push(hit("bait-and-switch", "dearer-than-advertised", true, 0.75, inText(view, shown[0]!.segment)));
  const after = later && shownPrices(later);
  if (after?.length && shown.length === 1 && after.length === 1 && after[0]!.price > shown[0]!.price * 1.01)
    found.push(
      hit("bait-and-switch", "price-rises-between-visits", true, 0.7, inText(view, shown[0]!.segment)),
    );
  return found.slice(0, 3);
}

/** The price in the structured data of the page, which search results and comparison sites show. */
export function advertisedPrice(
  view: View,
): { price: number; segment: View["texts"][number]["segment"] } | undefined {
  for (const { element } of view.page.elements) {
    if (element.tagName !== "meta") continue;
    const property = attribute(element, "property") ?? attribute(element, "itemprop") ?? "";
    if (!/^(?:product:price:amount|og:price:amount|price)$/.test(property)) continue;
    const price = Number((attribute(element, "content") ?? "").replace(",", "."));
    if (price > 0) return { price, segment: view.page.segments[0]! };
  }
  // The dearest of several; what is free is an offer of its own.
  let price = 0;
  for (const [, amount] of view.script.matchAll(/"price"\s*:\s*"?(\d{1,6}(?:\.\d{1,2})?)"?/g))
    price = Math.max(price, Number(amount));
  return price > 0 ? { price, segment: view.page.segments[0]! } : undefined;
}

const shownPrices = (view: View): { price: number; segment: View["texts"][number]["segment"] }[] =>
  view.texts
    .filter(({ text }) => text.length < 120)
    .map(({ text, segment }) => ({ price: priceIn(text), segment }))
    .filter(
      (one): one is { price: number; segment: View["texts"][number]["segment"] } => one.price !== undefined,
    );
