/** The pages of the operators' console, on the operators' listener alone. */
import { definePage, type OperationCalls, type PageSpec } from "../page.ts";
import { formQuestions } from "../questions.ts";
import {
  auditQuestions,
  blockQuestions,
  blocksQuestions,
  consoleAppealsQuestions,
  decideAppealQuestions,
  decidePlanQuestions,
  decideReportQuestions,
  hostQuestions,
  lettersQuestions,
  loggingOutQuestions,
  overviewQuestions,
  plansQuestions,
  reportsQuestions,
  retryQuestions,
  setPlanQuestions,
  settingsQuestions,
  suspendQuestions,
  unblockQuestions,
} from "./questions.ts";

const REFERENCE = "/docs";
const TOKEN = 200;
const DOMAIN = 300;
const WHY = 300;
const SHORT = 64;
const EMAIL = 320;

const own = <const Q extends OperationCalls>(page: Parameters<typeof definePage<Q>>[0]): PageSpec =>
  definePage<Q>({ ...page, needsLogIn: true, machinesGoTo: REFERENCE });

const home = async () => import("./views/home.ts");
const hosts = async () => import("./views/hosts.ts");
const people = async () => import("./views/people.ts");

export const CONSOLE_PAGES: readonly PageSpec[] = [
  definePage({
    path: "/log-in",
    method: "GET",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    ask: formQuestions,
    view: async () => (await home()).consoleLogInView,
  }),
  definePage({
    path: "/log-in",
    method: "POST",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    form: { token: TOKEN },
    ask: formQuestions,
    logIn: "given",
    leadsTo: () => "/",
    refused: async () => (await home()).consoleLogInAgainView,
  }),
  own({
    path: "/log-out",
    method: "POST",
    ask: loggingOutQuestions,
    logIn: "ends",
    leadsTo: () => "/log-in",
  }),
  own({
    path: "/",
    method: "GET",
    menuEntry: "overview",
    ask: overviewQuestions,
    view: async () => (await home()).overviewView,
  }),
  own({
    path: "/settings",
    method: "GET",
    ask: settingsQuestions,
    view: async () => (await home()).settingsInForceView,
  }),
  own({
    path: "/hosts",
    method: "GET",
    menuEntry: "hosts",
    query: { domain: DOMAIN, state: SHORT, reason: SHORT },
    ask: hostQuestions,
    view: async () => (await hosts()).hostView,
  }),
  own({
    path: "/reports",
    method: "GET",
    menuEntry: "reports",
    ask: reportsQuestions,
    view: async () => (await hosts()).reportsView,
  }),
  own({
    path: "/reports/{id}",
    method: "POST",
    form: { state: SHORT, why: WHY },
    ask: decideReportQuestions,
    leadsTo: () => "/reports",
  }),
  own({
    path: "/blocks",
    method: "GET",
    menuEntry: "blocks",
    ask: blocksQuestions,
    view: async () => (await hosts()).blocksView,
  }),
  own({
    path: "/blocks",
    method: "POST",
    form: { domain: DOMAIN, why: WHY },
    ask: blockQuestions,
    leadsTo: () => "/blocks",
  }),
  own({
    path: "/blocks/lift",
    method: "POST",
    form: { domain: DOMAIN },
    ask: unblockQuestions,
    leadsTo: () => "/blocks",
  }),
  own({
    path: "/appeals",
    method: "GET",
    menuEntry: "appeals",
    query: { state: SHORT },
    ask: consoleAppealsQuestions,
    view: async () => (await hosts()).consoleAppealsView,
  }),
  own({
    path: "/appeals/{domain}/{appealId}",
    method: "POST",
    form: { decision: SHORT, why: WHY },
    ask: decideAppealQuestions,
    leadsTo: () => "/appeals",
  }),
  own({
    path: "/dead-letters",
    method: "GET",
    menuEntry: "letters",
    ask: lettersQuestions,
    view: async () => (await hosts()).lettersView,
  }),
  own({
    path: "/dead-letters/retry",
    method: "POST",
    form: { domain: DOMAIN },
    ask: retryQuestions,
    leadsTo: () => "/dead-letters",
  }),
  own({
    path: "/plans",
    method: "GET",
    menuEntry: "plans",
    query: { email: EMAIL },
    ask: plansQuestions,
    view: async () => (await people()).plansView,
  }),
  own({
    path: "/plans/{accountId}",
    method: "POST",
    form: { tier: SHORT, decision: SHORT, why: WHY },
    ask: decidePlanQuestions,
    leadsTo: () => "/plans",
  }),
  own({
    path: "/accounts/{accountId}/plan",
    method: "POST",
    form: { tier: SHORT, why: WHY },
    ask: setPlanQuestions,
    leadsTo: () => "/plans",
  }),
  own({
    path: "/accounts/{accountId}/suspension",
    method: "POST",
    form: { decision: SHORT, why: WHY },
    ask: suspendQuestions,
    leadsTo: () => "/plans",
  }),
  own({
    path: "/audit",
    method: "GET",
    menuEntry: "audit",
    query: { before: SHORT },
    ask: auditQuestions,
    view: async () => (await people()).auditView,
  }),
];
