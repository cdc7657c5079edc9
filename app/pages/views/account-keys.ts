/** Agents' tokens and keys of the module gateway: made here, shown once, named and revoked. */
import { GATEWAY_PLANS, type GatewayPlan, gatewayPlanOf, PLAN_QUOTAS } from "../../../schemas/api-key.ts";
import type { Problem } from "../../../schemas/problem.ts";
import type { accountQuestions } from "../account-questions.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { pill, siteText } from "../parts.ts";
import { buttonTo, formTo, privatePage, refusalNote } from "./forms.ts";

type Account = Replies<ReturnType<typeof accountQuestions>>;

/** So that a page stays small; the operation has all. */
const KEYS_SHOWN = 50;
const MOST_AGENT_NAME = 100;
const MOST_KEY_NAME = 200;

export function keysHtml(
  context: ViewContext,
  { agents, gateway_keys }: NonNullable<Account["keys"]>,
  { email, tier }: Account["main"]["user"],
): Html {
  const { account, format } = context.texts;
  // Accounts have plans; what a key has of one are its calls.
  const callsOf = (plan: GatewayPlan): string => account.callsADay(format.number(PLAN_QUOTAS[plan].perDay));
  const agentRows = agents.slice(0, KEYS_SHOWN).map(({ agent_id, name, key_hint, created_at, state }) => ({
    id: agent_id,
    name,
    beside: state === "ended" && pill({ tone: "warn", text: account.agentEnded }),
    note: html`<code>${key_hint}…</code> ${account.made(format.minute(created_at))}`,
  }));
  const keyRows = gateway_keys
    .slice(0, KEYS_SHOWN)
    .map(({ key_id, owner, plan, created_at, last_used_on: used }) => ({
      id: key_id,
      name: owner,
      beside: html`<span class="soft">${callsOf(plan)}</span>`,
      note: html`${account.made(format.minute(created_at))}, ${used === null ? account.neverUsed : account.lastUsed(used)}`,
    }));
  // What the account's plan does not grant would be refused.
  const plans = GATEWAY_PLANS.slice(0, GATEWAY_PLANS.indexOf(gatewayPlanOf(tier)) + 1);
  const makeAgent = formTo(
    context,
    "/account/agents",
    html`${nameField("agent-name", account.agentName, MOST_AGENT_NAME)}<p><button class="quiet">${account.makeAgent}</button></p>`,
    "narrow",
  );
  const makeKey = formTo(
    context,
    "/account/keys",
    html`<input type="hidden" name="email" value="${email}">${nameField("key-name", account.keyName, MOST_KEY_NAME)}<p class="field"><label for="plan">${account.keyPlan}</label><select id="plan" name="plan">${plans.map((plan) => html`<option value="${plan}">${callsOf(plan)}</option>`)}</select></p><p><button class="quiet">${account.makeKey}</button></p>`,
    "narrow",
  );
  return html`<section><h2>${account.agents}</h2><p class="soft">${account.agentsLead}</p>${rows(context, agentRows)}${makeAgent}</section><section><h2>${account.keys}</h2><p class="soft">${account.keysLead}</p>${rows(context, keyRows)}${makeKey}</section>`;
}

/** Both forms are on one page: each field has an id of its own. */
const nameField = (id: string, label: string, most: number): Html =>
  html`<p class="field"><label for="${id}">${label}</label><input id="${id}" name="name" maxlength="${most}" required autocomplete="off"></p>`;

interface Row {
  id: string;
  name: string;
  beside: HtmlPart;
  note: HtmlPart;
}

const rows = (context: ViewContext, all: readonly Row[]): HtmlPart =>
  all.length > 0 &&
  html`<ul class="events rows">${all.map(
    ({ id, name, beside, note }) =>
      html`<li><div><p><strong>${siteText(name, 200)}</strong> ${beside}</p><p class="small soft">${note}</p></div>${buttonTo(context, `/account/keys/${id}/revoke`, context.texts.account.revoke, name)}</li>`,
  )}</ul>`;

/** The one time that a key is shown. */
export function madeView({ main }: { main: { key: string; kind?: string } }, context: ViewContext): PageView {
  const { account } = context.texts;
  const call = main.kind === "agent" ? "/api/bridge/ping" : "/api/v1/keys/validate -X POST";
  return privatePage(
    account.keyMade(context.form.name ?? ""),
    html`<p class="lead">${account.keyOnce}</p><pre class="whole"><code>${main.key}</code></pre><p class="small soft">${account.keyUse}</p><pre class="whole"><code>curl -H "Authorization: Bearer ${main.key}" ${context.publicUrl}${call}</code></pre><p><a class="button quiet" href="/account">${account.back}</a></p>`,
  );
}

export const notMadeView = (problem: Problem, { texts: { account } }: ViewContext): PageView =>
  privatePage(
    account.keyNotMade,
    html`${refusalNote(problem)}<p><a class="button quiet" href="/account">${account.back}</a></p>`,
  );
