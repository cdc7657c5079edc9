/** What the pages of an account ask, by the operations' contracts. */

import { SitePermissions } from "../../schemas/license.ts";
import { access } from "../../workers/access/contract.ts";
import { accounts } from "../../workers/accounts/contract.ts";
import { keys } from "../../workers/keys/contract.ts";
import { protocol } from "../../workers/protocol/contract.ts";
import { session } from "../../workers/session/contract.ts";
import { callOf, optionalCallOf, type VisitorInput } from "./page.ts";

const REQUESTS_SHOWN = 20;

export const PERMISSIONS = Object.keys(SitePermissions.shape) as (keyof SitePermissions)[];

/** Of a box that was ticked. */
const TICKED = "yes";

export const logInFormQuestions = () => ({ passkey: optionalCallOf(accounts, "getPasskeyLogInOptions") });

export const passkeyLogInQuestions = ({ form }: VisitorInput) => ({
  main: callOf(accounts, "logInWithPasskey", { body: { credential: credentialOf(form) } }),
});

/** What a form sends of a passkey: JSON of the page's script. What is none is left to the contract, which says so. */
function credentialOf({ credential }: VisitorInput["form"]): unknown {
  try {
    return JSON.parse(credential ?? "null");
  } catch {
    return undefined;
  }
}

export const passkeysQuestions = () => ({
  main: callOf(accounts, "listPasskeys"),
  options: callOf(accounts, "getPasskeyOptions"),
});

export const addPasskeyQuestions = ({ form }: VisitorInput) => ({
  main: callOf(accounts, "addPasskey", {
    body: {
      name: form.name,
      ...(form.password !== undefined && { password: form.password }),
      credential: credentialOf(form),
    },
  }),
});

export const renamePasskeyQuestions = ({ params, form }: VisitorInput) => ({
  main: callOf(accounts, "renamePasskey", {
    params: { passkeyId: params.passkeyId! },
    body: { name: form.name },
  }),
});

export const removePasskeyQuestions = ({ params }: VisitorInput) => ({
  main: callOf(accounts, "removePasskey", { params: { passkeyId: params.passkeyId! } }),
});

export const logInQuestions = ({ form }: VisitorInput) => ({
  main: callOf(accounts, "logIn", { body: { email: form.email, password: form.password } }),
});

export const signUpQuestions = ({ form }: VisitorInput) => ({
  main: callOf(accounts, "registerAccount", {
    body: { email: form.email, password: form.password, name: form.name },
  }),
});

export const accountQuestions = () => ({
  main: callOf(accounts, "getAccount"),
  logIns: callOf(accounts, "listLogIns"),
  sites: callOf(accounts, "listSites"),
  requests: callOf(access, "listAccessRequests", { query: { limit: REQUESTS_SHOWN } }),
  receipts: optionalCallOf(session, "listReceipts"),
  keys: optionalCallOf(keys, "listKeys"),
});

/** All that the registry holds of an account, by the operations that say it. */
export const exportQuestions = () => ({
  account: callOf(accounts, "getAccount"),
  log_ins: callOf(accounts, "listLogIns"),
  passkeys: callOf(accounts, "listPasskeys"),
  wallet: callOf(accounts, "listWallet"),
  agent_blocks: callOf(access, "listAgentBlocks"),
  sites: callOf(accounts, "listSites"),
  keys: callOf(keys, "listKeys"),
  receipts: optionalCallOf(session, "listReceipts"),
  access_requests: callOf(access, "listAccessRequests", { query: { limit: 200 } }),
});

export const closingQuestions = () => ({
  main: callOf(accounts, "getAccount"),
  keys: callOf(keys, "listKeys"),
});

export const closeQuestions = ({ form: { password } }: VisitorInput) => ({
  main: callOf(accounts, "closeAccount", { body: password === undefined ? {} : { password } }),
});

export const planQuestions = () => ({
  main: callOf(accounts, "getAccount"),
  plans: callOf(accounts, "listPlans"),
});

export const choosePlanQuestions = ({ form: { tier, note } }: VisitorInput) => ({
  main: callOf(accounts, "choosePlan", { body: { tier, ...(note !== undefined && { note }) } }),
});

export const logOutQuestions = () => ({ main: callOf(accounts, "logOut", { body: {} }) });

export const endLogInQuestions = ({ params }: VisitorInput) => ({
  main: callOf(accounts, "logOut", { body: { log_in_id: params.logInId } }),
});

export const emailProofQuestions = () => ({ main: callOf(accounts, "requestEmailProof") });

/** An agent's token, or a key of the module gateway. */
export const makeAgentQuestions = ({ form: { name } }: VisitorInput) => ({
  main: callOf(keys, "issueKey", { body: { kind: "agent", name } }),
});

export const makeKeyQuestions = ({ form: { name, email, plan } }: VisitorInput) => ({
  main: callOf(keys, "createKey", { body: { owner: name, email, plan } }),
});

export const revokeKeyQuestions = ({ params }: VisitorInput) => ({
  main: callOf(keys, "revokeListedKey", { params: { keyId: params.keyId! } }),
});

/** A form has both buttons beside the days, which belong to one of them. */
export const decideQuestions = ({ params, form: { decision, days } }: VisitorInput) => ({
  main: callOf(access, "decideAccess", {
    params: { requestId: params.requestId! },
    body: {
      decision,
      ...(days !== undefined && decision === "approve" && { expires_in_days: Number(days) }),
    },
  }),
});

export const siteFormQuestions = () => ({ main: callOf(accounts, "listSites") });

/** The record that proves a domain, once one is named. */
export const proveQuestions = ({ query: { domain } }: VisitorInput) => ({
  ...(domain !== undefined && { main: callOf(accounts, "getSiteChallenge", { query: { domain } }) }),
});

export const addSiteQuestions = ({ form: { domain } }: VisitorInput) => ({
  main: callOf(accounts, "addSite", { body: { domain } }),
});

/** What the owner alone is told of a site refuses the page to everybody else. */
export const publishQuestions = ({ params }: VisitorInput) => ({
  main: callOf(accounts, "listSiteAppeals", { params: { siteId: params.siteId! } }),
  served: optionalCallOf(protocol, "getSiteDocument", { query: { siteId: params.siteId! } }),
});

export const appealsQuestions = ({ params }: VisitorInput) => ({
  main: callOf(accounts, "listSiteAppeals", { params: { siteId: params.siteId! } }),
});

export const appealQuestions = ({ params, form: { kind, decision, reason } }: VisitorInput) => ({
  main: callOf(accounts, "appealDecision", {
    params: { siteId: params.siteId! },
    body: { kind, decision, reason },
  }),
});

export const giveDocumentQuestions = ({ params, form: { document } }: VisitorInput) => ({
  main: callOf(accounts, "publishDocument", {
    params: { siteId: params.siteId! },
    body: { document: pasted(document) },
  }),
});

/** What was pasted. What is no JSON is left to the contract, which says so; so is null, which would withdraw the document. */
function pasted(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "") ?? undefined;
  } catch {
    return undefined;
  }
}

export const withdrawDocumentQuestions = ({ params }: VisitorInput) => ({
  main: callOf(accounts, "publishDocument", { params: { siteId: params.siteId! }, body: { document: null } }),
});

export const configureQuestions = ({ params, form }: VisitorInput) => ({
  main: callOf(accounts, "configureSite", {
    params: { siteId: params.siteId! },
    body: {
      access: form.access,
      restrictions: { confirm_above: total(form.confirm_above) },
      permissions: Object.fromEntries(PERMISSIONS.map((name) => [name, form[name] === TICKED])),
    },
  }),
});

/** A total as people write it: "100 eur" is 100 EUR. */
const total = (text: string | undefined): string | null => text?.trim().toUpperCase() ?? null;

export const noticeQuestions = () => ({ main: callOf(accounts, "getAccount") });

export const setNoticesQuestions = ({ form: { mail } }: VisitorInput) => ({
  main: callOf(accounts, "setNoticeSettings", { body: { mail: mail === TICKED } }),
});

export const watchesQuestions = () => ({
  main: callOf(accounts, "listWatches"),
  account: callOf(accounts, "getAccount"),
});

/** Without an address that is told, by mail. */
export const watchQuestions = ({ form: { domain, webhook } }: VisitorInput) => ({
  main: callOf(accounts, "createWatch", {
    body: { domain, ...(webhook === undefined ? { mail: true } : { webhook }) },
  }),
});

export const endWatchQuestions = ({ params }: VisitorInput) => ({
  main: callOf(accounts, "deleteWatch", { params: { watchId: params.watchId! } }),
});

export const changePasswordQuestions = ({ form }: VisitorInput) => ({
  main: callOf(accounts, "changePassword", {
    body: { current_password: form.current_password, new_password: form.new_password },
  }),
});
