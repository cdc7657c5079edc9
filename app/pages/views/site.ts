/** `/sites/{domain}`: the verdict with each check and its fix, scores with their parts, actions, history, and proofs. */
import { SEVERITIES } from "../../../schemas/finding.ts";
import type { Fix, SiteVerdict } from "../../../schemas/verdict.ts";
import { headlineOf } from "../../../src/domain/listing/conduct.ts";
import { MOST_TRUST_POINTS } from "../../../src/domain/trust/ring.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import {
  headlinePills,
  leadsAnywhere,
  moment,
  pageLink,
  siteLink,
  siteText,
  statePill,
  theirs,
  verdictPath,
} from "../parts.ts";
import type { siteQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";

type Site = Replies<ReturnType<typeof siteQuestions>>;

/** What is shown of long lists: a page stays below 60 kB whatever a site declares. */
const MOST_ACTIONS = 10;
const MOST_FIXES = 8;
const MOST_FINDINGS = 6;
const MOST_EVIDENCE = 2;

const TONES: Readonly<Record<string, string>> = { pass: "good", warn: "warn", fail: "bad", skipped: "soft" };

const SEVERITY_TONES = { info: "soft", low: "soft", medium: "warn", high: "bad", critical: "bad" } as const;

interface Score {
  /** Undefined where nothing is known: a dash, and no bar. */
  score: number | undefined;
  word: string;
  label: string;
  /** A low one speaks against the site; else it is only new. */
  isJudgement: boolean;
}

type NeutralityPart = SiteVerdict["neutrality"]["parts"][number];

type Prices = NonNullable<Site["prices"]>["prices"];

export function siteView({ main: verdict, prices }: Site, context: ViewContext): PageView {
  const { texts } = context;
  const { domain, state } = verdict;
  const head = {
    title: texts.site.title(domain),
    description: `${domain}: ${verdict.headline} ${texts.reasons[verdict.reason]}`,
    json: `/api/registry/sites/${encodeURIComponent(domain)}`,
    canonical: verdictPath(domain),
    ...(state !== "enabled" && { isTransient: true }),
  };
  if (state === "unknown")
    return { ...head, body: html`${headHtml(texts, verdict)}${unknownHtml(texts, domain)}` };
  return {
    ...head,
    body: html`${headHtml(texts, verdict)}${appealHtml(texts, verdict)}${actsHtml(texts, verdict)}${timesHtml(texts, verdict)}
${findingsHtml(texts, verdict)}<div class="two"><div><h2>${texts.site.checks}</h2>${checksHtml(texts, verdict.checks)}${actionsHtml(texts, domain, verdict.declared)}${verdict.listed && accessHtml(texts, verdict)}${verdict.listed && pricesHtml(texts, domain, prices?.prices ?? [])}${fixesHtml(texts, verdict)}</div>
<div>${sideHtml(context, verdict)}${historyHtml(texts, verdict)}</div></div>`,
  };
}

function headHtml(texts: Texts, verdict: SiteVerdict): Html {
  const { domain, state, reason, detail, since, declared } = verdict;
  return html`<h1>${domain}</h1>
<p>${headlinePills(state, verdict.conduct)}</p>
<p class="lead">${texts.reasons[reason]}</p><p class="soft small">${texts.states[state]}${since && html` ${texts.site.since} ${moment(texts, since)}`}</p>${reason !== "verified" && detail !== "" && html`<p class="small soft">${siteText(detail, 240)}</p>`}
${declared && theirs(domain, html`<p class="small soft">${texts.site.own}</p><p><b>${siteText(declared.name, 100)}</b> <span class="small soft">${siteText([declared.category, ...declared.tags].filter(Boolean).join(" · "), 200)}</span></p><p>${siteText(declared.description, 400)}</p>`)}`;
}

const unknownHtml = (texts: Texts, domain: string): Html =>
  html`<div class="note"><h2>${texts.site.unknownTitle}</h2><p>${texts.site.unknownText}</p><ol>${texts.site.unknownSteps.map((step) => html`<li>${step}</li>`)}</ol><div class="acts">${button(`${verdictPath(domain)}/report`, texts.site.report)}<a href="/owners/${encodeURIComponent(domain)}">${texts.site.listYours}</a></div></div>`;

/** A form that asks for something; its button is all of it. */
const button = (path: string, label: string): Html =>
  html`<form action="${path}" method="post"><button class="quiet">${label}</button></form>`;

/** Decisions that its owner can appeal against, and what became of an appeal. */
function appealHtml(
  texts: Texts,
  { domain, state, reason, findings, appeal }: SiteVerdict,
): Html | undefined {
  const { appeals } = texts;
  const link = html`<a href="/account/sites/${encodeURIComponent(domain)}/appeals">${appeals.link}</a>`;
  if (appeal)
    return html`<div class="note"><p><b>${appeals.states[appeal.state]}</b> <span class="small soft">${moment(texts, appeal.decided_at ?? appeal.at)}</span></p>${appeal.why !== null && html`<p>${appeals.operator} ${siteText(appeal.why, 300)}</p>`}</div>`;
  const isJudged =
    state === "blocked" || reason === "malicious_page" || findings.some(({ by }) => by === "report");
  return isJudged ? html`<p class="small">${appeals.yours} ${link}</p>` : undefined;
}

function actsHtml(texts: Texts, verdict: SiteVerdict): Html {
  const { domain, can_recheck_at, declared, last_visit_at } = verdict;
  const home = declared?.discovery_url ? new URL("/", declared.discovery_url).href : `https://${domain}/`;
  const path = verdictPath(domain);
  return html`<div class="acts">${declared && leadsAnywhere(home) && siteLink(home, texts.site.visit, "button quiet")}${can_recheck_at !== null && button(`${path}/recheck`, texts.site.recheck)}${last_visit_at !== null && can_recheck_at !== null && can_recheck_at > last_visit_at && html`<span class="small soft">${texts.site.recheckAt(texts.format.minute(can_recheck_at))}</span>`}</div>`;
}

function timesHtml(texts: Texts, verdict: SiteVerdict): Html {
  const { site } = texts;
  const rows: readonly (readonly [string, string | null])[] = [
    [site.lastVisit, verdict.last_visit_at],
    [site.nextVisit, verdict.next_visit_at],
    [site.expires, verdict.expires_at],
  ];
  return html`<ul class="tags">${rows.map(([name, at]) => at !== null && html`<li>${name}: ${moment(texts, at)}</li>`)}</ul>`;
}

const findingsHtml = (texts: Texts, { findings }: SiteVerdict): Html | undefined =>
  findings.length === 0
    ? undefined
    : html`<h2>${texts.site.findings}</h2><ul class="fixes">${findings
        .toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity))
        .slice(0, MOST_FINDINGS)
        .map(
          ({ by, rule, severity, page, excerpt, last_seen }) =>
            html`<li><p><b class="${SEVERITY_TONES[severity]}">${texts.site.severity(severity)}</b> <code>${rule}</code> <span class="small soft">${by === "report" ? texts.site.byReport : texts.site.byCrawl}, ${moment(texts, last_seen)}</span></p><p class="small">${pageLink(page)}</p><div class="theirs small">${siteText(excerpt, 160)}</div></li>`,
        )}</ul>${findings.length > MOST_FINDINGS && html`<p class="small soft">${texts.site.moreActions(findings.length - MOST_FINDINGS)}</p>`}`;

function checksHtml(texts: Texts, checks: SiteVerdict["checks"]): Html {
  const shared = sharedTime(texts, checks);
  return html`${shared && html`<p class="small soft">${texts.site.seenAt} ${moment(texts, shared)}</p>`}<ol class="checks">${checks.map(
    ({ name, outcome, reason, detail, observed_at }) => {
      const [mark, word] = texts.site.outcomes[outcome] ?? ["", outcome];
      return html`<li><span class="mark ${TONES[outcome]}" aria-hidden="true">${mark}</span><div><p><b>${texts.site.checkName(name)}</b> <span class="visually-hidden">${word}</span> <code class="soft small">${reason}</code></p>${detail !== "" && html`<p class="small soft">${siteText(detail, 240)}</p>`}</div>${observed_at && !shared && html`<span class="small soft">${moment(texts, observed_at)}</span>`}</li>`;
    },
  )}</ol>`;
}

/** A time that all checks share is said once. */
function sharedTime(texts: Texts, checks: SiteVerdict["checks"]): string | undefined {
  const times = checks.flatMap(({ observed_at: at }) => (at === null ? [] : [at]));
  return new Set(times.map(texts.format.minute)).size === 1 ? times.at(-1) : undefined;
}

function actionsHtml(texts: Texts, domain: string, declared: SiteVerdict["declared"]): Html | undefined {
  if (!declared) return undefined;
  const { actions } = declared;
  const left = actions.length - MOST_ACTIONS;
  return html`<h2>${texts.site.actions}</h2>${
    actions.length === 0
      ? html`<p class="soft">${texts.site.noActions}</p>`
      : theirs(
          domain,
          html`<ul class="fixes">${actions
            .slice(0, MOST_ACTIONS)
            .map(
              ({ name, description, effect }) =>
                html`<li><p><code>${siteText(name, 64)}</code> ${effect && html`<span class="small soft">${texts.site.effects[effect]}</span>`}</p>${description !== "" && html`<p class="small">${siteText(description, 160)}</p>`}</li>`,
            )}</ul>`,
        )
  }${left > 0 && html`<p class="small soft">${texts.site.moreActions(left)}</p>`}`;
}

const accessHtml = (texts: Texts, { access }: SiteVerdict): Html =>
  html`<h2>${texts.site.access}</h2><p>${texts.access[access]} <a href="/docs/reference/requestAccess">${texts.site.license}</a></p>`;

const pricesHtml = (texts: Texts, domain: string, prices: Prices): Html =>
  html`<h2>${texts.site.prices}</h2>${prices.length > 0 ? html`<p class="small soft">${texts.site.pricesRead}</p>${priceList(texts, prices)}` : html`<p class="soft">${texts.site.noPrices}</p>`}<p class="small">${texts.site.pricesText} <code>GET /api/v1/price/history/${domain}/{productId}</code></p>`;

const priceList = (texts: Texts, prices: Prices): Html =>
  html`<div class="scroll" tabindex="0" role="region" aria-label="${texts.site.prices}"><table><thead><tr><th scope="col">${texts.site.product}</th><th scope="col" class="num">${texts.site.price}</th><th scope="col">${texts.site.seen}</th></tr></thead><tbody>${prices.map(
    ({ productId, price_minor, minor_digits, currency, page, observed_at }) =>
      html`<tr><td>${siteLink(page, siteText(productId, 60))}</td><td class="num">${texts.format.price(price_minor / 10 ** minor_digits, currency)}</td><td>${moment(texts, observed_at)}</td></tr>`,
  )}</tbody></table></div>`;

/** For its owner alone: folded for a listed site, whose visitors have nothing to do. */
function fixesHtml(texts: Texts, verdict: SiteVerdict): Html {
  const { state, listed, fixes } = verdict;
  if (state === "blocked")
    return html`<h2>${texts.site.yours}</h2><p class="soft">${texts.site.blockedFixes}</p>`;
  return html`<h2>${texts.site.yours}</h2>${ownerHtml(texts, verdict)}${
    fixes.length === 0
      ? html`<p class="soft">${texts.site.noFixes}</p>`
      : html`<details class="more"${!listed && html` open`}><summary>${texts.site.fixes(fixes.length)}</summary><ul class="fixes">${fixes.slice(0, MOST_FIXES).map((fix) => fixHtml(texts, fix))}</ul></details>`
  }`;
}

/** Where its owner goes on: a new document, or another year for the one that is there. */
function ownerHtml(texts: Texts, { domain, declared, expires_at }: SiteVerdict): Html {
  const path = `/owners/${encodeURIComponent(domain)}`;
  const isSigned = declared !== null && expires_at !== null;
  return html`<p class="small"><a href="${isSigned ? `${path}/renew` : path}">${isSigned ? texts.site.renew : texts.site.listYours}</a></p>`;
}

const fixHtml = (texts: Texts, fix: Fix): Html =>
  html`<li><span class="gain">${texts.site.gains(fix.gains)}</span><h3>${fix.title}</h3><p>${fix.do}</p>${fix.page !== null && html`<p class="small soft">${texts.site.on} ${pageLink(fix.page)}${fix.selector !== null && html` <code>${siteText(fix.selector, 80)}</code>`}</p>`}${fix.excerpt ? html`<div class="theirs small">${siteText(fix.excerpt, 160)}</div>` : undefined}${fix.example !== null && html`<pre><code>${siteText(fix.example, 400)}</code></pre>`}</li>`;

/** What is behind the verdict, beside its checks. */
function sideHtml(context: ViewContext, verdict: SiteVerdict): Html {
  const { texts } = context;
  const path = verdictPath(verdict.domain);
  const scores = html`${trustHtml(texts, verdict)}${neutralityHtml(texts, verdict)}`;
  if (!verdict.listed) return scores;
  return html`${scores}
<h2>${texts.site.proofs}</h2><p class="small">${texts.site.proofsText}</p><p><a href="${path}/proofs">${texts.site.proofsLink}</a></p>${badgeHtml(context, verdict)}`;
}

const trustHtml = (texts: Texts, { trust }: SiteVerdict): Html =>
  html`<h2>${texts.site.trust}</h2>${scoreHtml(texts, { score: trust.ring === 0 ? undefined : trust.score, word: trustWord(texts, trust), label: texts.site.trust, isJudgement: false })}<p class="small soft">${texts.site.trustLead} ${texts.ring(trust.ring)}.</p>
<table><thead><tr><th scope="col">${texts.site.part}</th><th scope="col" class="num">${texts.site.points}</th></tr></thead><tbody>${Object.entries(
    MOST_TRUST_POINTS,
  ).map(
    ([name, most]) =>
      html`<tr><td>${texts.site.partName(name)}</td><td class="num">${texts.site.pointsOf(trust.reasons[name as keyof typeof MOST_TRUST_POINTS], most)}</td></tr>`,
  )}</tbody></table>`;

const scoreHtml = (texts: Texts, { score, word, label, isJudgement }: Score): Html =>
  score === undefined
    ? html`<p class="score">–</p><p>${word}</p>`
    : html`<p class="score">${texts.format.number(score)} <small>${texts.site.of100}</small></p><meter min="0" max="100"${isJudgement && html` low="40" high="60" optimum="100"`} value="${score}" aria-label="${label}">${score}</meter><p>${word}</p>`;

/** What the score says, in words: a new site has few points for its age, and nothing is wrong with that. */
function trustWord({ site, rings }: Texts, { ring, reasons }: SiteVerdict["trust"]): string {
  const isNew = ring >= 3 && reasons.age < MOST_TRUST_POINTS.age / 2;
  return ring === 0 ? site.nothingVerified : isNew ? site.newHere(rings[ring]!) : rings[ring]!;
}

function neutralityHtml(texts: Texts, { neutrality }: SiteVerdict): Html {
  const shared = { label: texts.site.neutrality, isJudgement: true };
  if (neutrality.pages === 0)
    return html`<h2>${texts.site.neutrality}</h2>${scoreHtml(texts, { ...shared, score: undefined, word: texts.site.noPages })}`;
  const named = neutrality.reasons.filter(
    ({ reason }) => !neutrality.parts.some(({ name }) => name === reason),
  );
  return html`<h2>${texts.site.neutrality}</h2>${scoreHtml(texts, { ...shared, score: neutrality.score, word: texts.site.neutralityWord(neutrality.score) })}<p class="small soft">${texts.site.neutralityLead(neutrality.pages)}</p>
<table><thead><tr><th scope="col">${texts.site.part}</th><th scope="col" class="num">${texts.site.points}</th></tr></thead><tbody>${neutrality.parts.map(
    ({ name, points, max_points }) =>
      html`<tr><td>${texts.site.partName(name)}</td><td class="num">${texts.site.pointsOf(max_points + points, 2 * max_points)}</td></tr>`,
  )}${named.map(({ reason, points }) => html`<tr><td><code>${reason}</code></td><td class="num">${texts.site.signed(points)}</td></tr>`)}</tbody></table>${evidenceHtml(texts, neutrality.parts)}`;
}

function evidenceHtml(texts: Texts, parts: readonly NeutralityPart[]): Html | undefined {
  const seen = parts.flatMap(({ name, evidence }) =>
    evidence.slice(0, MOST_EVIDENCE).map((each) => ({ name, ...each })),
  );
  if (seen.length === 0) return undefined;
  return html`<details class="more"><summary>${texts.site.evidence}</summary><ul class="fixes">${seen.map(
    ({ name, page, excerpt, seen_at }) =>
      html`<li><p class="small"><b>${texts.site.partName(name)}</b> ${pageLink(page)} <span class="soft">${moment(texts, seen_at)}</span></p>${excerpt !== "" && html`<div class="theirs small">${siteText(excerpt, 160)}</div>`}</li>`,
  )}</ul></details>`;
}

function badgeHtml({ texts, publicUrl }: ViewContext, { domain, state, conduct }: SiteVerdict): Html {
  const alt = texts.site.badgeAlt(domain, headlineOf(state, conduct).badge);
  const path = verdictPath(domain);
  const code = `<a href="${publicUrl}${path}"><img src="${publicUrl}${path}/badge.svg" alt="Bridge" height="28"></a>`;
  return html`<h2>${texts.site.badge}</h2><p><img src="${path}/badge.svg" alt="${alt}" height="28"></p><p class="small">${texts.site.badgeText}</p><details class="more"><summary>${texts.site.badgeCode}</summary><pre><code>${code}</code></pre></details>`;
}

const historyHtml = (texts: Texts, { history }: SiteVerdict): Html =>
  html`<h2>${texts.site.history}</h2>${
    history.length === 0
      ? html`<p class="soft">${texts.site.noHistory}</p>`
      : html`<ul class="events">${history
          .toReversed()
          .map(
            ({ at, state, reason }) =>
              html`<li><p>${statePill(texts, state)} <span class="small soft">${moment(texts, at)}</span></p><p class="small soft">${texts.reasons[reason]}</p></li>`,
          )}</ul>`
  }`;
