/** The pages of an account: what a person sees and does there once they are logged in, and the ways in and out. */
import { MAX_APPEAL_CHARS } from "../../schemas/appeal.ts";
import {
  accountQuestions,
  addPasskeyQuestions,
  addSiteQuestions,
  appealQuestions,
  appealsQuestions,
  changePasswordQuestions,
  choosePlanQuestions,
  closeQuestions,
  closingQuestions,
  configureQuestions,
  decideQuestions,
  emailProofQuestions,
  endLogInQuestions,
  endWatchQuestions,
  exportQuestions,
  giveDocumentQuestions,
  logInFormQuestions,
  logInQuestions,
  logOutQuestions,
  makeAgentQuestions,
  makeKeyQuestions,
  noticeQuestions,
  PERMISSIONS,
  passkeyLogInQuestions,
  passkeysQuestions,
  planQuestions,
  proveQuestions,
  publishQuestions,
  removePasskeyQuestions,
  renamePasskeyQuestions,
  revokeKeyQuestions,
  setNoticesQuestions,
  signUpQuestions,
  siteFormQuestions,
  watchesQuestions,
  watchQuestions,
  withdrawDocumentQuestions,
} from "./account-questions.ts";
import { definePage, type OperationCalls, type PageSpec, type VisitorInput } from "./page.ts";
import { formQuestions } from "./questions.ts";

const EMAIL = 320;
const PASSWORD = 1_024;
const NAME = 200;
const NOTICE = 32;
const ADDRESS = 300;
const SHORT = 64;
const WEBHOOK = 2_048;
const REASON = 300;
/** A document of 60 KiB, in a form that writes most signs as three. */
const DOCUMENT = 60 * 1024;
const DOCUMENT_FORM_BYTES = 192 * 1024;
/** A reason in a form that writes a sign as up to twelve. */
const APPEAL_FORM_BYTES = 16 * 1024;
/** Below what a form may have. */
const CREDENTIAL = 6_000;

/** Programs call the operations. */
const REFERENCE = "/docs";
export const ACCOUNT = "/account";

/** A page of the account's own: nothing else is somewhere to go on to after a log-in. */
const OWN_PAGE = /^\/account(?:\/[\w.-]+)*$/;
const goOnTo = (next: string | undefined): string =>
  next !== undefined && OWN_PAGE.test(next) ? next : ACCOUNT;

/** Back at the account, with a word of what was done. */
const done = (what: string) => () => `${ACCOUNT}?done=${what}`;

/** Back at what is served for a site. */
const published =
  (what: string) =>
  ({ params }: VisitorInput) =>
    `${ACCOUNT}/sites/${encodeURIComponent(params.siteId!)}/publish?done=${what}`;

/** Back at the watches. */
const watched = (what: string) => () => `${ACCOUNT}/watches?done=${what}`;

/** A page for who is logged in; the compiler checks its view against its questions. */
const own = <const Q extends OperationCalls>(page: Parameters<typeof definePage<Q>>[0]): PageSpec =>
  definePage<Q>({ ...page, needsLogIn: true, machinesGoTo: REFERENCE, menuEntry: "account" });

export const ACCOUNT_PAGES: readonly PageSpec[] = [
  definePage({
    path: "/account/sign-up",
    method: "GET",
    menuEntry: "account",
    machinesGoTo: REFERENCE,
    ask: formQuestions,
    view: async () => (await import("./views/log-in.ts")).signUpView,
  }),
  definePage({
    path: "/account/sign-up",
    method: "POST",
    menuEntry: "account",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    form: { email: EMAIL, password: PASSWORD, name: NAME },
    ask: signUpQuestions,
    hides: ["email_taken"],
    // The account that was opened; or the one that the address has, where the password is its own.
    logIn: "begins",
    logInNext: { ask: (asked) => logInQuestions(asked).main, refusedTo: "/account/log-in?done=taken" },
    leadsTo: done("signed-up"),
    refused: async () => (await import("./views/log-in.ts")).signUpAgainView,
  }),
  definePage({
    path: "/account/log-in",
    method: "GET",
    menuEntry: "account",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    query: { next: ADDRESS, done: NOTICE },
    script: "passkeys",
    ask: logInFormQuestions,
    view: async () => (await import("./views/log-in.ts")).logInView,
  }),
  definePage({
    path: "/account/log-in",
    method: "POST",
    menuEntry: "account",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    form: { email: EMAIL, password: PASSWORD, next: ADDRESS },
    ask: logInQuestions,
    logIn: "begins",
    leadsTo: ({ form }) => goOnTo(form.next),
    refused: async () => (await import("./views/log-in.ts")).logInAgainView,
  }),
  definePage({
    path: "/account/log-in/passkey",
    method: "POST",
    menuEntry: "account",
    isPrivate: true,
    machinesGoTo: REFERENCE,
    form: { credential: CREDENTIAL, next: ADDRESS },
    ask: passkeyLogInQuestions,
    logIn: "begins",
    leadsTo: ({ form }) => goOnTo(form.next),
    refused: async () => (await import("./views/log-in.ts")).logInAgainView,
  }),
  own({
    path: "/account/passkeys",
    method: "GET",
    script: "passkeys",
    ask: passkeysQuestions,
    view: async () => (await import("./views/account-passkeys.ts")).passkeysView,
  }),
  own({
    path: "/account/passkeys",
    method: "POST",
    form: { name: SHORT, password: PASSWORD, credential: CREDENTIAL },
    ask: addPasskeyQuestions,
    leadsTo: () => "/account/passkeys",
    refused: async () => (await import("./views/account-passkeys.ts")).passkeysAgainView,
  }),
  own({
    path: "/account/passkeys/{passkeyId}/name",
    method: "POST",
    form: { name: SHORT },
    ask: renamePasskeyQuestions,
    leadsTo: () => "/account/passkeys",
  }),
  own({
    path: "/account/passkeys/{passkeyId}/remove",
    method: "POST",
    ask: removePasskeyQuestions,
    leadsTo: () => "/account/passkeys",
  }),
  own({
    path: "/account/log-out",
    method: "POST",
    ask: logOutQuestions,
    logIn: "ends",
    leadsTo: () => "/account/log-in?done=logged-out",
  }),
  own({
    path: ACCOUNT,
    method: "GET",
    query: { done: NOTICE },
    ask: accountQuestions,
    view: async () => (await import("./views/account.ts")).accountView,
  }),
  own({
    path: "/account/log-ins/{logInId}/end",
    method: "POST",
    ask: endLogInQuestions,
    leadsTo: done("log-in-ended"),
  }),
  own({
    path: "/account/email/proof",
    method: "POST",
    ask: emailProofQuestions,
    leadsTo: done("proof-sent"),
  }),
  own({
    path: "/account/agents",
    method: "POST",
    form: { name: NAME },
    script: "copy",
    ask: makeAgentQuestions,
    view: async () => (await import("./views/account-keys.ts")).madeView,
    refused: async () => (await import("./views/account-keys.ts")).notMadeView,
  }),
  own({
    path: "/account/keys",
    method: "POST",
    form: { name: NAME, email: EMAIL, plan: SHORT },
    script: "copy",
    ask: makeKeyQuestions,
    view: async () => (await import("./views/account-keys.ts")).madeView,
    refused: async () => (await import("./views/account-keys.ts")).notMadeView,
  }),
  own({
    path: "/account/watches",
    method: "GET",
    query: { done: NOTICE },
    ask: watchesQuestions,
    view: async () => (await import("./views/account-watches.ts")).watchesView,
  }),
  // The domain stands in the path, which a log-in on the way keeps.
  own({
    path: "/account/watches/{domain}",
    method: "GET",
    ask: watchesQuestions,
    view: async () => (await import("./views/account-watches.ts")).watchesView,
  }),
  own({
    path: "/account/watches",
    method: "POST",
    form: { domain: ADDRESS, webhook: WEBHOOK },
    ask: watchQuestions,
    leadsTo: watched("watched"),
    refused: async () => (await import("./views/account-watches.ts")).watchRefusedView,
  }),
  own({
    path: "/account/watches/{watchId}/end",
    method: "POST",
    ask: endWatchQuestions,
    leadsTo: watched("watch-ended"),
  }),
  own({
    path: "/account/keys/{keyId}/revoke",
    method: "POST",
    ask: revokeKeyQuestions,
    leadsTo: done("key-revoked"),
  }),
  own({
    path: "/account/requests/{requestId}",
    method: "POST",
    form: { decision: SHORT, days: SHORT },
    ask: decideQuestions,
    leadsTo: ({ form }) => `${ACCOUNT}?done=${form.decision === "approve" ? "approved" : "denied"}`,
  }),
  own({
    path: "/account/sites",
    method: "GET",
    query: { domain: ADDRESS },
    ask: proveQuestions,
    view: async () => (await import("./views/account-publish.ts")).proveView,
  }),
  own({
    path: "/account/sites",
    method: "POST",
    form: { domain: ADDRESS },
    ask: addSiteQuestions,
    leadsTo: done("site-added"),
    refused: async () => (await import("./views/account-publish.ts")).proveAgainView,
  }),
  own({
    path: "/account/sites/{siteId}/publish",
    method: "GET",
    query: { done: NOTICE },
    ask: publishQuestions,
    view: async () => (await import("./views/account-publish.ts")).publishPageView,
  }),
  own({
    path: "/account/sites/{siteId}/publish/document",
    method: "POST",
    form: { document: DOCUMENT },
    formBytes: DOCUMENT_FORM_BYTES,
    ask: giveDocumentQuestions,
    leadsTo: published("document-given"),
    refused: async () => (await import("./views/account-publish.ts")).publishRefusedView,
  }),
  own({
    path: "/account/sites/{siteId}/publish/document/withdraw",
    method: "POST",
    ask: withdrawDocumentQuestions,
    leadsTo: published("document-withdrawn"),
  }),
  own({
    path: "/account/sites/{siteId}/appeals",
    method: "GET",
    query: { done: NOTICE },
    ask: appealsQuestions,
    view: async () => (await import("./views/account-appeals.ts")).appealsView,
    refused: async () => (await import("./views/account-appeals.ts")).unprovedView,
  }),
  own({
    path: "/account/sites/{siteId}/appeals",
    method: "POST",
    form: { kind: SHORT, decision: SHORT, reason: MAX_APPEAL_CHARS },
    formBytes: APPEAL_FORM_BYTES,
    ask: appealQuestions,
    leadsTo: ({ params }) => `/account/sites/${encodeURIComponent(params.siteId!)}/appeals?done=appealed`,
    refused: async () => (await import("./views/account-appeals.ts")).appealRefusedView,
  }),
  own({
    path: "/account/sites/{siteId}",
    method: "GET",
    ask: siteFormQuestions,
    view: async () => (await import("./views/account-site.ts")).siteFormView,
  }),
  own({
    path: "/account/sites/{siteId}",
    method: "POST",
    form: {
      access: SHORT,
      confirm_above: SHORT,
      ...Object.fromEntries(PERMISSIONS.map((name) => [name, SHORT])),
    },
    ask: configureQuestions,
    leadsTo: done("site-saved"),
    refused: async () => (await import("./views/account-site.ts")).siteFormAgainView,
  }),
  own({
    path: "/account/plan",
    method: "GET",
    ask: planQuestions,
    view: async () => (await import("./views/account-plan.ts")).planView,
  }),
  own({
    path: "/account/plan",
    method: "POST",
    form: { tier: SHORT, note: REASON },
    ask: choosePlanQuestions,
    leadsTo: done("plan-chosen"),
  }),
  own({
    path: "/account/notices",
    method: "GET",
    query: { done: NOTICE },
    ask: noticeQuestions,
    view: async () => (await import("./views/notices.ts")).noticesView,
  }),
  own({
    path: "/account/notices",
    method: "POST",
    form: { mail: 3 },
    ask: setNoticesQuestions,
    leadsTo: () => `${ACCOUNT}/notices?done=saved`,
  }),
  own({
    path: "/account/settings",
    method: "GET",
    ask: formQuestions,
    view: async () => (await import("./views/account-settings.ts")).settingsView,
  }),
  own({
    path: "/account/settings/password",
    method: "POST",
    form: { current_password: PASSWORD, new_password: PASSWORD },
    ask: changePasswordQuestions,
    logIn: "begins",
    leadsTo: done("password-changed"),
    refused: async () => (await import("./views/account-settings.ts")).settingsAgainView,
  }),
  own({
    path: "/account/export",
    method: "GET",
    ask: exportQuestions,
    file: "account.json",
  }),
  own({
    path: "/account/close",
    method: "GET",
    ask: closingQuestions,
    view: async () => (await import("./views/account-settings.ts")).closingView,
  }),
  own({
    path: "/account/close",
    method: "POST",
    form: { password: PASSWORD },
    ask: closeQuestions,
    logIn: "ends",
    leadsTo: () => "/account/log-in?done=closed",
    refused: async () => (await import("./views/account-settings.ts")).closingAgainView,
  }),
];
