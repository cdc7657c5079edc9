/** `/scan`: an address or a text, judged as an agent's firewall judges it: one word, then where and why. */
import { type Finding, type FirewallVerdict, SEVERITIES } from "../../../schemas/finding.ts";
import type { Problem } from "../../../schemas/problem.ts";
import type { Tone } from "../../../src/domain/listing/conduct.ts";
import { type Html, type HtmlPart, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { answersHtml, foldHtml, pill, SEVERITY_TONES, shortened, signHtml, siteText } from "../parts.ts";
import { MOST_SCANNED, type scanQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";
import { refusalNote } from "./forms.ts";

type Scanned = Replies<ReturnType<typeof scanQuestions>>["main"];

const TONES: Readonly<Record<FirewallVerdict, Tone>> = {
  allow: "good",
  unknown: "soft",
  warn: "warn",
  block: "bad",
};
const MOST_FINDINGS = 12;
/** Characters that are shown around a passage, and of the cleaned text. */
const AROUND = 160;
const MOST_CLEAN = 4_000;

export const scanFormView = (_: object, context: ViewContext): PageView => formPage(context);

export const scanRefusedView = (problem: Problem, context: ViewContext): PageView =>
  formPage(context, problem);

function formPage(context: ViewContext, problem?: Problem): PageView {
  const { scan } = context.texts;
  return {
    title: scan.title,
    description: scan.lead,
    canonical: "/scan",
    body: html`<h1>${scan.title}</h1><p class="lead">${scan.lead}</p>${refusalNote(problem)}${formHtml(context.texts, context.form.input ?? "")}
<p>${scan.example}</p><form method="post" action="/scan"><textarea name="input" class="code" rows="4" aria-label="${scan.example}" readonly>${scan.exampleText}</textarea><p class="acts"><button class="quiet">${scan.button}</button></p></form>
<p class="small soft">${scan.privacy} <a href="/docs/reference/tryScan">${scan.api}</a></p><p class="small soft">${scan.ready} <a href="/ready">${scan.readyLink}</a></p>`,
  };
}

const formHtml = ({ scan }: Texts, input: string): Html =>
  html`<form method="post" action="/scan"><p class="field"><label for="input">${scan.label}</label><textarea id="input" name="input" rows="6" maxlength="${MOST_SCANNED}" placeholder="${scan.placeholder}" required>${input}</textarea></p><div class="acts"><button>${scan.button}</button></div></form>`;

export function scanView({ main }: { main: Scanned }, context: ViewContext): PageView {
  const { texts, form } = context;
  const { scan } = texts;
  const { verdict, findings, sanitized_content: clean } = main;
  const input = form.input ?? "";
  const sorted = findings.toSorted((a, b) => SEVERITIES.indexOf(b.severity) - SEVERITIES.indexOf(a.severity));
  return {
    title: scan.words[verdict],
    isTransient: true,
    body: html`<h1>${scan.title}</h1>${answersHtml(answersOf(texts, main))}
${passagesHtml(texts, input, main)}${sorted.length > 0 && html`<h2>${scan.found}</h2><ul class="checks">${sorted.slice(0, MOST_FINDINGS).map((finding) => findingHtml(texts, finding))}</ul>`}
${foldHtml({ title: scan.looked, body: lookersHtml(texts, findings), isOpen: verdict === "allow" })}
${clean !== null && clean !== "" && foldHtml({ title: scan.clean, note: scan.cleanNote, body: html`<pre>${shortened(clean, MOST_CLEAN)}</pre>` })}
<h2>${scan.again}</h2>${formHtml(texts, "")}<p class="small soft">${scan.privacy} <a href="/docs/reference/tryScan">${scan.api}</a></p>`,
  };
}

function answersOf({ scan }: Texts, main: Scanned) {
  const { verdict, advice, risk_score: risk, certainty, scanned, fetched_url: fetched } = main;
  const tone = TONES[verdict];
  const missing = main.not_observed.map(({ what, reason }) => `${what} (${reason})`).join(", ");
  const isWhole = scanned.complete && missing === "";
  return [
    { question: scan.questions.verdict, tone, word: scan.words[verdict], text: scan.ours(advice) },
    {
      question: scan.questions.risk,
      tone,
      word: risk === null ? scan.noRisk : scan.risk(risk),
      text: certainty?.abstain ? scan.close : scan.riskScale,
    },
    {
      question: scan.questions.read,
      tone: isWhole ? ("good" as const) : ("warn" as const),
      word: scan.parts(scanned.segments, scanned.hidden_segments),
      text: html`${isWhole ? scan.whole : scan.notWhole}${missing !== "" && html` ${scan.notObserved} ${siteText(missing, 300)}.`}${fetched !== null && html` ${scan.fetched} ${siteText(fetched, 120)}.`}`,
    },
  ];
}

const findingHtml = ({ scan }: Texts, { rule_id, severity, evidence, remediation }: Finding): Html =>
  html`<li>${signHtml(SEVERITY_TONES[severity])}<div><p><b class="${SEVERITY_TONES[severity]}">${severity}</b> <code>${rule_id}</code></p>${evidence.snippet !== "" && html`<p><mark>${siteText(evidence.snippet, 240)}</mark></p>`}<p class="small">${scan.ours(remediation)}</p></div></li>`;

/** What was pasted, with what was found in it marked; long stretches between are left out. */
function passagesHtml({ scan }: Texts, input: string, { findings, read_as }: Scanned): HtmlPart {
  if (read_as !== "text") return undefined;
  const parts: HtmlPart[] = [];
  let shown = 0;
  for (const [start, end] of rangesOf(findings, input.length)) {
    const between = input.slice(shown, start);
    parts.push(between.length > 2 * AROUND ? gapIn(between, shown === 0) : between);
    parts.push(html`<mark>${shortened(input.slice(start, end), 2 * AROUND)}</mark>`);
    shown = end;
  }
  if (parts.length === 0) return undefined;
  parts.push(shortened(input.slice(shown), AROUND));
  return html`<h2>${scan.passages}</h2><pre>${parts}</pre>`;
}

const gapIn = (text: string, isFirst: boolean): string =>
  `${isFirst ? "" : text.slice(0, AROUND).toWellFormed()}…${text.slice(-AROUND).toWellFormed()}`;

/** Where findings stand, in order, those that overlap as one. */
function rangesOf(findings: readonly Finding[], length: number): [number, number][] {
  const found = findings
    .flatMap(({ evidence: { start, end } }): [number, number][] =>
      start === null || end === null || end > length ? [] : [[start, end]],
    )
    .sort(([a], [b]) => a - b);
  const ranges: [number, number][] = [];
  for (const [start, end] of found) {
    const last = ranges.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else ranges.push([start, end]);
  }
  return ranges.slice(0, MOST_FINDINGS);
}

/** Each part of the firewall, and what it saw. */
function lookersHtml({ scan }: Texts, findings: readonly Finding[]): Html {
  const rows = scan.lookers.map(([category, label]) => {
    const count = findings.filter((finding) => finding.category === category).length;
    return html`<li><span>${label}</span>${pill(count === 0 ? { tone: "soft", text: scan.nothing } : { tone: "bad", text: scan.saw(count) })}</li>`;
  });
  return html`<ul class="visits">${rows}</ul>`;
}
