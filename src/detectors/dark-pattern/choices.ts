/** Trick wording, preselection, confirmshaming, visual interference, nagging, privacy, forced action: how choices are put. */

import { contrast } from "../../pages/color.ts";
import { isShown } from "../../pages/computed-style.ts";
import { attribute } from "../../pages/parse-html.ts";
import { CONSENT_DIALOG, consentQuestions } from "./consent.ts";
import { EXTRA_NAME } from "./money.ts";
import {
  atElement,
  type Control,
  type Hit,
  hit,
  inText,
  isSaid,
  MAX_HITS,
  textsLike,
  type View,
} from "./view.ts";
import { DECLINE_WORDS, SHAME_WORDS, withWords } from "./words.ts";

const DOUBLE_NEGATIVE =
  /\b(?:un-?(?:tick|check|select)|do(?: not|n'?t) (?:tick|check|select|opt|click|leave)|leave (?:this )?(?:box )?(?:un)?(?:ticked|checked)|opt[- ]out)\b[^.\n]{0,80}\b(?:not|don'?t|do not|no longer|unless|without|wouldn'?t|rather not|prefer not|never)\b|\b(?:not|don'?t|do not)\b[^.\n]{0,40}\b(?:un-?(?:tick|check|subscribe)|opt[- ]out|decline|refuse|stop not)\b|\b(?:not want|prefer not|rather not)\b[^.\n]{0,30}\b(?:not|miss|stop)\b/i;

const COSTS =
  /insur|protect|warrant|donat|tip\b|gift (?:wrap|box)|(?:breakage|damage|theft|accident|travel) cover|priority|express|premium|subscri|membership|upgrade|add(?:ed)? .{0,30}[$€£]|[$€£]\s?\d|\d\s?€|support plan|carbon|trial/i;
const CONSENTS =
  /\bnews\b|newsletter|marketing|offers?|promot|partners?|third part|e-?mails? (?:me|about)|sms|text messages|share my|personali[sz]|analytics|advertis|tracking|legitimate interest|profil|werbung|angebote/i;
const HARMLESS =
  /remember me|keep me (?:signed|logged)|same as (?:billing|shipping)|stay signed|necessary|required|essential|strictly|standard (?:shipping|delivery)|terms|angemeldet bleiben|notwendig/i;

/** A box that adds something for an amount, with or without a currency. */
const ADDS = /^\W*(?:yes|add|include|ja|oui|ajouter|sí|añadir|sì|aggiungi)(?![a-zà-ÿ])|hinzufügen/i;
const AMOUNT = /\d[.,]\d{2}(?!\d)/;
const IS_FILTER = /\b(?:under|over|above|below|between|from|up to|unter|über|ab|bis)\b/i;
/** The choice of nothing. */
const IS_NONE = /^(?:no|none|not|without|nein|ohne|keine?|non|sans|sin)\b(?!-)/i;

const DECLINES = withWords(
  /^(?:no\b|nope|nah|i (?:don'?t|do not|hate|prefer|would rather|'d rather|'ll|will)|not? (?:now|today|thanks)|continue without|skip|decline|reject|leave me)/i,
  DECLINE_WORDS,
);
const SHAMES = withWords(
  /\b(?:i (?:don'?t|do not) (?:want|like|need|care|deserve|love)|i(?: would|'d)? (?:prefer|rather|hate|enjoy|like)|i(?:'m| am) (?:not|fine|ok|okay|happy|good)|i'?ll (?:pay|risk|miss|pass|take)|pay(?:ing)? (?:full|more)|full price|miss(?:ing)? out|stay (?:broke|fat|uninformed|boring)|save money|saving|free (?:stuff|money|things)|good deals?|being (?:poor|bored|boring|safe)|bad (?:skin|hair|sleep)|waste money|risk it|lose my|unprotected|the last to know|losing)\b/i,
  SHAME_WORDS,
);
const PLAIN_NO =
  /^(?:no|no,? thanks|no,? thank you|not now|maybe later|decline|reject(?: all)?|skip|close|cancel|i don'?t want (?:this|it)|i do not agree|i disagree|nein|nein,? danke|ablehnen|schließen|abbrechen|später|non|non,? merci|refuser|fermer|plus tard|no,? gracias|cerrar|ahora no|no,? grazie|chiudi|nee|nee,? (?:bedankt|dank je)|sluiten|weigeren|não|não,? obrigado)[.!]?$/i;

const ACCEPTS =
  /^(?:accept|agree|allow|yes|ok\b|okay|got it|continue|i agree|i accept|enable|subscribe|get |claim|start|sign me up|akzeptieren|alle akzeptieren|zustimmen|einverstanden|tout accepter|j'accepte|aceptar)/i;
export const REFUSES =
  /^(?:reject|decline|refuse|deny|no\b|not now|only (?:necessary|essential|required)|necessary only|essential only|use necessary|continue without|cancel|disagree|opt out|do not|don'?t|save (?:my )?(?:choices|settings|preferences)|ablehnen|alle ablehnen|nur notwendige|tout refuser|refuser|continuer sans accepter|rechazar)/i;

/** WCAG 2.2, 1.4.3: below 3 even large text cannot be read by many; refusals are small. */
const FAINT_CONTRAST = 3;

const BY_GOING_ON =
  /\bby (?:continuing|using|browsing|scrolling|clicking|closing|signing|visiting)\b[^.\n]{0,120}\b(?:consent|agree|accept)\b[^.\n]{0,120}\b(?:cookies|tracking|partners|share|sharing|marketing|personal data|third part)/i;
const SHARES_ALL =
  /share (?:my|your) (?:contacts|address book|location|friends)|import (?:my|your) contacts|find friends/i;

const FORCES =
  /\b(?:(?:you (?:must|need to|have to)|please) (?:sign up|register|log ?in|create (?:an|your) account|join|subscribe|download (?:the|our) app|install|share|invite|enter your e-?mail|accept all|disable)|(?:sign up|register|create an account|log ?in|subscribe|enter your e-?mail|download (?:the|our) app|share (?:this|with)[^.\n]{0,30}|invite [^.\n]{0,20}friends?|turn off your ad ?blocker)[^.\n]{0,20}\bto (?:continue|see|view|read|unlock|access|proceed|reveal|use|get)\b)/i;
const FREE_WAY =
  /\b(?:continue|check ?out|proceed|order|go on) (?:as (?:a )?guest|without (?:an account|registering|signing))|guest checkout|no thanks|skip|als gast/i;
const BUNDLES =
  /\b(?:i agree|i accept|i consent|by (?:creating|registering|clicking|signing|submitting|placing|subscribing)[^.\n]{0,60}(?:agree|consent|accept))\b[^.\n]{0,160}\b(?:marketing|newsletters?|promotional|offers|sms|text messages|partners)\b/i;
const WITH_TERMS = /terms|conditions|privacy policy|account|order|agb/i;

const LATER =
  /^(?:maybe later|not now|remind me (?:later|tomorrow|again)|later|ask (?:me )?(?:again )?later|skip for now|not today|später|plus tard)[.!]?$/i;
const NEVER =
  /^(?:no\b|never|decline|reject|don'?t (?:show|ask)|do not (?:show|ask)|stop|dismiss|close|×|✕|x$|nein|non\b)/i;
/** What a timer would ask with, and how near to it. */
const ASKS = /show|open|display|popup|modal|prompt|notif|dialog/i;
const MAX_TIMER_CHARS = 400;
const SHOWS = /show|open/i;
const DIALOG_WORD = /popup|modal|dialog|prompt|overlay/i;
const MAX_BEFORE_TIMER_CHARS = 120;

export function trickWording(view: View): Hit[] {
  const found: Hit[] = [];
  for (const { kind, text, element } of view.controls)
    if ((kind === "checkbox" || kind === "radio" || kind === "button") && DOUBLE_NEGATIVE.test(text)) {
      found.push(
        hit("trick-wording", "double-negative-at-a-control", true, 0.85, atElement(view, element, text)),
      );
      if (found.length === MAX_HITS) break;
    }
  if (found.length > 0) return found;
  return textsLike(view, DOUBLE_NEGATIVE, 250)
    .filter(({ text }) => /tick|check|select|opt/i.test(text))
    .slice(0, 3)
    .map(({ segment }) => hit("trick-wording", "double-negative", false, 0.65, inText(view, segment)));
}

export const preselection = (view: View): Hit[] =>
  view.controls
    .filter(
      (control) =>
        isChoice(control) && control.checked && attribute(control.element, "disabled") === undefined,
    )
    .filter(({ text }) => !HARMLESS.test(text))
    .flatMap((control) => {
      const isPaid = costs(control);
      if (!isPaid && (control.kind !== "checkbox" || !CONSENTS.test(control.text))) return [];
      return { control, rule: isPaid ? "paid-option-ticked" : "consent-ticked" };
    })
    .slice(0, 5)
    .map(({ control: { element, text }, rule }) =>
      hit("preselection", rule, true, 0.85, atElement(view, element, text)),
    );

export const isChoice = ({ kind }: Control): boolean => kind === "checkbox" || kind === "radio";

/** Whether what is chosen costs something, by its words or by the name that its form sends it under. */
function costs({ element, kind, text }: Control): boolean {
  if (IS_NONE.test(text) || IS_NONE.test(attribute(element, "value") ?? "")) return false;
  if (COSTS.test(text)) return true;
  if (kind !== "checkbox") return false;
  if (EXTRA_NAME.test(`${attribute(element, "name") ?? ""} ${attribute(element, "id") ?? ""}`)) return true;
  return ADDS.test(text) && AMOUNT.test(text) && !IS_FILTER.test(text);
}

export const confirmshaming = (view: View): Hit[] =>
  view.controls
    .filter(({ kind, text }) => (kind === "button" || kind === "link") && text.length < 140)
    .filter(({ text }) => DECLINES.test(text.trim()) && SHAMES.test(text) && !PLAIN_NO.test(text.trim()))
    .slice(0, 3)
    .map(({ element, text }) => {
      const dialog = view.dialogs.find(({ controls }) =>
        controls.some((control) => control.element === element),
      );
      const others = dialog?.controls ?? view.controls;
      const hasPlainNo = others.some(
        (control) => control.element !== element && PLAIN_NO.test(control.text.trim()),
      );
      return hit("confirmshaming", "shaming-refusal", !hasPlainNo, 0.85, atElement(view, element, text));
    });

const find = (controls: readonly Control[], pattern: RegExp): Control | undefined =>
  controls.find((control) => isPressable(control) && pattern.test(control.text.trim()));

const isPressable = ({ kind }: Control): boolean => kind === "button" || kind === "link";

export function visualInterference(view: View): Hit[] {
  const groups = view.dialogs.length > 0 ? view.dialogs.map(({ controls }) => controls) : [];
  const found: Hit[] = [];
  for (const controls of groups.length > 0 ? groups : [view.controls.slice(0, 40)]) {
    const accept = find(controls, ACCEPTS);
    const refuse = find(controls, REFUSES);
    const weak = accept && refuse && weakness(accept, refuse);
    if (weak)
      found.push(
        hit(
          "visual-interference",
          weak.rule,
          weak.deceptive,
          weak.deceptive ? 0.85 : 0.6,
          atElement(view, refuse.element, refuse.text),
        ),
      );
  }
  return found.slice(0, 3);
}

function weakness(accept: Control, refuse: Control): { rule: string; deceptive: boolean } | undefined {
  // What is hidden with the whole question says nothing of the refusal.
  if (!isShown(accept.style.concealment)) return undefined;
  if (!isShown(refuse.style.concealment)) return { rule: "hidden-refusal", deceptive: true };
  const faint = contrastOf(refuse);
  const clear = contrastOf(accept);
  if (faint !== undefined && faint < FAINT_CONTRAST && (clear === undefined || clear > faint * 1.5))
    return { rule: "faint-refusal", deceptive: true };
  const ratio = refuse.style.fontPx / Math.max(1, accept.style.fontPx);
  if (ratio <= 0.6) return { rule: "tiny-refusal", deceptive: true };
  if (ratio <= 0.8) return { rule: "smaller-refusal", deceptive: false };
  if (accept.kind === "button" && refuse.kind === "link")
    return { rule: "refusal-is-a-mere-link", deceptive: false };
  return undefined;
}

/** Contrast of a control's words with what they stand on; undefined where the ground is unknown. */
const contrastOf = ({ style }: Control): number | undefined =>
  style.background ? contrast(style.color, style.background) : undefined;

export function privacyZuckering(view: View): Hit[] {
  const found: Hit[] = [];
  for (const { dialog, accept, refuse, others } of consentQuestions(view)) {
    if (!dialog || !accept) continue;
    const { element, text, controls } = dialog;
    const ticked = controls.filter(
      (control) =>
        isChoice(control) &&
        control.checked &&
        !HARMLESS.test(control.text) &&
        attribute(control.element, "disabled") === undefined,
    );
    if (ticked.length > 0)
      found.push(
        hit(
          "privacy-zuckering",
          "purposes-ticked",
          true,
          0.9,
          atElement(view, ticked[0]!.element, ticked[0]!.text),
        ),
      );
    else if (!refuse && others !== "unknown") {
      const manages = others === "manages";
      found.push(
        hit(
          "privacy-zuckering",
          manages ? "refusal-a-level-deeper" : "no-refusal",
          !manages,
          0.8,
          atElement(view, element, text),
        ),
      );
    }
  }
  for (const { segment } of textsLike(view, BY_GOING_ON, 600).slice(0, MAX_HITS))
    found.push(hit("privacy-zuckering", "consent-by-going-on", true, 0.75, inText(view, segment)));
  for (const control of view.controls
    .filter((one) => isChoice(one) && one.checked && SHARES_ALL.test(one.text))
    .slice(0, MAX_HITS))
    found.push(
      hit("privacy-zuckering", "sharing-ticked", true, 0.85, atElement(view, control.element, control.text)),
    );
  return found.slice(0, 3);
}

export function forcedAction(view: View): Hit[] {
  const found: Hit[] = [];
  for (const { text, element } of view.controls
    .filter(({ kind, text }) => kind === "checkbox" && BUNDLES.test(text) && WITH_TERMS.test(text))
    .slice(0, MAX_HITS))
    found.push(
      hit(
        "forced-action",
        "consents-bundled",
        attribute(element, "required") !== undefined,
        0.8,
        atElement(view, element, text),
      ),
    );
  for (const { text, segment } of textsLike(view, BUNDLES, 400))
    if (WITH_TERMS.test(text) && found.length === 0)
      found.push(hit("forced-action", "consents-bundled", false, 0.7, inText(view, segment)));
  const forcing = textsLike(view, FORCES, 250);
  const isFree = (): boolean =>
    isSaid(view, FREE_WAY) || view.controls.some(({ text }) => FREE_WAY.test(text));
  if (forcing.length > 0 && !isFree())
    for (const { text, segment } of forcing.slice(0, MAX_HITS)) {
      const inDialog = view.dialogs.some((dialog) => dialog.text.includes(text.slice(0, 60)));
      found.push(
        hit("forced-action", inDialog ? "wall" : "required-first", inDialog, 0.7, inText(view, segment)),
      );
    }
  return found.slice(0, 3);
}

/** @param later the same page at another visit: a question that is there again although it was answered */
export function nagging(view: View, later: View | undefined): Hit[] {
  const found: Hit[] = [];
  let repeats: boolean | undefined;
  for (const { element, text, controls } of view.dialogs) {
    if (CONSENT_DIALOG.test(text)) continue;
    // A page has a quarter of a megabyte of scripts, and seldom a dialog.
    repeats ??= repeatsQuestions(view.script);
    const delay = find(controls, LATER);
    const refuse = find(controls, NEVER);
    const again = later?.dialogs.some((dialog) => dialog.text === text) === true;
    if ((delay && !refuse) || (repeats && controls.length > 0) || again) {
      const rule = repeats
        ? "asked-again-by-a-timer"
        : again
          ? "asked-again-at-the-next-visit"
          : "no-lasting-refusal";
      found.push(
        hit("nagging", rule, repeats || again, repeats ? 0.85 : 0.7, atElement(view, element, text)),
      );
    }
  }
  return found.slice(0, 3);
}

export const repeatsQuestions = (script: string): boolean =>
  /Notification\.requestPermission/i.test(script) || timerAsks(script) || isAskedByTimer(script);

/** Whether a timer asks, in the statement that sets it: `setInterval(() => showPopup())`. */
function timerAsks(script: string): boolean {
  for (const { 0: call, index } of script.matchAll(/setInterval\s*\(/gi)) {
    const from = index + call.length;
    const [statement = ""] = script.slice(from, from + MAX_TIMER_CHARS + "display".length).split(";", 1);
    if (statement.search(ASKS) !== -1 && statement.search(ASKS) <= MAX_TIMER_CHARS) return true;
  }
  return false;
}

/** Whether a name such as `openPopup` stands before a timer, in the same statement. */
function isAskedByTimer(script: string): boolean {
  for (const { 0: name, index } of script.matchAll(/\w{9,}/g)) {
    const shows = name.search(SHOWS);
    const word = shows === -1 ? null : DIALOG_WORD.exec(name.slice(shows + "show".length));
    if (!word) continue;
    const from = index + shows + "show".length + word.index + word[0].length;
    const to = index + name.length + MAX_BEFORE_TIMER_CHARS + "setInterval".length;
    if (/setInterval/i.test(script.slice(from, to).split(";", 1)[0]!)) return true;
  }
  return false;
}
