/** What each page asks, by the operations' contracts. */

import { MAX_DRAFTED_ACTIONS } from "../../schemas/draft.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { accounts } from "../../workers/accounts/contract.ts";
import { firewall, MAX_TRIED_CHARS } from "../../workers/gateway/firewall/contract.ts";
import { price } from "../../workers/gateway/price/contract.ts";
import { gossip } from "../../workers/gossip/contract.ts";
import { protocol } from "../../workers/protocol/contract.ts";
import { provider } from "../../workers/provider/contract.ts";
import { search } from "../../workers/search/contract.ts";
import { trust } from "../../workers/trust/contract.ts";
import { callOf, optionalCallOf, type VisitorInput } from "./page.ts";

/** Filters of a search, by the fields of its form. */
export const FILTERS = ["category", "intent", "location", "trust_ring", "min_neutrality", "access"] as const;

const RESULTS_A_PAGE = 10;
export const PRICES_SHOWN = 5;
const DOABLES_SHOWN = 3;
const COUNTED = "category,ring,intent";

/** Fields of the drafted actions that are ticked. */
export const ACTION_FIELDS = Array.from({ length: MAX_DRAFTED_ACTIONS }, (_, i) => `action_${i}`);

export const homeQuestions = () => ({
  main: optionalCallOf(search, "listDirectory", { query: { limit: 1, facets: COUNTED } }),
  status: optionalCallOf(protocol, "getRegistryStatus"),
});

/** With words, a search; without, the directory in its turns. What is a domain gets its verdict besides. */
export function searchQuestions(asked: VisitorInput) {
  const shared = { ...narrowing(asked), limit: RESULTS_A_PAGE, facets: COUNTED };
  const { q } = asked.query;
  const domain = domainIn(q);
  return q === undefined
    ? { main: callOf(search, "listDirectory", { query: shared }) }
    : {
        main: callOf(search, "searchDirectory", { query: { q, ...shared, explain: true, highlight: true } }),
        // Beside sites, on the first page of a search without filters; who types a domain wants that.
        ...(isPlain(asked) && domain === undefined && doableQuestions(q)),
        ...(domain !== undefined && { named: optionalCallOf(provider, "getSite", { params: { domain } }) }),
      };
}

/** What agents can call, beside the sites of a search. */
export const doableQuestions = (q: string) => ({
  tools: optionalCallOf(search, "findTools", { query: { q, limit: DOABLES_SHOWN } }),
  services: optionalCallOf(search, "findServices", { query: { q, limit: DOABLES_SHOWN } }),
});

const isPlain = (asked: VisitorInput): boolean =>
  Object.values(narrowing(asked)).every((value) => value === undefined);

const narrowing = ({ query }: VisitorInput) => ({
  category: query.category,
  intent: query.intent,
  location: query.location,
  access: query.access,
  trust_ring: numeric(query.trust_ring),
  min_neutrality: numeric(query.min_neutrality),
  cursor: query.cursor,
});

/** Numbers as the contract has them; what is none is left to its validation, which says so. */
const numeric = (text: string | undefined): number | string | undefined =>
  text === undefined ? undefined : /^\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text;

/** The domain that was typed in place of words, if it is one. */
function domainIn(q: string | undefined): string | undefined {
  if (q === undefined || !q.includes(".") || /\s/.test(q.trim())) return undefined;
  const parsed = parsePastedDomain(q);
  return parsed.ok ? parsed.host : undefined;
}

export const siteQuestions = (asked: VisitorInput) => ({
  ...verdictQuestions(asked),
  prices: optionalCallOf(price, "listSitePrices", {
    params: { domain: asked.params.domain! },
    query: { limit: PRICES_SHOWN },
  }),
});

export const verdictQuestions = ({ params }: VisitorInput) => ({
  main: callOf(provider, "getSite", { params: { domain: params.domain! } }),
});

export const readyQuestions = ({ params }: VisitorInput) => ({
  main: callOf(provider, "getSiteReadiness", { params: { domain: params.domain! } }),
});

/** Without a domain, the form that asks for one. */
export const readyFormQuestions = ({ query: { domain }, ...asked }: VisitorInput) =>
  domain === undefined ? {} : { main: readyQuestions({ ...asked, query: {}, params: { domain } }).main };

export const proofQuestions = ({ params }: VisitorInput) => ({
  main: callOf(trust, "siteEvidence", { params: { domain: params.domain! }, query: {} }),
});

export const recheckQuestions = ({ params }: VisitorInput) => ({
  main: callOf(provider, "recheckSite", { params: { domain: params.domain! } }),
});

export const reportQuestions = ({ params }: VisitorInput) => ({
  main: callOf(gossip, "reportSite", { body: { domain: params.domain! } }),
});

/** Most characters of the form of `/scan`. */
export const MOST_SCANNED = MAX_TRIED_CHARS;

export const scanQuestions = ({ form }: VisitorInput) => ({
  main: callOf(firewall, "tryScan", { body: { input: form.input } }),
});

export const statusQuestions = () => ({
  main: callOf(protocol, "getRegistryStatus"),
  directory: optionalCallOf(search, "listDirectory", { query: { limit: 1 } }),
});

/** Days that the page draws: it stays below 60 kB. */
const CENSUS_DRAWN = 14;

export const censusQuestions = () => ({
  main: callOf(protocol, "getCensus", { query: { days: CENSUS_DRAWN } }),
});

export const aboutQuestions = () => ({ main: callOf(protocol, "getRegistryAbout") });

/** A form alone. */
export const formQuestions = () => ({});

export const proveEmailQuestions = ({ form }: VisitorInput) => ({
  main: callOf(accounts, "proveEmail", { body: { token: form.token } }),
});

export const passwordLinkQuestions = ({ form }: VisitorInput) => ({
  main: callOf(accounts, "requestPasswordLink", { body: { email: form.email } }),
});

/** The form's, or, of a mail program's one click, the address's. */
export const stopNoticesQuestions = ({ form, query }: VisitorInput) => ({
  main: callOf(accounts, "stopNotices", { body: { token: form.token ?? query.token } }),
});

export const resetPasswordQuestions = ({ form }: VisitorInput) => ({
  main: callOf(accounts, "resetPassword", { body: { token: form.token, new_password: form.new_password } }),
});

/** Without a domain, the form that asks for one. */
export function draftQuestions({ params, query }: VisitorInput) {
  const domain = params.domain ?? query.domain;
  if (domain === undefined) return {};
  return {
    main: callOf(provider, "draftDocument", { params: { domain } }),
    known: optionalCallOf(provider, "getSite", { params: { domain } }),
  };
}

export const composeQuestions = ({ params, form }: VisitorInput) => ({
  main: callOf(provider, "composeDocument", {
    params: { domain: params.domain! },
    body: answersOf(form),
  }),
  invariants: optionalCallOf(trust, "getInvariants"),
});

function answersOf(form: VisitorInput["form"]): object {
  const { name, category, description, owner, endpoint, city, country, region, email, phone } = form;
  const tags = (form.tags ?? "").split(",").map((tag) => tag.trim().toLowerCase().replaceAll(" ", "-"));
  const intent_tags = tags.filter((tag) => tag !== "");
  const actions = ACTION_FIELDS.flatMap((field) =>
    form[field] === undefined ? [] : [actionIn(form[field])],
  );
  const place = { city, country, region, lat: decimal(form.lat), lon: decimal(form.lon) };
  return {
    name,
    category,
    description,
    owner,
    endpoint,
    location: filled(place),
    contact: filled({ email, phone, url: form.contact_url }),
    ...(intent_tags.length > 0 && { intent_tags }),
    ...(actions.length > 0 && { actions }),
    permissions: permissionsOf(form),
    is_independent: form.independent === "yes" ? true : form.independent === "no" ? false : undefined,
    commission_rate: decimal(form.commission),
  };
}

/** A declared action as its field holds it; what is no JSON is left to the contract. */
function actionIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A number as a form has it; what is none is left to the contract. */
const decimal = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^-?\d{1,3}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text;

function filled(members: Record<string, unknown>): object | undefined {
  const there = Object.entries(members).filter(([, value]) => value !== undefined);
  return there.length === 0 ? undefined : Object.fromEntries(there);
}

/** A form that its owner declares may be filled in. */
const permissionsOf = (form: VisitorInput["form"]) => ({
  readContent: true,
  click: true,
  scroll: true,
  navigate: true,
  fillForms: form.fill_forms === "yes" || ACTION_FIELDS.some((field) => form[field] !== undefined),
});

export const renewQuestions = ({ params }: VisitorInput) => ({
  main: callOf(trust, "siteEvidence", { params: { domain: params.domain! }, query: {} }),
  invariants: optionalCallOf(trust, "getInvariants"),
});

export const dnsQuestions = ({ params }: VisitorInput) => ({
  main: callOf(provider, "getSiteDns", { params: { domain: params.domain! } }),
});

export const connectQuestions = ({ params, query }: VisitorInput) => ({
  main: callOf(provider, "getDomainConnect", {
    params: { domain: params.domain! },
    query: { pk: query.pk, endpoint: query.endpoint },
  }),
});

export const checkQuestions = ({ params }: VisitorInput) => ({
  main: callOf(provider, "getDomainStatus", { query: { domain: params.domain! } }),
  about: optionalCallOf(protocol, "getRegistryAbout"),
});
