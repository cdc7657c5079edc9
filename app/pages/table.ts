/** Every page of the public listener. A new page is a view, its questions, and a row here. */
import { definePage, type PageSpec } from "./page.ts";
import {
  aboutQuestions,
  FILTERS,
  homeQuestions,
  proofQuestions,
  recheckQuestions,
  reportQuestions,
  searchQuestions,
  siteQuestions,
  statusQuestions,
} from "./questions.ts";

/** Longest fields of the search form; addresses with them stand in links of the page. */
const WORDS = 200;
const FILTER = 128;
const CURSOR = 512;

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
    path: "/status",
    method: "GET",
    place: "status",
    isLive: true,
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
];
