/** The subjects of a site's page, each in a part that opens: actions and how to call them, checks, prices, its owner's to-do. */

import type { Fix, SiteVerdict } from "../../../schemas/verdict.ts";
import { headlineOf } from "../../../src/domain/listing/conduct.ts";
import { badgeHtml } from "../badge.ts";
import { stepLine } from "../charts.ts";
import { type Html, html } from "../html.ts";
import type { Replies, ViewContext } from "../page.ts";
import {
  foldHtml,
  moment,
  OUTCOME_TONES,
  pageLink,
  signHtml,
  siteLink,
  siteText,
  theirs,
  verdictPath,
} from "../parts.ts";
import type { siteQuestions } from "../questions.ts";
import { tabsHtml } from "../tabs.ts";
import type { Texts } from "../texts.ts";

/** What is shown of long lists: a page stays below 60 kB whatever a site declares. */
const MOST_ACTIONS = 7;
const MOST_FIXES = 6;
/** Names that can stand in a command as they are. */
const PLAIN_NAME = /^[a-z][\w-]{0,63}$/i;

type Prices = NonNullable<Replies<ReturnType<typeof siteQuestions>>["prices"]>["prices"];

export function actionsFold(context: ViewContext, { domain, declared }: SiteVerdict): Html {
  const { site } = context.texts;
  const actions = declared?.actions ?? [];
  const left = actions.length - MOST_ACTIONS;
  const list = actions
    .slice(0, MOST_ACTIONS)
    .map(
      ({ name, description, effect }) =>
        html`<li><p><code>${siteText(name, 64)}</code> ${effect && html`<span class="small soft">${site.effects[effect]}</span>`}</p>${description !== "" && html`<p class="small">${siteText(description, 160)}</p>`}</li>`,
    );
  const body = html`${list.length === 0 ? html`<p>${site.noActions}</p>` : theirs(domain, html`<ul class="fixes">${list}</ul>`)}${left > 0 && html`<p class="small soft">${site.moreActions(left)}</p>`}
<h3>${site.call}</h3><p class="small soft">${site.callNeeds} <a href="/docs/quickstart-agents">${site.callHow}</a> · <a href="/docs/reference/requestAccess">${site.license}</a></p>
${callsHtml(context, domain, actions.find(({ name }) => PLAIN_NAME.test(name))?.name ?? "read")}`;
  return foldHtml({ title: site.actions, note: context.texts.format.number(actions.length), body });
}

/** The same call by each way that programs have, at this registry's own address. */
function callsHtml({ texts, publicUrl }: ViewContext, domain: string, action: string): Html {
  const json = "-H 'content-type: application/json'";
  return tabsHtml(texts, "call", [
    {
      language: "sh",
      code: `SESSION=$(curl -s ${publicUrl}/api/bridge/authenticate -H "authorization: Bearer $AGENT" ${json} \\
  -d '{"siteId":"${domain}"}' | jq -r .session.token)
curl -s ${publicUrl}/api/bridge/execute -H "authorization: Bearer $SESSION" ${json} \\
  -d '{"action":"${action}","dry_run":true}'`,
    },
    {
      language: "mcp",
      code: `claude mcp add --transport http bridge ${publicUrl}/mcp --header "Authorization: Bearer $AGENT"
claude "On ${domain}, tell me what ${action} would send, and send nothing."`,
    },
    {
      language: "ts",
      code: `import { Bridge } from "@agent-web-bridge/sdk";

const bridge = new Bridge({ registry: "${publicUrl}", token: process.env.AGENT! });
await using session = await bridge.open("${domain}", { purpose: "try an action" });
console.log(await session.do("${action}", {}, { dryRun: true }));`,
    },
  ]);
}

export function checksFold(texts: Texts, { checks, listed }: SiteVerdict): Html {
  const { site } = texts;
  const shared = sharedTime(texts, checks);
  const passed = checks.filter(({ outcome }) => outcome === "pass").length;
  const isOpen = !listed && checks.some(({ outcome }) => outcome !== "skipped");
  const body = html`${shared && html`<p class="small soft">${site.seenAt} ${moment(texts, shared)}</p>`}<ol class="checks">${checks.map(
    ({ name, outcome, reason, detail, observed_at }) =>
      html`<li>${signHtml(OUTCOME_TONES[outcome] ?? "soft")}<div><p><b>${site.checkName(name)}</b> <span class="small">${site.outcomes[outcome] ?? outcome}</span> <code class="soft small">${reason}</code> ${observed_at && !shared && html`<span class="small soft">${moment(texts, observed_at)}</span>`}</p>${detail !== "" && html`<p class="small soft">${siteText(detail, 240)}</p>`}</div></li>`,
  )}</ol>`;
  return foldHtml({ title: site.checks, note: site.passed(passed, checks.length), body, isOpen });
}

/** A time that all checks share is said once. */
function sharedTime(texts: Texts, checks: SiteVerdict["checks"]): string | undefined {
  const times = checks.flatMap(({ observed_at: at }) => (at === null ? [] : [at]));
  return new Set(times.map(texts.format.minute)).size === 1 ? times.at(-1) : undefined;
}

export const pricesFold = (texts: Texts, domain: string, prices: Prices): Html =>
  foldHtml({
    title: texts.site.prices,
    note: prices.length === 0 ? texts.site.noPrices : texts.format.number(prices.length),
    body: html`${prices.length > 0 && html`<p class="small soft">${texts.site.pricesRead}</p>${priceList(texts, prices)}`}<p class="small">${texts.site.pricesText} <code>GET /api/v1/price/history/${domain}/{productId}</code></p>`,
  });

function priceList(texts: Texts, prices: Prices): Html {
  const { site, format } = texts;
  const rows = prices.map(
    ({ productId, price_minor, minor_digits, currency, page, observed_at, readings }) => {
      const priceOf = (minor: number) => format.price(minor / 10 ** minor_digits, currency);
      const least = Math.min(...readings.map((reading) => reading.price_minor));
      const line =
        readings.length > 1 &&
        stepLine(
          site.priceLine(
            readings.length,
            priceOf(readings[0]!.price_minor),
            priceOf(price_minor),
            priceOf(least),
          ),
          readings.map((reading) => ({ at: Date.parse(reading.at), value: reading.price_minor })),
        );
      return html`<tr><td>${siteLink(page, siteText(productId, 40))}</td><td>${line}</td><td class="num">${priceOf(price_minor)}</td><td>${moment(texts, observed_at)}</td></tr>`;
    },
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${site.prices}"><table><thead><tr><th scope="col">${site.product}</th><th scope="col">${site.course}</th><th scope="col" class="num">${site.price}</th><th scope="col">${site.seen}</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** For its owner alone: closed for a listed site, whose visitors have nothing to do. */
export function ownerFold(context: ViewContext, verdict: SiteVerdict): Html {
  const { site } = context.texts;
  const { state, listed, fixes } = verdict;
  const toDo =
    fixes.length > 0 &&
    html`<ul class="fixes">${fixes.slice(0, MOST_FIXES).map((fix) => fixHtml(context.texts, fix))}</ul>`;
  const isBlocked = state === "blocked";
  return foldHtml({
    title: site.yours,
    note: isBlocked ? site.blockedFixes : fixes.length === 0 ? site.noFixes : site.fixes(fixes.length),
    body: isBlocked ? "" : html`${toDo}${listed && verdictBadgeHtml(context, verdict)}`,
    isOpen: !listed,
  });
}

/** Where its owner goes on: a new document, or another year for the one that is there. */
export function ownerLink(texts: Texts, { domain, declared, expires_at }: SiteVerdict): Html {
  const path = `/owners/${encodeURIComponent(domain)}`;
  const isSigned = declared !== null && expires_at !== null;
  return html`<a class="button quiet" href="${isSigned ? `${path}/renew` : path}">${isSigned ? texts.site.renew : texts.site.listYours}</a>`;
}

const fixHtml = (texts: Texts, fix: Fix): Html =>
  html`<li><span class="gain">${texts.site.gains(fix.gains)}</span><h3>${fix.title}</h3><p>${fix.do}</p>${fix.page !== null && html`<p class="small soft">${texts.site.on} ${pageLink(fix.page)}${fix.selector !== null && html` <code>${siteText(fix.selector, 80)}</code>`}</p>`}${fix.excerpt ? html`<p class="small"><mark>${siteText(fix.excerpt, 160)}</mark></p>` : undefined}${fix.example !== null && html`<pre><code>${siteText(fix.example, 400)}</code></pre>`}</li>`;

function verdictBadgeHtml(context: ViewContext, { domain, state, conduct }: SiteVerdict): Html {
  const { site } = context.texts;
  const alt = site.badgeAlt(domain, headlineOf(state, conduct).badge);
  return badgeHtml(context, { path: verdictPath(domain), alt, text: site.badgeText });
}
