/** Plans to choose from, and the one that is asked for. */
import type { Plan } from "../../../schemas/plan.ts";
import type { Problem } from "../../../schemas/problem.ts";
import type { choosePlanQuestions, planQuestions } from "../account-questions.ts";
import { type Html, html, nothing } from "../html.ts";
import type { Replies, View, ViewContext } from "../page.ts";
import { siteText } from "../parts.ts";
import { formTo, privatePage, refusalNote } from "./forms.ts";

type Replied = Replies<ReturnType<typeof planQuestions>>;
type Request = NonNullable<Replied["main"]["plan_request"]>;

const priceOf = (
  { texts }: ViewContext,
  { price, currency, billing_cycle, is_contact_sales }: Plan,
): string => {
  const { account, format } = texts;
  if (is_contact_sales) return account.priceAgreed;
  return price === 0 ? account.noPrice : account.priceOf(format.price(price, currency), billing_cycle);
};

/** What the plan says of itself: a list that the contract carries as a text. */
const featuresOf = ({ features }: Plan): string[] => {
  const list: unknown = JSON.parse(features);
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
};

type Paid = NonNullable<Replied["main"]["subscription"]>;

const isLive = (paid: Paid | null): paid is Paid => paid?.state === "active" || paid?.state === "past_due";

/** How what is paid for stands. */
export const paymentState = ({ account, format }: ViewContext["texts"], paid: Paid): Html => {
  if (paid.state === "ended") return html`<p class="note">${account.paidOver(paid.tier)}</p>`;
  if (paid.state === "past_due") return html`<div class="note refused"><p>${account.pastDue}</p></div>`;
  const day = format.day(paid.period_ends_at);
  return html`<p class="soft">${paid.ends_then ? account.endsOn(day) : account.paidUntil(day)}</p>`;
};

const sendsTier = ({ tier }: Plan): Html => html`<input type="hidden" name="tier" value="${tier}">`;

/** A form that leads on to the payment provider. */
const payForm = (context: ViewContext, plan: Plan, label: string): Html =>
  formTo(
    context,
    "/account/plan/pay",
    html`${sendsTier(plan)}<button class="quiet">${label}<span class="visually-hidden"> ${plan.name}</span></button>`,
  );

/** A form that takes a plan, or asks the operator for it. */
const askForm = (context: ViewContext, plan: Plan, label: string, takesNote: boolean): Html => {
  const id = `note-${plan.tier}`;
  return formTo(
    context,
    "/account/plan",
    html`${sendsTier(plan)}${takesNote && html`<p class="field"><label for="${id}">${context.texts.account.planNote}</label><input id="${id}" name="note" maxlength="300" autocomplete="off"></p>`}<button class="quiet">${label}<span class="visually-hidden"> ${plan.name}</span></button>`,
    "narrow",
  );
};

/** What can be done about a plan. */
const wayTo = (context: ViewContext, plan: Plan, { main, plans }: Replied): Html => {
  const { account } = context.texts;
  const { subscription, plan_request } = main;
  const isMine = plan.tier === main.user.tier;
  const asked = plan_request?.state === "waiting" ? plan_request.tier : undefined;
  const isAtOnce = plan.price === 0 && !plan.is_contact_sales;
  if (isLive(subscription) && subscription.tier === plan.tier)
    return payForm(context, plan, subscription.ends_then ? account.keep : account.manage);
  if (isMine) return asked === undefined ? nothing : askForm(context, plan, account.withdraw, false);
  if (plans.sold.includes(plan.tier)) return payForm(context, plan, account.pay);
  if (asked === plan.tier) return nothing;
  if (!isAtOnce) return askForm(context, plan, account.askFor, true);
  if (!isLive(subscription)) return askForm(context, plan, account.chooseAtOnce, false);
  const stop = subscription.state === "past_due" ? account.stopAtOnce : account.stopPaying;
  return subscription.ends_then ? nothing : askForm(context, plan, stop, false);
};

const planItem = (context: ViewContext, plan: Plan, replies: Replied): Html => {
  const { account } = context.texts;
  const { user, plan_request, subscription } = replies.main;
  const isMine = plan.tier === user.tier;
  const isAsked = plan_request?.state === "waiting" && plan_request.tier === plan.tier;
  const paid =
    subscription?.tier === plan.tier && isLive(subscription) && paymentState(context.texts, subscription);
  return html`<li><h2>${plan.name} ${isMine && html`<span class="pill good">${account.thisPlan}</span>`}${isAsked && html`<span class="pill warn">${account.waits}</span>`}</h2><p><strong>${priceOf(context, plan)}</strong></p><p>${plan.description}</p><ul class="tags">${featuresOf(plan).map((feature) => html`<li>${feature}</li>`)}</ul>${paid}${wayTo(context, plan, replies)}</li>`;
};

const refused = ({ texts: { account } }: ViewContext, request: Request): Html =>
  html`<div class="note refused"><p>${account.planRefused(request.tier)}</p><blockquote class="theirs">${siteText(request.why, 300)}</blockquote></div>`;

export const planView = (replies: Replied, context: ViewContext): View => {
  const { account } = context.texts;
  const request = replies.main.plan_request;
  return privatePage(
    account.planTitle,
    html`<p><a href="/account">${account.back}</a></p>${request?.state === "refused" && refused(context, request)}<p class="lead">${replies.plans.sold.length > 0 ? account.planSoldLead : account.planLead}</p><ul class="results">${replies.plans.plans.map((plan) => planItem(context, plan, replies))}</ul>`,
  );
};

type Chosen = Replies<ReturnType<typeof choosePlanQuestions>>["main"];

/** The way on to the payment provider: a link, since a form of this page may lead nowhere else. */
export const payView = ({ main }: { main: Chosen }, context: ViewContext): View => {
  const { account, format } = context.texts;
  const { payment } = main;
  if (!payment)
    return privatePage(account.planTitle, html`<p><a href="/account/plan">${account.back}</a></p>`);
  const { host } = new URL(payment.url);
  const isFirst = payment.expires_at !== null;
  return privatePage(
    isFirst ? account.payTitle : account.manageTitle,
    html`<p class="lead">${isFirst ? account.payLead(host) : account.manageLead(host)}</p><p><a class="button" href="${payment.url}" rel="noopener noreferrer">${account.payLink(host)}</a></p>${payment.expires_at !== null && html`<p class="soft">${account.payUntil(format.minute(payment.expires_at))}</p>`}<p><a href="/account/plan">${account.planLink}</a></p>`,
  );
};

export const payRefusedView = (problem: Problem, { texts: { account } }: ViewContext): View =>
  privatePage(
    account.payRefused,
    html`${refusalNote(problem)}<p><a href="/account/plan">${account.planLink}</a></p>`,
  );
