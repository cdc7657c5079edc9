/** The account as its holder sees it: what waits for an answer, what agents did, and what opens it. */
import type { accountQuestions } from "../account-questions.ts";
import { type Html, type HtmlPart, html, nothing } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { moment, pill, siteText, theirs, verdictPath } from "../parts.ts";
import { keysHtml } from "./account-keys.ts";
import { buttonTo, doneNote, formTo, privatePage } from "./forms.ts";

type Account = Replies<ReturnType<typeof accountQuestions>>;
type Request = Account["requests"]["requests"][number];
type Receipts = NonNullable<Account["receipts"]>["receipts"];

/** So that a page stays small, whatever an account owns; the operations have all. */
const SITES_SHOWN = 50;
const RECEIPTS_SHOWN = 20;
const APPROVAL_DAYS = [30, 90, 365] as const;

export function accountView(replies: Account, context: ViewContext): PageView {
  const { main } = replies;
  const { account } = context.texts;
  return privatePage(
    main.user.name || account.title,
    html`${doneNote(account.done[context.query.done ?? ""])}${emailState(context, main)}<div class="acts"><a class="button quiet" href="/account/settings">${account.settings}</a><a class="button quiet" href="/account/watches">${account.watches.title}</a>${buttonTo(context, "/account/log-out", account.logOut)}</div>${use(context, main)}${requests(context, replies)}${sites(context, replies.sites.sites)}${replies.receipts && receipts(context, replies.receipts.receipts)}${replies.keys && keysHtml(context, replies.keys, main.user)}${logIns(context, replies.logIns.log_ins)}`,
  );
}

function emailState(context: ViewContext, { user, notices }: Account["main"]): Html {
  const { account } = context.texts;
  const tone = ({ proved: "good", unproved: "warn", refused: "bad" } as const)[user.email_state];
  const isSaid = notices.sends_mail || user.email_state === "proved";
  return html`<p>${siteText(user.email, 320)} ${isSaid && pill({ tone, text: account.emailState[user.email_state] })}</p>${
    user.email_state !== "proved" &&
    (notices.sends_mail
      ? html`<div class="acts">${buttonTo(context, "/account/email/proof", account.sendProof)}</div>`
      : html`<p class="small soft">${account.noMail}</p>`)
  }`;
}

function use({ texts }: ViewContext, { plan, usage, plan_request }: Account["main"]): Html {
  const { account, format } = texts;
  const of = (used: number, most: number) =>
    html`${format.number(used)}<small> ${most < 0 ? account.unlimited : account.of(format.number(most))}</small>`;
  return html`<dl class="figures"><div><dt>${account.plan}</dt><dd>${plan.name}</dd></div><div><dt>${account.sites}</dt><dd>${of(usage.sites, plan.max_sites)}</dd></div><div><dt>${account.actions}</dt><dd>${of(usage.actions_this_month, plan.max_actions_per_month)}</dd></div></dl><p>${plan_request?.state === "waiting" && `${account.planWaits} `}<a href="/account/plan">${account.planLink}</a></p>`;
}

function sites({ texts }: ViewContext, all: Account["sites"]["sites"]): Html {
  const { account } = texts;
  const add = html`<div class="acts"><a class="button quiet" href="/account/sites">${account.addSite}</a></div>`;
  if (all.length === 0) return section(account.sites, html`<p class="soft">${account.noSites}</p>${add}`);
  return section(
    account.sites,
    html`<ul class="events">${all
      .slice(0, SITES_SHOWN)
      .map(
        ({ siteId, configuration }) =>
          html`<li><p><a href="/account/sites/${encodeURIComponent(siteId)}">${siteId}</a></p><p class="small soft">${texts.access[configuration.access]} ${
            configuration.restrictions.confirm_above !== null &&
            account.confirms(configuration.restrictions.confirm_above)
          } <a href="/account/sites/${encodeURIComponent(siteId)}/publish">${account.publishLink}<span class="visually-hidden"> ${siteId}</span></a></p></li>`,
      )}</ul>${add}`,
  );
}

const section = (title: string, body: HtmlPart): Html => html`<section><h2>${title}</h2>${body}</section>`;

function requests(context: ViewContext, { requests: { requests, total } }: Account): Html {
  const { account } = context.texts;
  if (requests.length === 0) return nothing;
  return section(
    account.requests,
    html`<ul class="events">${requests.map((each) => request(context, each))}</ul>${total > requests.length && html`<p class="soft">${account.moreRequests(total - requests.length)}</p>`}`,
  );
}

function request(context: ViewContext, each: Request): Html {
  const { account, format } = context.texts;
  const what = account.ofAgent(each.agent_name, each.domain);
  const id = each.request_id;
  return html`<li><p><strong>${siteText(each.agent_name, 100)}</strong> → <a href="${verdictPath(each.domain)}">${each.domain}</a> <span class="soft small">${moment(context.texts, each.created_at)}</span></p>${theirs(each.domain, html`<p>${siteText(each.purpose, 500)}</p>`)}<p class="small soft">${account.asksFor(format.list(each.permissions.map((name) => account.site.permissionOf[name])))}</p><div class="acts">${formTo(
    context,
    `/account/requests/${id}`,
    html`<label for="days-${id}" class="visually-hidden">${account.validFor}</label><select id="days-${id}" name="days"><option value="">${account.withoutEnd}</option>${APPROVAL_DAYS.map((days) => html`<option value="${days}"${days === 90 && html` selected`}>${account.days(days)}</option>`)}</select>${[
      ["approve", account.approve],
      ["deny", account.deny],
    ].map(
      ([decision, label]) =>
        html`<button class="quiet" name="decision" value="${decision}">${label}<span class="visually-hidden"> ${what}</span></button>`,
    )}`,
  )}</div></li>`;
}

function receipts({ texts }: ViewContext, all: Receipts): Html {
  const { account } = texts;
  if (all.length === 0) return section(account.did, html`<p class="soft">${account.didNothing}</p>`);
  return section(
    account.did,
    html`<p class="soft">${account.didLead}</p><ul class="events rows">${all
      .slice(0, RECEIPTS_SHOWN)
      .map(
        ({ sent_at, site, action, total, state }) =>
          html`<li><div><p><strong>${siteText(action, 64)}</strong> · <a href="${verdictPath(site)}">${site}</a></p><p class="small soft">${moment(texts, sent_at)} · ${account.states[state]}</p></div>${total && html`<strong class="num">${total.amount} ${total.currency}</strong>`}</li>`,
      )}</ul>`,
  );
}

function logIns(context: ViewContext, all: Account["logIns"]["log_ins"]): Html {
  const { account, format } = context.texts;
  return section(
    account.logIns,
    html`<ul class="events rows">${all.map(
      ({ log_in_id, at, from, is_this }) =>
        html`<li><div><p>${moment(context.texts, at)} ${is_this && pill({ tone: "good", text: account.thisOne })}</p><p class="small soft">${account.from(from)}</p></div>${
          !is_this && buttonTo(context, `/account/log-ins/${log_in_id}/end`, account.end, format.minute(at))
        }</li>`,
    )}</ul>`,
  );
}
