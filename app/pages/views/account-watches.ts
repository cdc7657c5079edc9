/** `/account/watches`: what an account is told of, where it is told, and the form of another watch. */
import type { Problem } from "../../../schemas/problem.ts";
import type { watchesQuestions } from "../account-questions.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { ago, letterMark, moment, siteText, statePill, verdictPath } from "../parts.ts";
import { buttonTo, doneNote, field, formTo, privatePage, refusalNote } from "./forms.ts";

type Watches = Replies<ReturnType<typeof watchesQuestions>>;
type Watch = Watches["main"]["watches"][number];

const MOST_DOMAIN = 300;
const MOST_WEBHOOK = 2_048;
const MOST_SHOWN = 120;

export function watchesView({ main, account: { user, notices } }: Watches, context: ViewContext): PageView {
  const { watches, done } = context.texts.account;
  const all = main.watches.toReversed().map((watch) => item(context, watch));
  const byMail = notices.sends_mail ? watches.byMail(user.email, user.email_state === "proved") : undefined;
  return privatePage(
    watches.title,
    html`${doneNote(done[context.query.done ?? ""])}<p class="lead">${watches.lead}</p>${watchForm(context, byMail)}
<h2>${watches.yours}</h2>${all.length === 0 ? html`<p class="soft">${watches.none}</p>` : html`<p class="small soft">${watches.count(all.length, main.most)}</p><ul class="events rows">${all}</ul>`}${backLink(context)}`,
  );
}

export const watchRefusedView = (problem: Problem, context: ViewContext): PageView =>
  privatePage(
    context.texts.account.watches.title,
    html`${refusalNote(problem)}${watchForm(context, context.texts.account.watches.orMail)}${backLink(context)}`,
  );

/** @param byMail what an empty address means; without it, this registry sends no mail */
function watchForm(context: ViewContext, byMail: string | undefined): Html {
  const { watches } = context.texts.account;
  const { params, form } = context;
  return formTo(
    context,
    "/account/watches",
    html`${field({
      name: "domain",
      label: watches.domain,
      type: "text",
      autocomplete: "url",
      value: form.domain ?? params.domain ?? "",
      most: MOST_DOMAIN,
    })}${field({
      name: "webhook",
      label: watches.webhook,
      type: "text",
      autocomplete: "off",
      value: form.webhook ?? "",
      most: MOST_WEBHOOK,
      hint: byMail ?? watches.noMail,
      isOptional: byMail !== undefined,
    })}<p><button>${watches.make}</button></p>`,
    "narrow",
  );
}

function item(context: ViewContext, watch: Watch): Html {
  const { texts, now } = context;
  const { watches } = texts.account;
  const { watch_id, domain, service, webhook, secret, created_at, told_at, seen } = watch;
  const where = webhook === null ? watches.mail : siteText(webhook, MOST_SHOWN);
  const signed =
    secret !== null &&
    html`<details class="more small"><summary>${watches.secret}</summary><pre class="whole"><code>${secret}</code></pre></details>`;
  return html`<li><div class="marked">${letterMark(domain)}<div><p><a href="${verdictPath(domain)}">${domain}</a> ${statePill(texts, seen.verdict)}</p><p class="small soft">${service !== null && html`${siteText(service, MOST_SHOWN)} · `}${where} · ${watches.since} ${moment(texts, created_at)} · ${told_at === null ? watches.never : html`${watches.told} ${ago(texts, told_at, now)}`}</p>${signed}</div></div>${buttonTo(context, `/account/watches/${watch_id}/end`, watches.end, domain)}</li>`;
}

const backLink = ({ texts: { account } }: ViewContext): Html =>
  html`<p><a class="button quiet" href="/account">${account.back}</a></p>`;
