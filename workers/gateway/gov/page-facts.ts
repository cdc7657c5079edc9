/** What a page says and has that the controls ask for. Pure; one pass over its elements and segments. */

import type { Evidence } from "../../../schemas/finding.ts";
import { isConsentHost } from "../../../src/detectors/affiliate/addresses.ts";
import { type PageScan, scanPage } from "../../../src/detectors/affiliate/rules.ts";
import { choicesIn } from "../../../src/detectors/dark-pattern/rules.ts";
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { textOf } from "../../../src/pages/element.ts";
import { evidenceAt, evidenceIn } from "../../../src/pages/evidence.ts";
import { type Notable, type PageModel, readPageModel } from "../../../src/pages/page-model.ts";
import { attribute } from "../../../src/pages/parse-html.ts";
import { sha256 } from "../common/digest.ts";
import { decoded, type PageText } from "../common/page-text.ts";
import type { ScriptCounts } from "./observatory.ts";

/** Links by what they say they lead to, in the languages of the catalogue's jurisdictions. */
const LINKS = {
  privacy:
    /privacy|datenschutz|confidentialit|privacidad|privacidade|riservatezza|informativa|protection des données|integritet|privatliv|personuppgift|prywatno|tietosuoja/i,
  cookies: /cookie/i,
  imprint:
    /impressum|imprint|legal notice|mentions légales|aviso legal|note legali|colofon|colophon|about us|company information|über uns|anbieterkennzeichnung|informations légales/i,
  terms:
    /terms|conditions|\bagb\b|geschäftsbedingungen|nutzungsbedingungen|conditions générales|\bcg[vu]\b|condiciones|condizioni|voorwaarden|\btos\b/i,
  withdrawalInfo:
    /withdrawal|right to cancel|returns?\b|widerruf|rétractation|desistimiento|recesso|herroeping|retour/i,
  withdrawalFunction:
    /withdraw from (?:the |a )?contract|vertrag widerrufen|widerruf(?:s(?:button|formular|funktion))? (?:erklären|hier|absenden)|verträge? hier widerrufen|se rétracter (?:du contrat|ici)|rétracter le contrat|desistir del contrato|recedere dal contratto|overeenkomst herroepen/i,
  cancellation:
    /cancel (?:your |my |a )?(?:subscription|membership|contract|plan)|verträge? (?:hier )?kündigen|vertrag kündigen|kündigungsbutton|résilier (?:votre |mon |un )?(?:contrat|abonnement)|résiliation|cancelar (?:la )?(?:suscripción|contrato)|disdetta|opzeggen/i,
  accessibility:
    /accessibility|barrierefreiheit|accessibilit[éà]|accesibilidad|toegankelijkheid|tillgänglighet/i,
  doNotSell: /do not sell|do not share|your privacy choices|opt[- ]out of (?:sale|sharing)/i,
  contact: /^contact|kontakt|contacto|contatti|nous contacter/i,
  notice:
    /report (?:illegal|abuse|content|a (?:post|problem))|notice and action|inhalt(?:e)? melden|signaler (?:un )?contenu|denunciar contenido|dsa/i,
  ranking:
    /ranking|how (?:we )?(?:rank|sort)|sortierung|reihenfolge der (?:suchergebnisse|angebote)|classement des/i,
  children: /children'?s privacy|privacy (?:policy|notice) for children|parents|kinder(?:datenschutz)?/i,
  odr: /$^/,
} as const;
export type LinkKind = keyof typeof LINKS;

const TEXTS = {
  /** From the `@` on: what stands before it is read back (mailStart). */
  email: /(?<=[a-z0-9._%+-])@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}/i,
  phone: /(?:\+|00)\d{1,3}[\d ()/.-]{6,20}\d|\b0\d{2,5}[ /-]\d{3,}[\d -]{0,10}/,
  renewal:
    /renews? automatically|automatic(?:ally)? renew|verlängert sich automatisch|renouvel(?:le|ée?|lement) (?:automatiquement|automatique|tacite)|se renueva automáticamente/i,
  subscription:
    /subscri(?:be|ption)|\babo(?:nnement)?s?\b|per month|\/ ?mo(?:nth)?\b|pro monat|par mois|al mes|monthly plan/i,
  reduction:
    /\b(?:was|statt|instead of|au lieu de|antes|prima)\b[^.]{0,20}\d|(?:[-–−]|save |spare |bis zu )\d{1,2} ?%|\bsale\b|\brabatt\b|\bremise\b/i,
  priorPrice:
    /lowest (?:price|in) (?:of |in )?(?:the )?(?:last |past |previous )?30|(?:niedrigster|tiefster|bester) preis (?:der )?(?:letzten|vergangenen) 30|prix le plus bas (?:des|sur les) 30|precio más bajo (?:de los )?últimos 30|prezzo più basso (?:degli )?ultimi 30|laagste prijs (?:van de )?(?:afgelopen|laatste) 30/i,
  chatbot: /chat ?bot|ai assistant|virtual assistant|ki-assistent|assistant virtuel|ask (?:our )?ai/i,
  aiNotice:
    /(?:you are|you're) (?:chatting|talking|speaking) (?:with|to) (?:an? )?(?:ai|bot|machine|automated)|powered by (?:ai|artificial intelligence)|ai[- ]generated|automated assistant|ki-generiert|künstlicher intelligenz|généré par (?:une )?ia|intelligence artificielle/i,
} as const;
export type TextKind = keyof typeof TEXTS;

const ACCEPT =
  /^(?:accept(?: all)?(?: cookies)?|allow all(?: cookies)?|agree(?: (?:and|&) (?:close|continue))?|i agree|alle(?:s)? (?:cookies )?akzeptieren|akzeptieren|zustimmen|einverstanden|tout accepter|accepter|j'accepte|aceptar(?: todo| todas)?|accetta(?: tutti)?|alles accepteren|accepteren)$/i;
const REJECT =
  /^(?:reject(?: all)?(?: cookies)?|decline(?: all)?|deny(?: all)?|refuse(?: all)?|only necessary(?: cookies)?|necessary (?:cookies )?only|alle(?:s)? ablehnen|ablehnen|nur (?:notwendige|erforderliche|essenzielle)(?: cookies)?|tout refuser|refuser|continuer sans accepter|rechazar(?: todo| todas)?|rifiuta(?: tutti)?|alles weigeren|weigeren)$/i;

export interface Choice {
  label: string;
  evidence: Evidence;
  /** Elements of one make look alike: a button beside a bare link does not. */
  tag: string;
  fontPx: number;
  bold: boolean;
  seen: boolean;
}

export interface PageFacts {
  links: Partial<Record<LinkKind, Evidence>>;
  texts: Partial<Record<TextKind, Evidence>>;
  language: string | null;
  title: boolean;
  images: { total: number; withoutAlt: number; first: Evidence | undefined };
  fields: { total: number; withoutLabel: number; first: Evidence | undefined };
  /** Boxes ticked beforehand that cost money or give consent, as the Dark Pattern Detector finds them. */
  preselected: Evidence | undefined;
  /** Boxes ticked beforehand, whatever for. */
  ticked: Evidence | undefined;
  boxes: number;
  accept: Choice | undefined;
  reject: Choice | undefined;
  /** A consent tool is loaded, whose banner a script draws. */
  consentTool: boolean;
  scripts: ScriptCounts;
  affiliate: PageScan;
  complete: boolean;
}

const LABELLED = new Set([
  "text",
  "email",
  "tel",
  "password",
  "search",
  "number",
  "url",
  "date",
  "checkbox",
  "radio",
  "file",
]);

const isSeen = ({ style }: Notable): boolean => style.concealment === null;

const choiceOf = (page: PageModel, notable: Notable, label: string): Choice => ({
  label,
  evidence: evidenceAt(page, notable.element, label),
  tag: notable.element.tagName,
  fontPx: notable.style.fontPx,
  bold: notable.style.bold,
  seen: isSeen(notable),
});

class FactReader {
  readonly links: PageFacts["links"] = {};
  readonly images: PageFacts["images"] = { total: 0, withoutAlt: 0, first: undefined };
  readonly fields: PageFacts["fields"] = { total: 0, withoutLabel: 0, first: undefined };
  readonly scripts: ScriptCounts = { external: [], own: 0 };
  ticked: Evidence | undefined;
  boxes = 0;
  accept: Choice | undefined;
  reject: Choice | undefined;
  consentTool = false;
  readonly #page: PageModel;
  readonly #url: URL | undefined;
  readonly #labelled: ReadonlySet<string>;

  constructor(page: PageModel, url: URL | undefined) {
    this.#page = page;
    this.#url = url;
    this.#labelled = new Set(
      page.elements.flatMap(({ element }) =>
        element.tagName === "label" ? (attribute(element, "for") ?? []) : [],
      ),
    );
  }

  read(notable: Notable): void {
    const { element } = notable;
    switch (element.tagName) {
      case "a":
        this.#link(notable);
        this.#choice(notable);
        return;
      case "button":
        this.#choice(notable);
        this.#function(notable);
        return;
      case "img":
        this.#image(notable);
        return;
      case "input":
        this.#input(notable);
        return;
      case "select":
      case "textarea":
        this.#field(notable);
        return;
      case "script":
        this.#script(attribute(element, "src"), attribute(element, "integrity") !== undefined);
        return;
      default:
        return;
    }
  }

  #link(notable: Notable): void {
    const { element } = notable;
    const href = attribute(element, "href") ?? "";
    if (/ec\.europa\.eu\/(?:consumers\/odr|odr)/i.test(href))
      this.links.odr ??= evidenceAt(this.#page, element);
    if (/^mailto:/i.test(href)) this.links.contact ??= evidenceAt(this.#page, element);
    const said = textOf(element).slice(0, 120);
    const path = href.slice(0, 300);
    for (const [kind, pattern] of Object.entries(LINKS) as [LinkKind, RegExp][])
      if (
        this.links[kind] === undefined &&
        (pattern.test(said) || (kind !== "contact" && pattern.test(path.replaceAll(/[-_/]/g, " "))))
      )
        this.links[kind] = evidenceAt(this.#page, element);
  }

  /** Buttons that do what a law wants a function for. */
  #function({ element }: Notable): void {
    const said = textOf(element).slice(0, 120);
    for (const kind of ["withdrawalFunction", "cancellation", "notice"] as const)
      if (this.links[kind] === undefined && LINKS[kind].test(said))
        this.links[kind] = evidenceAt(this.#page, element);
  }

  #choice(notable: Notable): void {
    const label = textOf(notable.element).trim();
    if (label.length === 0 || label.length > 40) return;
    if (!this.accept && ACCEPT.test(label)) this.accept = choiceOf(this.#page, notable, label);
    else if (!this.reject && REJECT.test(label)) this.reject = choiceOf(this.#page, notable, label);
  }

  #image({ element, style }: Notable): void {
    if (style.concealment !== null) return;
    this.images.total++;
    if (
      attribute(element, "alt") !== undefined ||
      attribute(element, "aria-label") !== undefined ||
      attribute(element, "role") === "presentation"
    )
      return;
    this.images.withoutAlt++;
    this.images.first ??= evidenceAt(this.#page, element);
  }

  #input(notable: Notable): void {
    const { element } = notable;
    const type = attribute(element, "type")?.toLowerCase() ?? "text";
    if (type === "checkbox") {
      this.boxes++;
      const isLeft = attribute(element, "disabled") !== undefined || !isSeen(notable);
      if (attribute(element, "checked") !== undefined && !isLeft)
        this.ticked ??= evidenceAt(this.#page, element);
    }
    if (LABELLED.has(type)) this.#field(notable);
  }

  #field(notable: Notable): void {
    const { element } = notable;
    if (!isSeen(notable)) return;
    this.fields.total++;
    const id = attribute(element, "id");
    const named = ["aria-label", "aria-labelledby", "title"].some(
      (name) => (attribute(element, name) ?? "") !== "",
    );
    let inside = false;
    for (
      let node = element.parentNode, steps = 0;
      node && steps < 20;
      node = "parentNode" in node ? node.parentNode : null, steps++
    )
      if ("tagName" in node && node.tagName === "label") inside = true;
    if (named || inside || (id !== undefined && this.#labelled.has(id))) return;
    this.fields.withoutLabel++;
    this.fields.first ??= evidenceAt(this.#page, element);
  }

  #script(src: string | undefined, integrity: boolean): void {
    if (src === undefined || src === "") return;
    const url = URL.parse(src, this.#url?.href ?? "https://page.invalid/");
    if (!url || !/^https?:$/.test(url.protocol)) return;
    if (isConsentHost(url.hostname)) this.consentTool = true;
    const own = !this.#url || registrableDomain(url.hostname) === registrableDomain(this.#url.hostname);
    if (own) this.scripts.own++;
    else if (this.scripts.external.length < 500)
      this.scripts.external.push({ integrity, secure: url.protocol === "https:" });
  }
}

const MAX_MAIL_NAME = 64;

/** Where the mail address begins whose `@` is at this index. */
const mailStart = (text: string, at: number): number => {
  let start = at;
  while (start > 0 && at - start < MAX_MAIL_NAME && /[a-z0-9._%+-]/i.test(text[start - 1]!)) start--;
  return start;
};

const textsOf = (page: PageModel): PageFacts["texts"] => {
  const found: PageFacts["texts"] = {};
  const wanted = new Map(Object.entries(TEXTS) as [TextKind, RegExp][]);
  for (const segment of page.segments) {
    if (segment.channel !== "text" || segment.concealment !== null) continue;
    for (const [kind, pattern] of wanted) {
      const match = pattern.exec(segment.text);
      if (!match) continue;
      const start = kind === "email" ? mailStart(segment.text, match.index) : match.index;
      found[kind] = evidenceIn(page, segment, start, match.index + match[0].length);
      wanted.delete(kind);
    }
    if (wanted.size === 0) break;
  }
  return found;
};

/** Reads one page. Never throws; linear in the page. */
export const readPageFacts = (html: string, url: URL | undefined): PageFacts => {
  const page = readPageModel(html);
  const reader = new FactReader(page, url);
  for (const notable of page.elements) reader.read(notable);
  const { links, images, fields, scripts, ticked, boxes, accept, reject, consentTool } = reader;
  const { preselected, consent } = choicesIn(page);
  return {
    links,
    texts: textsOf(page),
    language: page.language,
    title: page.segments.some(({ channel }) => channel === "title"),
    images,
    fields,
    scripts,
    preselected,
    ticked,
    boxes,
    accept: consent ? choiceOf(page, consent.accept, consent.accept.text) : accept,
    reject: consent ? consent.refuse && choiceOf(page, consent.refuse, consent.refuse.text) : reject,
    consentTool,
    affiliate: scanPage(page, url),
    complete: page.complete,
  };
};

export interface FactsInput {
  html: PageText;
  url: string;
  /** What is hashed before and after the page. */
  hashedAround: readonly [before: string, after: string];
}

/** The same and the page's digest, as a scan thread's task. */
export const factsOf = ({ html: sent, url, hashedAround: [before, after] }: FactsInput) => {
  const html = decoded(sent);
  return { facts: readPageFacts(html, new URL(url)), sha256: sha256(before, html, after) };
};
