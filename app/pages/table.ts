/** Every page of the public listener. A new page is a view, its questions, and a row here. */
import { ACCOUNT_PAGES } from "./account-table.ts";
import { definePage, type PageSpec } from "./page.ts";
import {
  ACTION_FIELDS,
  aboutQuestions,
  checkQuestions,
  composeQuestions,
  connectQuestions,
  dnsQuestions,
  draftQuestions,
  FILTERS,
  formQuestions,
  homeQuestions,
  passwordLinkQuestions,
  proofQuestions,
  proveEmailQuestions,
  recheckQuestions,
  renewQuestions,
  reportQuestions,
  resetPasswordQuestions,
  searchQuestions,
  siteQuestions,
  statusQuestions,
  stopNoticesQuestions,
} from "./questions.ts";

/** Longest fields of the search form; addresses with them stand in links of the page. */
const WORDS = 200;
const FILTER = 128;
const CURSOR = 512;
const TOKEN = 200;
const EMAIL = 320;
const PASSWORD = 1_024;
/** An owner's answers, in characters; actions as JSON. */
const ANSWERS = {
  ...{ name: 200, description: 2_000, category: 64, tags: 300, owner: 200 },
  ...{ city: 128, country: 64, region: 128, lat: 16, lon: 16, email: EMAIL, phone: 64, contact_url: 512 },
  ...{ independent: 3, commission: 8, fill_forms: 3, endpoint: 300 },
  ...Object.fromEntries(ACTION_FIELDS.map((field) => [field, 4_000])),
};
/** Characters of a form are up to three bytes, or nine. */
const ANSWERS_BYTES = 128 * 1024;
/** Of forms that programs have no use for: they call the operations. */
const REFERENCE = "/docs";

export const PAGES: readonly PageSpec[] = [
  definePage({
    path: "/",
    method: "GET",
    machinesGoTo: "/docs",
    ask: homeQuestions,
    view: async () => (await import("./views/home.ts")).homeView,
  }),
  definePage({
    path: "/search",
    method: "GET",
    place: "search",
    script: "search",
    query: { q: WORDS, cursor: CURSOR, ...Object.fromEntries(FILTERS.map((name) => [name, FILTER])) },
    ask: searchQuestions,
    view: async () => (await import("./views/search.ts")).searchView,
  }),
  definePage({
    path: "/sites/{domain}",
    method: "GET",
    ask: siteQuestions,
    view: async () => (await import("./views/site.ts")).siteView,
  }),
  definePage({
    path: "/sites/{domain}/proofs",
    method: "GET",
    ask: proofQuestions,
    view: async () => (await import("./views/proofs.ts")).proofsView,
  }),
  definePage({
    path: "/sites/{domain}/recheck",
    method: "POST",
    ask: recheckQuestions,
    view: async () => (await import("./views/asked.ts")).recheckView,
  }),
  definePage({
    path: "/sites/{domain}/report",
    method: "POST",
    ask: reportQuestions,
    view: async () => (await import("./views/asked.ts")).reportView,
  }),
  definePage({
    path: "/owners",
    method: "GET",
    place: "owners",
    query: { domain: 300 },
    machinesGoTo: REFERENCE,
    ask: draftQuestions,
    view: async () => (await import("./views/owner-draft.ts")).draftView,
    refused: async () => (await import("./views/owner-draft.ts")).domainRefusedView,
  }),
  definePage({
    path: "/owners/{domain}",
    method: "GET",
    place: "owners",
    ask: draftQuestions,
    view: async () => (await import("./views/owner-draft.ts")).draftView,
    refused: async () => (await import("./views/owner-draft.ts")).domainRefusedView,
  }),
  definePage({
    path: "/owners/{domain}",
    method: "POST",
    place: "owners",
    script: "owner",
    form: ANSWERS,
    formBytes: ANSWERS_BYTES,
    ask: composeQuestions,
    view: async () => (await import("./views/owners.ts")).publishView,
    refused: async () => (await import("./views/owner-draft.ts")).draftRefusedView,
  }),
  definePage({
    path: "/owners/{domain}/dns",
    method: "GET",
    place: "owners",
    ask: dnsQuestions,
    view: async () => (await import("./views/owners.ts")).dnsView,
  }),
  definePage({
    path: "/owners/{domain}/connect",
    method: "GET",
    place: "owners",
    query: { pk: 64, endpoint: ANSWERS.endpoint },
    ask: connectQuestions,
    view: async () => (await import("./views/connect.ts")).connectView,
  }),
  definePage({
    path: "/owners/{domain}/check",
    method: "POST",
    place: "owners",
    ask: checkQuestions,
    view: async () => (await import("./views/owners.ts")).checkView,
  }),
  definePage({
    path: "/owners/{domain}/renew",
    method: "GET",
    place: "owners",
    script: "owner",
    ask: renewQuestions,
    view: async () => (await import("./views/owners.ts")).renewView,
  }),
  definePage({
    path: "/status",
    method: "GET",
    place: "status",
    script: "live",
    ask: statusQuestions,
    view: async () => (await import("./views/status.ts")).statusView,
  }),
  definePage({
    path: "/about",
    method: "GET",
    place: "about",
    ask: aboutQuestions,
    view: async () => (await import("./views/about.ts")).aboutView,
  }),
  definePage({
    path: "/account/email",
    method: "GET",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    query: { token: TOKEN },
    ask: formQuestions,
    view: async () => (await import("./views/links.ts")).emailFormView,
  }),
  definePage({
    path: "/account/email",
    method: "POST",
    isPrivate: true,
    form: { token: TOKEN },
    ask: proveEmailQuestions,
    view: async () => (await import("./views/links.ts")).emailProvedView,
  }),
  definePage({
    path: "/notices/stop",
    method: "GET",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    query: { token: TOKEN },
    ask: formQuestions,
    view: async () => (await import("./views/notices.ts")).stopFormView,
  }),
  definePage({
    path: "/notices/stop",
    method: "POST",
    isPrivate: true,
    query: { token: TOKEN },
    form: { token: TOKEN },
    ask: stopNoticesQuestions,
    view: async () => (await import("./views/notices.ts")).stoppedView,
  }),
  definePage({
    path: "/account/forgotten",
    method: "GET",
    machinesGoTo: REFERENCE,
    ask: formQuestions,
    view: async () => (await import("./views/links.ts")).forgottenView,
  }),
  definePage({
    path: "/account/forgotten",
    method: "POST",
    isPrivate: true,
    form: { email: EMAIL },
    ask: passwordLinkQuestions,
    view: async () => (await import("./views/links.ts")).linkSentView,
  }),
  definePage({
    path: "/account/password",
    method: "GET",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    query: { token: TOKEN },
    ask: formQuestions,
    view: async () => (await import("./views/links.ts")).passwordFormView,
  }),
  definePage({
    path: "/account/password",
    method: "POST",
    isPrivate: true,
    form: { token: TOKEN, new_password: PASSWORD },
    ask: resetPasswordQuestions,
    view: async () => (await import("./views/links.ts")).passwordSetView,
  }),
  ...ACCOUNT_PAGES,
];
