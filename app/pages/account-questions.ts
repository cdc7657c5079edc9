/** What the pages of an account ask, by the operations' contracts. */

import { SitePermissions } from "../../schemas/license.ts";
import { access } from "../../workers/access/contract.ts";
import { accounts } from "../../workers/accounts/contract.ts";
import { keys } from "../../workers/keys/contract.ts";
import { protocol } from "../../workers/protocol/contract.ts";
import { session } from "../../workers/session/contract.ts";
import { type Asked, ask, askIfThere } from "./page.ts";

const REQUESTS_SHOWN = 20;

export const PERMISSIONS = Object.keys(SitePermissions.shape) as (keyof SitePermissions)[];

/** Of a box that was ticked. */
const TICKED = "yes";

export const logInFormQuestions = () => ({ passkey: askIfThere(accounts, "getPasskeyLogInOptions") });

export const passkeyLogInQuestions = ({ form }: Asked) => ({
  main: ask(accounts, "logInWithPasskey", { body: { credential: credentialOf(form) } }),
});

/** What a form sends of a passkey: JSON of the page's script. What is none is left to the contract, which says so. */
function credentialOf({ credential }: Asked["form"]): unknown {
  try {
    return JSON.parse(credential ?? "null");
  } catch {
    return undefined;
  }
}

export const passkeysQuestions = () => ({
  main: ask(accounts, "listPasskeys"),
  options: ask(accounts, "getPasskeyOptions"),
});

export const addPasskeyQuestions = ({ form }: Asked) => ({
  main: ask(accounts, "addPasskey", {
    body: {
      name: form.name,
      ...(form.password !== undefined && { password: form.password }),
      credential: credentialOf(form),
    },
  }),
});

export const renamePasskeyQuestions = ({ params, form }: Asked) => ({
  main: ask(accounts, "renamePasskey", {
    params: { passkeyId: params.passkeyId! },
    body: { name: form.name },
  }),
});

export const removePasskeyQuestions = ({ params }: Asked) => ({
  main: ask(accounts, "removePasskey", { params: { passkeyId: params.passkeyId! } }),
});

export const logInQuestions = ({ form }: Asked) => ({
  main: ask(accounts, "logIn", { body: { email: form.email, password: form.password } }),
});

export const signUpQuestions = ({ form }: Asked) => ({
  main: ask(accounts, "registerAccount", {
    body: { email: form.email, password: form.password, name: form.name },
  }),
});

export const accountQuestions = () => ({
  main: ask(accounts, "getAccount"),
  logIns: ask(accounts, "listLogIns"),
  sites: ask(accounts, "listSites"),
  requests: ask(access, "listAccessRequests", { query: { limit: REQUESTS_SHOWN } }),
  receipts: askIfThere(session, "listSiteReceipts"),
  keys: askIfThere(keys, "listKeys"),
});

/** All that the registry holds of an account, by the operations that say it. */
export const exportQuestions = () => ({
  account: ask(accounts, "exportAccount"),
  sites: ask(accounts, "listSites"),
  keys: ask(keys, "listKeys"),
  receipts: askIfThere(session, "listSiteReceipts"),
  access_requests: ask(access, "listAccessRequests", { query: { limit: 200 } }),
});

export const closingQuestions = () => ({ main: ask(accounts, "exportAccount") });

export const closeQuestions = ({ form: { password } }: Asked) => ({
  main: ask(accounts, "closeAccount", { body: password === undefined ? {} : { password } }),
});

export const planQuestions = () => ({ main: ask(accounts, "getAccount"), plans: ask(accounts, "listPlans") });

export const choosePlanQuestions = ({ form: { tier, note } }: Asked) => ({
  main: ask(accounts, "choosePlan", { body: { tier, ...(note !== undefined && { note }) } }),
});

export const logOutQuestions = () => ({ main: ask(accounts, "logOut", { body: {} }) });

export const endLogInQuestions = ({ params }: Asked) => ({
  main: ask(accounts, "logOut", { body: { log_in_id: params.logInId } }),
});

export const emailProofQuestions = () => ({ main: ask(accounts, "requestEmailProof") });

export const revokeKeyQuestions = ({ params }: Asked) => ({
  main: ask(keys, "revokeListedKey", { params: { keyId: params.keyId! } }),
});

export const approveQuestions = ({ params, form: { days } }: Asked) => ({
  main: ask(access, "approveAccess", {
    params: { requestId: params.requestId! },
    body: days === undefined ? {} : { expires_in_days: Number(days) },
  }),
});

export const denyQuestions = ({ params, form: { reason } }: Asked) => ({
  main: ask(access, "denyAccess", {
    params: { requestId: params.requestId! },
    body: reason === undefined ? {} : { reason },
  }),
});

export const siteFormQuestions = () => ({ main: ask(accounts, "listSites") });

/** The record that proves a domain, once one is named. */
export const proveQuestions = ({ query: { domain } }: Asked) => ({
  ...(domain !== undefined && { main: ask(accounts, "getSiteChallenge", { query: { domain } }) }),
});

export const addSiteQuestions = ({ form: { domain } }: Asked) => ({
  main: ask(accounts, "addSite", { body: { domain } }),
});

/** What the owner alone is told of a site refuses the page to everybody else. */
export const publishQuestions = ({ params }: Asked) => ({
  main: ask(accounts, "listSiteAppeals", { params: { siteId: params.siteId! } }),
  served: askIfThere(protocol, "getSiteDocument", { query: { siteId: params.siteId! } }),
});

export const appealsQuestions = ({ params }: Asked) => ({
  main: ask(accounts, "listSiteAppeals", { params: { siteId: params.siteId! } }),
});

export const appealQuestions = ({ params, form: { kind, decision, reason } }: Asked) => ({
  main: ask(accounts, "appealDecision", {
    params: { siteId: params.siteId! },
    body: { kind, decision, reason },
  }),
});

export const giveDocumentQuestions = ({ params, form: { document } }: Asked) => ({
  main: ask(accounts, "publishDocument", {
    params: { siteId: params.siteId! },
    body: { document: pasted(document) },
  }),
});

/** What was pasted. What is no JSON is left to the contract, which says so. */
function pasted(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}

export const withdrawDocumentQuestions = ({ params }: Asked) => ({
  main: ask(accounts, "withdrawDocument", { params: { siteId: params.siteId! } }),
});

export const configureQuestions = ({ params, form }: Asked) => ({
  main: ask(accounts, "configureSite", {
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

export const noticeQuestions = () => ({
  main: ask(accounts, "getNoticeSettings"),
});

export const setNoticesQuestions = ({ form: { mail } }: Asked) => ({
  main: ask(accounts, "setNoticeSettings", { body: { mail: mail === TICKED } }),
});

export const changePasswordQuestions = ({ form }: Asked) => ({
  main: ask(accounts, "changePassword", {
    body: { current_password: form.current_password, new_password: form.new_password },
  }),
});
