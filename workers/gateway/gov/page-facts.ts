/** What a page says and has that the controls ask for. Pure; one pass over its elements and segments. */

import type { Evidence } from "../../../schemas/finding.ts";
import { isConsentHost } from "../../../src/detectors/affiliate/addresses.ts";
import { type PageScan, scanPage } from "../../../src/detectors/affiliate/rules.ts";
import type { ConsentQuestion } from "../../../src/detectors/dark-pattern/consent.ts";
import { choicesIn } from "../../../src/detectors/dark-pattern/rules.ts";
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { isShown } from "../../../src/pages/computed-style.ts";
import { elementText, isRunScript } from "../../../src/pages/element.ts";
import { evidenceAt, evidenceIn } from "../../../src/pages/evidence.ts";
import { spokenLanguage } from "../../../src/pages/language.ts";
import { type Notable, type PageModel, readPageModel } from "../../../src/pages/page-model.ts";
import { attribute, type Element } from "../../../src/pages/parse-html.ts";
import { decoded } from "../common/decoded-text.ts";
import { sha256 } from "../common/digest.ts";
import type { SentText } from "../common/page-text.ts";
import type { ScriptCounts } from "./observatory.ts";

/** Links by what they say they lead to, in the languages of the catalogue's jurisdictions. */
const LINKS = {
  privacy:
    /privacy|datenschutz|confidentialit|privacidad|privacidade|riservatezza|informativa|protection des données|protezione dei dati|protección de datos|proteção de dados|persoonsgegevens|integritet|privatliv|personuppgift|prywatno|tietosuoja/i,
  cookies: /cookie/i,
  imprint:
    /impressum|imprint|legal notice|mentions légales|aviso legal|note legali|colofon|colophon|about us|company information|über uns|anbieterkennzeichnung|informations légales/i,
  terms:
    /terms|conditions|\bagb\b|termos|condições|geschäftsbedingungen|nutzungsbedingungen|conditions générales|\bcg[vu]\b|condiciones|condizioni|voorwaarden|\btos\b/i,
  withdrawalInfo:
    /withdrawal|right to cancel|returns?\b|widerruf|rückgabe|rétractation|desistimiento|devoluci|recesso|\bresi\b|herroeping|retour|devoluç|arrependimento/i,
  withdrawalFunction:
    /withdraw from (?:the |a )?contract|vertrag widerrufen|widerruf(?:s(?:button|formular|funktion))? (?:erklären|hier|absenden)|verträge? hier widerrufen|se rétracter (?:du contrat|ici)|rétracter le contrat|desistir del contrato|recedere dal contratto|overeenkomst herroepen/i,
  cancellation:
    /cancel (?:your |my |a )?(?:subscription|membership|contract|plan)|verträge? (?:hier )?kündigen|vertrag kündigen|kündigungsbutton|résilier (?:votre |mon |un )?(?:contrat|abonnement)|résiliation|cancelar (?:la )?(?:suscripción|contrato)|disdetta|opzeggen/i,
  accessibility:
    /accessibility|barrierefreiheit|accessibilit[éà]|accesibilidad|acessibilidade|toegankelijkheid|tillgänglighet/i,
  doNotSell: /do not sell|do not share|your privacy choices|opt[- ]out of (?:sale|sharing)/i,
  contact: /^contact|kontakt|contacto|contatti|contatos?|contato|nous contacter/i,
  notice:
    /report (?:illegal|abuse|content|a (?:post|problem))|notice and action|inhalt(?:e)? melden|signaler (?:un )?contenu|denunciar contenido|dsa/i,
  ranking:
    /ranking|how (?:we )?(?:rank|sort)|sortierung|reihenfolge der (?:suchergebnisse|angebote)|classement des/i,
  children: /children'?s privacy|privacy (?:policy|notice) for children|parents|kinder(?:datenschutz)?/i,
  odr: /$^/,
} as const;
export type LinkKind = keyof typeof LINKS;

const TEXTS = {
  /** Who runs the site, on the page itself: its heading, or a number of a register. */
  imprint:
    /^\W*(?:impressum|imprint|anbieterkennzeichnung|angaben gemäß|mentions légales|informations légales|aviso legal|note legali|colofon|legal notice|site notice)\b/i,
  register:
    /\b(?:ust-?id|ust\.-?id|uid(?:-?nr)?|vat (?:no|number|id|reg)|p\. ?iva|partita iva|n° ?tva|tva intracom|nif\b|cif\b|kvk|siren\b|siret\b|hrb ?\d|hra ?\d|handelsregister|firmenbuch|fn \d{4}|company (?:no|number|reg)|registered (?:in england|office))/i,
  /** From the `@` on: what stands before it is read back (mailStart). */
  email: /(?<=[a-z0-9._%+-])@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4}/i,
  phone: /(?:\+|00)\d{1,3}[\d ()/.-]{6,20}\d|\b0\d{2,5}[ /-]\d{3,}[\d -]{0,10}/,
  renewal:
    /renews? automatically|automatic(?:ally)? renew|verlängert sich automatisch|renouvel(?:le|ée?|lement) (?:automatiquement|automatique|tacite)|se renueva automáticamente/i,
  /** An amount for a time: a newsletter's subscription is none. */
  subscription:
    /\d[\d.,]{0,9} ?(?:€|\$|£|eur|usd|gbp|chf|euro)? ?(?:\/|per |pro |par |al |a |im |each |every |je |p\. ?)(?:mo(?:nth|nat|is)?\b|mes\b|mese\b|maand|week|woche|semaine|year|jahr|an\b|año|anno|jaar)|\d[\d.,]{0,9} ?(?:€|\$|£|eur|usd|gbp|chf) ?(?:monatlich|monthly|mensuel|jährlich|yearly|annuel|mensual|mensile)/i,
  reduction:
    /\b(?:was|statt|instead of|au lieu de|antes|prima)\b[^.]{0,20}\d|(?:[-–−]|save |spare |bis zu )\d{1,2} ?%|\bsale\b|\brabatt\b|\bremise\b/i,
  priorPrice:
    /lowest (?:price|in) (?:of |in )?(?:the )?(?:last |past |previous )?30|(?:niedrigster|tiefster|bester) preis (?:der )?(?:letzten|vergangenen) 30|prix le plus bas (?:des|sur les) 30|precio más bajo (?:de los )?últimos 30|prezzo più basso (?:degli )?ultimi 30|laagste prijs (?:van de )?(?:afgelopen|laatste) 30/i,
  chatbot: /chat ?bot|ai assistant|virtual assistant|ki-assistent|assistant virtuel|ask (?:our )?ai/i,
  aiNotice:
    /(?:you are|you're) (?:chatting|talking|speaking) (?:with|to) (?:an? )?(?:ai|bot|machine|automated)|powered by (?:ai|artificial intelligence)|ai[- ]generated|automated assistant|ki-generiert|künstlicher intelligenz|généré par (?:une )?ia|intelligence artificielle/i,
} as const;
export type TextKind = keyof typeof TEXTS;

export interface Choice {
  label: string;
  evidence: Evidence;
  /** Elements of one make look alike: a button beside a bare link does not. */
  tag: string;
  fontPx: number;
  bold: boolean;
  seen: boolean;
}

export interface ComplianceFacts {
  links: Partial<Record<LinkKind, Evidence>>;
  texts: Partial<Record<TextKind, Evidence>>;
  language: string | null;
  /** The language that it is in, as far as its words tell or it says. */
  spoken: string | null;
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
  /** What else can be pressed beside them: `unknown` where it may refuse; null where nothing asks for consent. */
  otherChoices: ConsentQuestion["others"] | null;
  /** How things look is known: all style sheets were read. */
  styled: boolean;
  /** A consent tool is loaded, whose banner a script draws. */
  consentTool: boolean;
  /** Google's tags are told to store nothing before consent. */
  consentMode: boolean;
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

const isSeen = ({ style }: Pick<Notable, "style">): boolean => isShown(style.concealment);

const MAX_SCRIPT_CHARS = 200_000;
const MAX_CONSENT_CHARS = 1_000;
const STORES = /(?:ad|analytics)_storage["']?\s{0,9}:\s{0,9}["']granted/;

class FactReader {
  readonly links: ComplianceFacts["links"] = {};
  readonly images: ComplianceFacts["images"] = { total: 0, withoutAlt: 0, first: undefined };
  readonly fields: ComplianceFacts["fields"] = { total: 0, withoutLabel: 0, first: undefined };
  readonly scripts: ScriptCounts = { external: [], own: 0 };
  ticked: Evidence | undefined;
  boxes = 0;
  consentTool = false;
  consentMode = false;
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
        return;
      case "button":
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
        if (isRunScript(element)) this.#script(element);
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
    const said = elementText(element).slice(0, 120);
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
    const said = elementText(element).slice(0, 120);
    for (const kind of ["withdrawalFunction", "cancellation", "notice"] as const)
      if (this.links[kind] === undefined && LINKS[kind].test(said))
        this.links[kind] = evidenceAt(this.#page, element);
  }

  #image({ element, style }: Notable): void {
    if (!isShown(style.concealment)) return;
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

  #script(element: Element): void {
    const src = attribute(element, "src");
    const text = element.childNodes[0];
    if (text && "value" in text) this.consentMode ||= deniesByDefault(text.value.slice(0, MAX_SCRIPT_CHARS));
    if (src === undefined || src === "") return;
    const integrity = attribute(element, "integrity") !== undefined;
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

const MAX_SAMPLE_CHARS = 4_000;

export interface FactsInput {
  html: SentText;
  url: string;
  /** What is hashed before and after the page. */
  hashedAround: readonly [before: string, after: string];
}

/** The same and the page's digest, as a scan thread's task. */
export function factsOf({ html: sent, url, hashedAround: [before, after] }: FactsInput) {
  const html = decoded(sent);
  return { facts: readPageFacts(html, new URL(url)), sha256: sha256(before, html, after) };
}

/** Reads one page. Never throws; linear in the page. */
export function readPageFacts(html: string, url: URL | undefined): ComplianceFacts {
  const page = readPageModel(html);
  const reader = new FactReader(page, url);
  for (const notable of page.elements) reader.read(notable);
  const { links, images, fields, scripts, ticked, boxes, consentTool, consentMode } = reader;
  const { preselected, consent } = choicesIn(page);
  return {
    links,
    texts: textsOf(page),
    language: page.language,
    spoken: spokenLanguage(wordsOf(page), page.language),
    title: page.segments.some(({ channel }) => channel === "title"),
    images,
    fields,
    scripts,
    preselected,
    ticked,
    boxes,
    accept: consent?.accept && choiceOf(page, consent.accept),
    reject: consent?.refuse && choiceOf(page, consent.refuse),
    otherChoices: consent?.others ?? null,
    styled: page.externalStyles === 0 && !page.stylesIncomplete,
    consentTool,
    consentMode,
    affiliate: scanPage(page, url),
    complete: page.complete,
  };
}

function textsOf(page: PageModel): ComplianceFacts["texts"] {
  const found: ComplianceFacts["texts"] = {};
  const wanted = new Map(Object.entries(TEXTS) as [TextKind, RegExp][]);
  for (const segment of page.segments) {
    if (segment.channel !== "text" || !isShown(segment.concealment)) continue;
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
}

/** Where the mail address begins whose `@` is at this index. */
function mailStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && at - start < MAX_MAIL_NAME && /[a-z0-9._%+-]/i.test(text[start - 1]!)) start--;
  return start;
}

function wordsOf(page: PageModel): string {
  let words = "";
  for (const { text, channel, concealment } of page.segments) {
    if (words.length > MAX_SAMPLE_CHARS) break;
    if (channel === "text" && isShown(concealment)) words += `${text.slice(0, 1_000)} `;
  }
  return words;
}

const choiceOf = (
  page: PageModel,
  { element, style, text }: Omit<Notable, "channel"> & { text: string },
): Choice => ({
  label: text,
  evidence: evidenceAt(page, element, text),
  tag: element.tagName,
  fontPx: style.fontPx,
  bold: style.bold,
  seen: isSeen({ style }),
});

/** Google's Consent Mode: by some default (each may be of some regions) tags store nothing until a visitor agrees. */
const deniesByDefault = (script: string): boolean =>
  script
    .split(/gtag\(\s{0,9}["']consent["']\s{0,9},\s{0,9}["']default["']/, 20)
    .slice(1)
    .map((call) => call.slice(0, MAX_CONSENT_CHARS).split("gtag(", 1)[0]!)
    .some((call) => /["']denied["']/.test(call) && !STORES.test(call));
