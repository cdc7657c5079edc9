/** Plans to choose from, and the one that is asked for. */
import type { Plan } from "../../../schemas/plan.ts";
import type { planQuestions } from "../account-questions.ts";
import { type Html, html, nothing } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { pill, siteText } from "../parts.ts";
import { formTo, privatePage } from "./forms.ts";

type Replied = Replies<ReturnType<typeof planQuestions>>;
type Request = NonNullable<Replied["main"]["plan_request"]>;

export function planView(replies: Replied, context: ViewContext): PageView {
  const { account } = context.texts;
  const request = replies.main.plan_request;
  return privatePage(
    account.planTitle,
    html`<p><a href="/account">${account.back}</a></p>${request?.state === "refused" && refused(context, request, replies)}<p class="lead">${account.planLead}</p><ul class="columns">${replies.plans.plans.map((plan) => planItem(context, plan, replies))}</ul>`,
  );
}

const refused = (
  { texts: { account } }: ViewContext,
  request: Request,
  { plans: { plans } }: Replied,
): Html =>
  html`<div class="note refused"><p>${account.planRefused(plans.find(({ tier }) => tier === request.tier)?.name ?? request.tier)}</p><blockquote class="theirs">${siteText(request.why, 300)}</blockquote></div>`;

function planItem(context: ViewContext, plan: Plan, replies: Replied): Html {
  const { account } = context.texts;
  const { user, plan_request } = replies.main;
  const isMine = plan.tier === user.tier;
  const isAsked = plan_request?.state === "waiting" && plan_request.tier === plan.tier;
  return html`<li><h2>${plan.name} ${isMine && pill({ tone: "good", text: account.thisPlan })}${isAsked && pill({ tone: "warn", text: account.waits })}</h2><p><strong>${priceOf(context, plan)}</strong></p><p>${plan.description}</p><ul class="plain small soft">${featuresOf(plan).map((feature) => html`<li>${feature}</li>`)}</ul>${wayTo(context, plan, replies)}</li>`;
}

function priceOf({ texts }: ViewContext, { price, currency, billing_cycle, is_contact_sales }: Plan): string {
  const { account, format } = texts;
  if (is_contact_sales) return account.priceAgreed;
  return price === 0 ? account.noPrice : account.priceOf(format.price(price, currency), billing_cycle);
}

/** What the plan says of itself: a list that the contract carries as a text. */
function featuresOf({ features }: Plan): string[] {
  const list: unknown = JSON.parse(features);
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}

/** What can be done about a plan. */
function wayTo(context: ViewContext, plan: Plan, { main }: Replied): Html {
  const { account } = context.texts;
  const { plan_request } = main;
  const isMine = plan.tier === main.user.tier;
  const asked = plan_request?.state === "waiting" ? plan_request.tier : undefined;
  const isAtOnce = plan.price === 0 && !plan.is_contact_sales;
  if (isMine) return asked === undefined ? nothing : askForm(context, plan, account.withdraw, false);
  if (asked === plan.tier) return nothing;
  if (!isAtOnce) return askForm(context, plan, account.askFor, true);
  return askForm(context, plan, account.chooseAtOnce, false);
}

/** A form that takes a plan, or asks the operator for it. */
function askForm(context: ViewContext, plan: Plan, label: string, takesNote: boolean): Html {
  const id = `note-${plan.tier}`;
  return formTo(
    context,
    "/account/plan",
    html`${sendsTier(plan)}${takesNote && html`<p class="field"><label for="${id}">${context.texts.account.planNote}</label><input id="${id}" name="note" maxlength="300" autocomplete="off"></p>`}<button class="quiet">${label}<span class="visually-hidden"> ${plan.name}</span></button>`,
    "narrow",
  );
}

const sendsTier = ({ tier }: Plan): Html => html`<input type="hidden" name="tier" value="${tier}">`;
