/** `/owners`: a domain is typed, and what its front page says is corrected and completed. */
import { domainToUnicode } from "node:url";
import { Action } from "../../../schemas/action.ts";
import { type DocumentDraft, MAX_DRAFTED_ACTIONS, originElsewhere } from "../../../schemas/draft.ts";
import type { Problem } from "../../../schemas/problem.ts";
import type { SiteVerdict } from "../../../schemas/verdict.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { askBox, siteText, verdictPath } from "../parts.ts";
import { ACTION_FIELDS, type draftQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";

interface Field {
  name: string;
  label: string;
  most: number;
  /** Stands below it. */
  hint?: HtmlPart;
  isRequired?: boolean;
  type?: "email" | "tel" | "url" | "number";
}

/** What the form holds, by its fields: of the draft, or as it was sent and refused. */
interface Filled {
  domain: string;
  values: Readonly<Record<string, string | undefined>>;
  /** Actions that can be declared, as JSON, and whether each is ticked. */
  actions: readonly { json: string; isTicked: boolean }[];
  /** Why a field was not taken. */
  errors: Readonly<Record<string, string>>;
  /** Where a value comes from, or that the page does not say. */
  hint: (answer: string, value?: string) => string;
}

/** Fields of the form by the contract's members; others stand above the form. */
const FIELD_OF: Readonly<Record<string, string>> = {
  is_independent: "independent",
  commission_rate: "commission",
  intent_tags: "tags",
  url: "contact_url",
};

export const ownerPath = (domain: string, below = ""): string =>
  `/owners/${encodeURIComponent(domain)}${below}`;

export function draftView(
  { main: draft, known }: Replies<ReturnType<typeof draftQuestions>>,
  context: ViewContext,
): PageView {
  const { texts, isDemo } = context;
  const { owners } = texts;
  if (!draft) return domainForm(context);
  const { domain, page } = draft;
  const title = owners.draftTitle(domainShown(domain));
  return {
    title,
    isTransient: true,
    body: html`${stepsHtml(texts, 0)}<h1>${title}</h1>${known?.listed && listedNote(texts, domain)}${known && foundNote(texts, known)}
<p class="lead">${page.state === "read" ? owners.draftLead : owners.unread[page.state]}</p>
${page.state !== "read" && isDemo && demoNote(texts.demo)}${page.detail !== "" && html`<div class="note"><p>${siteText(page.detail, 300)}</p></div>`}
${draftForm(texts, filledBy(texts, draft))}`,
  };
}

/** What is there for agents already: the document says who stands behind it. */
function foundNote(
  { owners, site }: Texts,
  { domain, services, descriptors }: SiteVerdict,
): Html | undefined {
  if (services.length + descriptors.length === 0) return undefined;
  const named = [...new Set(services.map(({ protocol }) => protocol))].map(
    (protocol) => html` <span class="chip">${site.protocols[protocol]}</span>`,
  );
  return html`<div class="note"><p>${owners.foundAlready(services.length, descriptors.length)}${named} <a href="${verdictPath(domain)}">${owners.foundWhat}</a></p></div>`;
}

/** `/owners` without a domain, or with what is none. */
const domainForm = ({ texts: { owners, demo }, isDemo, query }: ViewContext, error?: string): PageView => ({
  title: owners.title,
  description: owners.lead,
  canonical: "/owners",
  body: html`<section class="hero"><h1>${owners.title}</h1><p class="lead">${owners.lead}</p>
${isDemo && demoNote(demo)}<form action="/owners">${askBox({
    name: "domain",
    label: owners.domain,
    placeholder: "shop.example",
    most: 300,
    button: owners.begin,
    value: query.domain ?? "",
    isRequired: true,
    isAddress: true,
    ...(error !== undefined && { describedBy: "domain-error" }),
  })}${errorHtml("domain", error)}</form></section>
<h2>${owners.how}</h2><ol>${owners.howSteps.map(([what, text]) => html`<li><p><b>${what}</b> ${text}</p></li>`)}</ol>
<p><a href="/docs/serving">${owners.kitsLink}</a></p><p class="soft small">${owners.terminal}</p>`,
});

/** Why a real domain leads nowhere here. */
const demoNote = (demo: Texts["demo"]): Html =>
  html`<div class="note"><p>${demo.owners} <a href="/docs/quickstart-operators">${demo.link}</a></p></div>`;

const errorHtml = (id: string, text: string | undefined): Html | undefined =>
  text === undefined
    ? undefined
    : html`<p class="said bad" id="${id}-error" role="alert">${siteText(text, 300)}</p>`;

/** A domain as its owner writes it; what stands in DNS beside it, since two names can look alike. */
export function domainShown(domain: string): string {
  const unicode = domainToUnicode(domain);
  return unicode === "" || unicode === domain ? domain : `${unicode} (${domain})`;
}

/** Where one is on the way. */
export const stepsHtml = ({ owners }: Texts, current: number): Html =>
  html`<ol class="steps" aria-label="${owners.stepsLabel}">${owners.steps.map(
    (step, i) => html`<li${i === current && html` aria-current="step"`}>${step}</li>`,
  )}</ol>`;

const listedNote = ({ owners }: Texts, domain: string): Html =>
  html`<div class="note"><p>${owners.listed(domainShown(domain))} <a href="${verdictPath(domain)}">${owners.toVerdict}</a> · <a href="${ownerPath(domain, "/renew")}">${owners.renewLink}</a></p><p>${owners.listedAnew}</p></div>`;

function draftForm(texts: Texts, filled: Filled): Html {
  const { owners } = texts;
  const { domain, values, errors, hint } = filled;
  const field = fieldOf(filled);
  const hidden = (name: string): Html =>
    html`<input type="hidden" name="${name}" value="${values[name] ?? ""}">`;
  return html`<form method="post" action="${ownerPath(domain)}" class="sheet">${errorHtml("form", errors[""])}
<fieldset><legend>${owners.business}</legend>
${field({ name: "name", label: owners.name, most: 200, isRequired: true, hint: hint("name", values.name) })}
<div class="field"><label for="description">${owners.description}</label><textarea id="description" name="description" rows="4" maxlength="2000" aria-describedby="description-hint">${values.description ?? ""}</textarea>${errorHtml("description", errors.description)}<p class="hint" id="description-hint">${hint("description", values.description)}</p></div>
<div class="pair">${field({ name: "category", label: owners.category, most: 64, hint: values.category === undefined ? owners.categoryHint : hint("category", values.category) })}${field({ name: "tags", label: owners.tags, most: 300, hint: owners.tagsHint })}</div>
<div class="pair">${field({ name: "city", label: owners.city, most: 128, hint: hint("location", values.city) })}${field({ name: "country", label: owners.country, most: 64 })}</div>
${hidden("region")}${hidden("lat")}${hidden("lon")}
${field({ name: "owner", label: owners.owner, most: 200, hint: hint("owner", values.owner) })}
<div class="pair">${field({ name: "email", label: owners.email, most: 320, type: "email", hint: hint("contact", values.email) })}${field({ name: "phone", label: owners.phone, most: 64, type: "tel" })}</div>
${hidden("contact_url")}</fieldset>
${actionsHtml(texts, filled)}
${declarations(texts, filled)}
<details class="more"${values.endpoint !== undefined && html` open`}><summary>${owners.elsewhere}</summary>${field({ name: "endpoint", label: owners.endpoint, most: 300, type: "url", hint: owners.endpointHint(domain) })}</details>
<p><button>${owners.toKey}</button></p></form>`;
}

const fieldOf =
  ({ values, errors }: Filled) =>
  ({ name, label, most, hint, isRequired, type }: Field): Html => {
    const described = [hint && `${name}-hint`, errors[name] !== undefined && `${name}-error`].filter(Boolean);
    return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${values[name] ?? ""}" maxlength="${most}"${type && html` type="${type}"`}${isRequired && html` required`}${described.length > 0 && html` aria-describedby="${described.join(" ")}"`}${errors[name] !== undefined && html` aria-invalid="true"`}>${errorHtml(name, errors[name])}${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}</div>`;
  };

/** One choice: a form that is ticked is declared and may be filled in; without any, whether forms may be at all. */
function actionsHtml(texts: Texts, { actions, values }: Filled): Html {
  const { owners } = texts;
  return html`<fieldset><legend>${owners.actions}</legend>${
    actions.length === 0
      ? html`<p class="soft">${owners.noActions}</p><label class="tick"><input type="checkbox" name="fill_forms" value="yes"${values.fill_forms === "yes" && html` checked`}><span>${owners.fillForms}</span></label>`
      : html`<p class="hint">${owners.actionsHint}</p><ul class="plain">${actions.map((action, i) => actionHtml(texts, action, i))}</ul>`
  }</fieldset>`;
}

function actionHtml(
  texts: Texts,
  { json, isTicked }: Filled["actions"][number],
  i: number,
): Html | undefined {
  const { data: action } = Action.safeParse(JSON.parse(json));
  return (
    action &&
    html`<li><label class="tick"><input type="checkbox" name="action_${i}" value="${json}"${isTicked && html` checked`}><span><code>${siteText(action.name, 64)}</code> <span class="soft small">${texts.site.effects[action.effect ?? "read"]}</span><br><span class="small">${siteText(action.description, 160)}</span></span></label></li>`
  );
}

/** What only the owner can say: never ticked beforehand. */
function declarations({ owners }: Texts, { values, errors }: Filled): Html {
  const radio = (value: string, label: string): Html =>
    html`<label class="tick"><input type="radio" name="independent" value="${value}" required${values.independent === value && html` checked`}><span>${label}</span></label>`;
  return html`<fieldset><legend>${owners.declare}</legend><p class="hint">${owners.declareHint}</p>
<fieldset class="choice"><legend>${owners.independent}</legend>${errorHtml("independent", errors.independent)}
${radio("yes", owners.independentYes)}${radio("no", owners.independentNo)}</fieldset>
<div class="field"><label for="commission">${owners.commission}</label><input id="commission" name="commission" value="${values.commission ?? ""}" inputmode="decimal" pattern="[0-9]{1,3}([.][0-9]{1,4})?" required maxlength="8" aria-describedby="commission-hint${errors.commission !== undefined && " commission-error"}">${errorHtml("commission", errors.commission)}<p class="hint" id="commission-hint">${owners.commissionHint}</p></div></fieldset>`;
}

function filledBy(texts: Texts, draft: DocumentDraft): Filled {
  const { answers, domain } = draft;
  const { name, description, category, owner, location = {}, contact = {}, actions = [] } = answers;
  const { city, country, region, lat, lon } = location;
  const text = (value: number | undefined) => (value === undefined ? undefined : String(value));
  return {
    domain,
    values: {
      name,
      description,
      category,
      owner,
      city,
      country,
      region,
      lat: text(lat),
      lon: text(lon),
      email: contact.email,
      phone: contact.phone,
      contact_url: contact.url,
      endpoint: originElsewhere(draft),
    },
    actions: actions
      .slice(0, MAX_DRAFTED_ACTIONS)
      .map((action) => ({ json: JSON.stringify(action), isTicked: isTickedFirst(action) })),
    errors: {},
    hint: hintsOf(texts, draft),
  };
}

/** What changes something or costs money is ticked by its owner alone. */
const isTickedFirst = ({ effect = "read" }: Action): boolean => effect === "read";

/** What the page says, or that it does not. */
function hintsOf({ owners }: Texts, { sources, page }: DocumentDraft): Filled["hint"] {
  const bySource = new Map(sources.map(({ answer, source }) => [answer, source]));
  return (answer, value) => {
    const source = bySource.get(answer);
    if (source && value !== undefined) return owners.from(owners.sources[source] ?? source);
    return page.state === "read" ? owners.notSaid : "";
  };
}

/** What was typed is no domain, or must not be asked now: it stays in the field, with why beside it. */
export function domainRefusedView({ detail, errors }: Problem, context: ViewContext): PageView {
  const domain = context.query.domain ?? context.params.domain ?? "";
  const why = errors?.[0] ? `${domain} ${errors[0].message}.` : detail;
  return domainForm({ ...context, query: { domain } }, why);
}

/** The form as it was sent, with why it was refused beside the fields. */
export function draftRefusedView(problem: Problem, { texts, params, form }: ViewContext): PageView {
  const domain = params.domain!;
  const title = texts.owners.draftTitle(domainShown(domain));
  const actions = ACTION_FIELDS.flatMap((name) => {
    const json = form[name];
    return json !== undefined && isJson(json) ? [{ json, isTicked: true }] : [];
  });
  const filled: Filled = { domain, values: form, actions, errors: errorsBy(problem), hint: () => "" };
  return {
    title,
    isTransient: true,
    body: html`${stepsHtml(texts, 0)}<h1>${title}</h1><p class="lead">${texts.owners.refused}</p>${draftForm(texts, filled)}`,
  };
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

function errorsBy({ detail, errors = [] }: Problem): Record<string, string> {
  if (errors.length === 0) return { "": detail };
  const known = new Set(["name", "description", "category", "owner", "city", "country", "email", "phone"]);
  const fields = errors.map(({ pointer, message }) => {
    const members = pointer.split("/").slice(2);
    const member = members.find((each) => FIELD_OF[each] || known.has(each) || each === "endpoint") ?? "";
    return [FIELD_OF[member] ?? member, message] as const;
  });
  return Object.fromEntries(fields.toReversed());
}
