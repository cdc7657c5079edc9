/** The way into the console, and what an operator looks at first. */
import type { Problem } from "../../../../schemas/problem.ts";
import { sparkline } from "../../charts.ts";
import { type HtmlPart, html } from "../../html.ts";
import type { PageView, Replies, ViewContext } from "../../page.ts";
import { buttonTo, field, formTo, privatePage, refusalNote } from "../../views/forms.ts";
import { hoursOf } from "../../views/status.ts";
import type { overviewQuestions, settingsQuestions } from "../questions.ts";

const MOST_TOKEN = 200;

type Overview = Replies<ReturnType<typeof overviewQuestions>>;

export const consoleLogInView = (_: unknown, context: ViewContext): PageView => logIn(context);

function logIn(context: ViewContext, problem?: Problem): PageView {
  const { console: words } = context.texts;
  return privatePage(
    words.logIn,
    html`<p class="lead">${words.logInLead}</p>${refusalNote(problem)}${formTo(
      context,
      "/log-in",
      html`<input name="username" autocomplete="username" hidden>${field({
        name: "token",
        label: words.token,
        type: "password",
        autocomplete: "current-password",
        most: MOST_TOKEN,
        hint: words.tokenHint,
      })}<p><button>${words.logIn}</button></p>`,
      "narrow",
    )}`,
  );
}

export const consoleLogInAgainView = (problem: Problem, context: ViewContext): PageView =>
  logIn(context, problem);

export function overviewView(replies: Overview, context: ViewContext): PageView {
  const { console: words, format } = context.texts;
  const { main, who, reports, appeals, letters, plans } = replies;
  const { crawl } = main;
  const figures: [string, number][] = [
    [words.hosts, crawl.hosts],
    [words.due, crawl.due],
    [words.underWay, crawl.under_way],
    [words.redelivered, crawl.redelivered],
  ];
  const waits: [string, string, number | undefined][] = [
    [words.waitingReports, "/reports", reports?.total],
    [words.waitingAppeals, "/appeals", appeals?.total],
    [words.waitingLetters, "/dead-letters", letters?.total],
    [words.waitingPlans, "/plans", plans?.total],
  ];
  const item = ([label, href, n]: (typeof waits)[number]): HtmlPart =>
    n !== undefined && html`<li><a href="${href}">${label}<span>${format.number(n)}</span></a></li>`;
  return privatePage(
    words.title,
    html`<div class="acts"><span class="soft">${words.asWho(who.name, who.role)}</span>${buttonTo(context, "/log-out", words.logOut)}<a href="/settings">${words.settings}</a></div><h2>${words.waiting}</h2><ul class="chips">${waits.map(item)}</ul>
<h2>${words.crawl}</h2><dl class="figures">${figures.map(([label, n]) => html`<div><dt>${label}</dt><dd>${format.number(n)}</dd></div>`)}</dl>
<h3>${words.visits}</h3><dl class="figures">${sparks(context, main.visits)}</dl>
<h2>${words.storage}</h2><table><thead><tr><th>${words.store}</th><th>${words.full}</th><th class="num">%</th></tr></thead><tbody>${main.storage.map(
      ({ name, percent }) =>
        html`<tr><td><code>${name}</code></td><td><meter min="0" max="100" high="75" value="${percent}" aria-label="${name}"></meter></td><td class="num">${format.number(percent)}</td></tr>`,
    )}</tbody></table>`,
  );
}

/** Visits of today by hour, by what became of the hosts. */
function sparks({ texts, now }: ViewContext, { by_hour }: Overview["main"]["visits"]): HtmlPart {
  const hours = hoursOf(by_hour, now);
  const { status } = texts;
  return [
    sparkline(
      texts,
      status.verified,
      hours.map(({ listed }) => listed),
    ),
    sparkline(
      texts,
      status.found,
      hours.map(({ found }) => found),
    ),
    sparkline(
      texts,
      status.notListed,
      hours.map(({ not_listed }) => not_listed),
    ),
    sparkline(
      texts,
      status.endpoints,
      hours.map(({ endpoints }) => endpoints),
    ),
  ];
}

export function settingsInForceView(
  { main }: Replies<ReturnType<typeof settingsQuestions>>,
  context: ViewContext,
): PageView {
  const { console: words } = context.texts;
  return privatePage(
    words.settings,
    html`<p class="soft">${words.settingsLead}</p><div class="scroll" tabindex="0" role="region" aria-label="${words.settings}"><table><thead><tr><th>${words.setting}</th><th>${words.value}</th></tr></thead><tbody>${main.settings.map(
      ({ name, value }) =>
        html`<tr><td><code class="nowrap">${name}</code></td><td><code>${value}</code></td></tr>`,
    )}</tbody></table></div>`,
  );
}
