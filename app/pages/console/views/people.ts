/** People in the console: plans that are asked for, one account, and what operators did. */
import { TIERS } from "../../../../schemas/license.ts";
import { type Html, html, nothing } from "../../html.ts";
import type { PageView, Replies, ViewContext } from "../../page.ts";
import { askBox, moment, pill, siteText, withQuery } from "../../parts.ts";
import { formTo, privatePage } from "../../views/forms.ts";
import type { auditQuestions, plansQuestions } from "../questions.ts";
import { whyField } from "./hosts.ts";

/** As many entries as the page asks for. */
const PAGE = 50;

type Asked = ReturnType<typeof plansQuestions>;
type Holder = NonNullable<NonNullable<Asked["holder"]>["reply"]>;
type Plans = Replies<Pick<Asked, "main">> & { holder?: Holder };

export function plansView(replies: Plans, context: ViewContext): PageView {
  const { console: words } = context.texts;
  const { main } = replies;
  return privatePage(
    words.plansTitle,
    html`<form action="/plans">${askBox({
      name: "email",
      label: words.email,
      type: "email",
      placeholder: "ada@shop.example",
      most: 320,
      button: words.look,
      value: context.query.email ?? "",
      isRequired: true,
    })}</form>${replies.holder ? holder(context, replies.holder) : nothing}<section><h2>${words.waitingPlans}</h2>${
      main.requests.length === 0
        ? html`<p class="soft">${words.nothingWaits}</p>`
        : html`<ul class="events">${main.requests.map((each) => request(context, each))}</ul>`
    }</section>`,
  );
}

function holder(context: ViewContext, each: Holder): Html {
  const { texts } = context;
  const { console: words } = texts;
  const { user, suspended } = each;
  const path = `/accounts/${user.id}`;
  return html`<section><h2>${siteText(user.email, 320)}</h2><p>${siteText(user.name, 200)} · ${user.tier} ${suspended ? pill({ tone: "bad", text: words.suspended }) : pill({ tone: "good", text: words.inForce })}</p><p class="small soft">${words.since(texts.format.minute(user.created_at))} · <code>${user.id}</code></p><p>${words.owns(each.sites.length, each.licenses, each.projects, each.agents)}</p>${each.sites.length > 0 && html`<p class="small">${texts.format.list(each.sites.slice(0, 20))}</p>`}
<h3>${words.givePlan}</h3>${formTo(
    context,
    `${path}/plan`,
    html`<p class="field"><label for="tier">${words.plan}</label><select id="tier" name="tier">${TIERS.map((tier) => html`<option${tier === user.tier && html` selected`}>${tier}</option>`)}</select></p>${whyField(context, "why-plan")}<button class="quiet">${words.givePlan}</button>`,
    "narrow",
  )}<h3>${suspended ? words.unsuspend : words.suspend}</h3><p class="soft">${words.suspendLead}</p>${formTo(
    context,
    `${path}/suspension`,
    html`<input type="hidden" name="decision" value="${suspended ? "lift" : "suspend"}">${whyField(context, "why-suspend")}<button class="${suspended ? "quiet" : "danger"}">${suspended ? words.unsuspend : words.suspend}</button>`,
    "narrow",
  )}</section>`;
}

function request(context: ViewContext, { user, request }: Plans["main"]["requests"][number]): Html {
  const { texts } = context;
  const { console: words } = texts;
  return html`<li><p><strong>${siteText(user.name, 200)}</strong> <a href="${withQuery("/plans", { email: user.email })}">${siteText(user.email, 320)}</a></p><p>${user.tier} → <strong>${request.tier}</strong> <span class="soft small">${moment(texts, request.at)}</span></p>${request.note !== "" && html`<blockquote class="theirs"><p>${siteText(request.note, 300)}</p></blockquote>`}${formTo(
    context,
    `/plans/${user.id}`,
    html`<input type="hidden" name="tier" value="${request.tier}">${whyField(context, `why-${user.id}`)}<div class="acts"><button class="quiet" name="decision" value="approve">${words.approve}<span class="visually-hidden"> ${user.email}</span></button><button class="quiet" name="decision" value="refuse">${words.refuse}<span class="visually-hidden"> ${user.email}</span></button></div>`,
    "narrow",
  )}</li>`;
}

export function auditView(
  { main }: Replies<ReturnType<typeof auditQuestions>>,
  context: ViewContext,
): PageView {
  const { texts } = context;
  const { console: words } = texts;
  const last = main.entries.at(-1);
  return privatePage(
    words.auditTitle,
    html`<p class="lead">${words.auditLead}</p><ul class="events">${main.entries.map(
      ({ at, operator, action, input, outcome }) =>
        html`<li><p><strong>${operator}</strong> <code>${action}</code> <span class="${outcome === "done" ? "good" : "warn"}">${outcome}</span></p><p class="small soft">${moment(texts, at)} · <code>${siteText(input, 200)}</code></p></li>`,
    )}</ul>${last && main.entries.length >= PAGE && html`<p><a href="${withQuery("/audit", { before: last.entryId })}">${words.older}</a></p>`}`,
  );
}
