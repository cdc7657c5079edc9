/** The two scores of a site with the points they are made of. */
import type { SiteVerdict } from "../../../schemas/verdict.ts";
import { MOST_TRUST_POINTS } from "../../../src/domain/trust/ring.ts";
import { type Html, html } from "../html.ts";
import { foldHtml, moment, pageLink, siteText } from "../parts.ts";
import type { Texts } from "../texts.ts";

const MOST_EVIDENCE = 2;

interface Score {
  /** Undefined where nothing is known: a dash, and no bar. */
  score: number | undefined;
  word: string;
  label: string;
  /** A low one speaks against the site; else it is only new. */
  isJudgement: boolean;
}

type NeutralityPart = SiteVerdict["neutrality"]["parts"][number];

export function scoresFold(texts: Texts, verdict: SiteVerdict): Html {
  const { trust, neutrality } = verdict;
  const shown = (isKnown: boolean, score: number) => (isKnown ? texts.site.outOf(score) : "–");
  return foldHtml({
    title: texts.site.scores,
    note: `${texts.site.trust} ${shown(trust.ring > 0, trust.score)} · ${texts.site.neutrality} ${shown(neutrality.pages > 0, neutrality.score)}`,
    body: html`${trustHtml(texts, verdict)}${neutralityHtml(texts, verdict)}`,
  });
}

const trustHtml = (texts: Texts, { trust }: SiteVerdict): Html =>
  html`<h3>${texts.site.trust}</h3>${scoreHtml(texts, { score: trust.ring === 0 ? undefined : trust.score, word: trustWord(texts, trust), label: texts.site.trust, isJudgement: false })}<p class="small soft">${texts.site.trustLead} ${texts.ring(trust.ring)}.</p>
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
    return html`<h3>${texts.site.neutrality}</h3>${scoreHtml(texts, { ...shared, score: undefined, word: texts.site.noPages })}`;
  const named = neutrality.reasons.filter(
    ({ reason }) => !neutrality.parts.some(({ name }) => name === reason),
  );
  return html`<h3>${texts.site.neutrality}</h3>${scoreHtml(texts, { ...shared, score: neutrality.score, word: texts.site.neutralityWord(neutrality.score) })}<p class="small soft">${texts.site.neutralityLead(neutrality.pages)}</p>
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
