/** `/census`: what hosts publish for agents, a bar a day, with the numbers behind each part as a table. */
import {
  CONTROL_GROUPS,
  DESCRIPTOR_ANSWERS,
  LEVELS,
  type Level,
  PROTOCOLS,
} from "../../../schemas/agent-web.ts";
import { CENSUS_SOURCES, type CensusDay } from "../../../schemas/census.ts";
import { dayBars } from "../charts.ts";
import { type Html, html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { foldHtml, moment } from "../parts.ts";
import type { censusQuestions } from "../questions.ts";
import type { Texts } from "../texts.ts";

type Census = Replies<ReturnType<typeof censusQuestions>>["main"];

/** One thing that is counted, of how many, on each day. */
interface Series {
  label: string;
  of: (day: CensusDay) => Counted;
}

interface Counted {
  count: number;
  all: number;
}

interface Part {
  title: string;
  note: string;
  series: Series[];
  tellsZero?: true;
}

/** The most frequent of a part's names that are shown: a page stays below 60 kB. The CSV has all. */
const MOST_SHOWN = 6;
const CSV = "/api/registry/census?format=csv";

export function censusView(
  { main: { frame, days, at } }: { main: Census },
  { texts }: ViewContext,
): PageView {
  const { census } = texts;
  const last = days.at(-1);
  const parts = last ? partsOf(texts, days).map((part) => partHtml(texts, part, days)) : [];
  const latest =
    last &&
    census.latest(
      texts.format.day(last.day),
      texts.status.hostCount(last.hosts),
      texts.format.number(last.found),
    );
  return {
    title: census.title,
    description: census.lead,
    json: "/api/registry/census",
    canonical: "/census",
    body: html`<h1>${census.title}</h1><p class="lead">${census.lead}</p><p><b>${latest ?? census.none}</b></p>
<div class="note"><h2>${census.frameTitle}</h2><p>${frame}</p></div><div class="acts"><a class="button quiet" href="${CSV}">${census.download}</a></div>
${parts}<p class="small soft">${texts.status.still} ${moment(texts, at)}.</p>`,
  };
}

const partsOf = (texts: Texts, days: readonly CensusDay[]): Part[] =>
  [...partsOfHosts(texts, days), ...partsOfAnswers(texts, days)]
    .map((part) => ({
      ...part,
      series: part.series.filter(({ of }) => days.some((day) => isTold(of(day), part))),
    }))
    .filter(({ series }) => series.length > 0);

/** A name that nobody has is left out; looks that never erred are told. */
const isTold = ({ count, all }: Counted, { tellsZero }: Part): boolean =>
  count > 0 || (tellsZero === true && all > 0);

/** Parts whose shares are of the hosts that were looked at. */
function partsOfHosts({ census, site }: Texts, days: readonly CensusDay[]): Part[] {
  const { parts } = census;
  const platforms = namesIn(days, (day) => day.platforms.map(({ platform }) => platform));
  return [
    {
      ...parts.hosts,
      series: [
        { label: census.found, of: ({ found, hosts }) => ({ count: found, all: hosts }) },
        { label: census.closed, of: ({ closed, hosts }) => ({ count: closed, all: hosts }) },
      ],
    },
    {
      ...parts.levels,
      series: LEVELS.map((level) =>
        ofHosts(site.levels[level], (day) => day.levels.filter((each) => each.level === level)),
      ),
    },
    {
      ...parts.protocols,
      series: PROTOCOLS.map((protocol) =>
        ofHosts(site.protocols[protocol], (day) =>
          day.protocols.filter((each) => each.protocol === protocol && doesAnswer(each)),
        ),
      ),
    },
    {
      ...parts.platforms,
      series: platforms.map((platform) =>
        ofHosts(platform, (day) => day.platforms.filter((each) => each.platform === platform)),
      ),
    },
    {
      ...parts.sources,
      series: CENSUS_SOURCES.map((source) =>
        ofHosts(census.sources[source], (day) => day.sources.filter((each) => each.source === source)),
      ),
    },
  ];
}

/** Parts about documents, and about looks at hosts that are known. */
function partsOfAnswers(texts: Texts, days: readonly CensusDay[]): Part[] {
  const { parts } = texts.census;
  const formats = namesIn(days, (day) => day.formats.map(({ format }) => format));
  return [
    { ...parts.formats, series: formats.map(usableDocuments) },
    { ...parts.answers, series: DESCRIPTOR_ANSWERS.map((answer) => answersTo(texts, answer)) },
    {
      ...parts.control,
      tellsZero: true,
      series: CONTROL_GROUPS.map((group) => ({
        label: texts.status.controlGroups[group],
        of: ({ control }) => {
          const { wrong = 0, looks = 0 } = control.find((each) => each.group === group) ?? {};
          return { count: wrong, all: looks };
        },
      })),
    },
  ];
}

const namesIn = (days: readonly CensusDay[], of: (day: CensusDay) => readonly string[]): string[] =>
  [...new Set(days.flatMap(of))].sort();

const doesAnswer = ({ level }: { level: Level }): boolean =>
  LEVELS.indexOf(level) >= LEVELS.indexOf("answers");

const usableDocuments = (format: string): Series =>
  ofHosts(format, ({ formats }) =>
    formats.filter((each) => each.format === format).map(({ usable }) => ({ hosts: usable })),
  );

const ofHosts = (label: string, counted: (day: CensusDay) => readonly { hosts: number }[]): Series => ({
  label,
  of: (day) => ({ count: sum(counted(day).map(({ hosts }) => hosts)), all: day.hosts }),
});

function answersTo({ census, site }: Texts, answer: (typeof DESCRIPTOR_ANSWERS)[number]): Series {
  return {
    label: answer === "present" || answer === "absent" ? census[answer] : site.documentAnswers[answer],
    of: ({ formats }) => ({
      count: sum(formats.map(({ answers }) => answers[answer] ?? 0)),
      all: sum(formats.flatMap(({ answers }) => Object.values(answers))),
    }),
  };
}

function partHtml(texts: Texts, { title, note, series }: Part, days: readonly CensusDay[]): Html {
  const { census, format } = texts;
  const [first, day] = [days[0]!, days.at(-1)!];
  const shown = series
    .toSorted((one, other) => shareOf(other.of(day)) - shareOf(one.of(day)))
    .slice(0, MOST_SHOWN);
  const tallest = Math.max(...shown.flatMap(({ of }) => days.map((each) => shareOf(of(each)))));
  const plots = shown.map(({ label, of }) => {
    const { count, all } = of(day);
    const share = format.percent(shareOf(of(day)));
    const bars = dayBars(
      census.plotOf(label, share, first.day, day.day),
      days.map((each) => shareOf(of(each))),
      tallest,
    );
    return html`<li><p class="small">${label}</p>${bars}<p class="small"><b>${share}</b> <span class="soft">${census.countOf(format.number(count), format.number(all))}</span></p></li>`;
  });
  return html`<section><h2>${title}</h2><p class="small">${note}${series.length > shown.length && html` ${census.mostFrequent(MOST_SHOWN)}`}</p><ul class="columns">${plots}</ul><p class="small soft">${census.scale(format.percent(tallest))}</p>${foldHtml({ title: census.asTable(title), body: tableHtml(texts, title, shown, days) })}</section>`;
}

/** The days of a part, the newest first. What all of its counts are of stands in a column of its own. */
function tableHtml(
  { census, format }: Texts,
  title: string,
  series: readonly Series[],
  days: readonly CensusDay[],
): Html {
  const counted = days.toReversed().map((day) => ({ day: day.day, cells: series.map(({ of }) => of(day)) }));
  const isShared = counted.every(({ cells }) => cells.every(({ all }) => all === cells[0]!.all));
  const heads = [...(isShared ? [census.of] : []), ...series.map(({ label }) => label)];
  const rows = counted.map(
    ({ day, cells }) =>
      html`<tr><th scope="row">${day}</th>${isShared && html`<td>${format.number(cells[0]!.all)}</td>`}${cells.map(
        ({ count, all }) =>
          html`<td>${format.number(count)}${!isShared && html`/${format.number(all)}`}</td>`,
      )}</tr>`,
  );
  return html`<div class="scroll" role="region" aria-label="${census.asTable(title)}" tabindex="0"><table class="counts"><thead><tr><th scope="col">${census.day}</th>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

const shareOf = ({ count, all }: Counted): number => (all === 0 ? 0 : count / all);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
