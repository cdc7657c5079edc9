/** Pictures of data, drawn as SVG by the registry; what each shows stands beside it in words and numbers. */
import type { Tone } from "../../src/domain/listing/conduct.ts";
import { type Html, type HtmlPart, html, nothing } from "./html.ts";
import { signHtml } from "./parts.ts";
import type { Texts } from "./texts.ts";

/** Width of a bar, in its own units: it is drawn as wide as its column. */
const WIDTH = 1_000;
const COLUMN_HEIGHT = 96;
const SPARK_HEIGHT = 32;
/** Shares that there are can be seen, however small. */
const LEAST_WIDTH = 6;

export interface Share {
  tone: Tone;
  label: string;
  count: number;
  /** Where the counted are listed. */
  href?: string;
}

export interface ChartRow {
  label: HtmlPart;
  /** The same ones in each row, in the same order. */
  shares: readonly Share[];
}

/** Parts of a whole, side by side. @param label what the whole is */
export const stackedBar = (texts: Texts, label: string, shares: readonly Share[]): Html =>
  totalOf(shares) === 0 ? nothing : html`${barSvg(label, shares, totalOf(shares))}${keyHtml(texts, shares)}`;

/** Several wholes to one scale, in a table that has their numbers. @param label what the rows are */
export function barTable(texts: Texts, label: string, first: string, rows: readonly ChartRow[]): Html {
  const most = Math.max(0, ...rows.map(({ shares }) => totalOf(shares)));
  if (most === 0) return nothing;
  const columns = rows[0]!.shares.map((_, i) => totalOf(rows.map(({ shares }) => shares[i]!)) > 0);
  const shown = (shares: readonly Share[]) => shares.filter((_, i) => columns[i]);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="bars"><thead><tr><th scope="col">${first}</th><td></td>${shown(rows[0]!.shares).map(({ tone, label: name }) => html`<th scope="col" class="num">${rows[0]!.shares.length > 1 && html`${signHtml(tone)}<br>`}${name}</th>`)}</tr></thead><tbody>${rows.map(
    ({ label: name, shares }) =>
      html`<tr><th scope="row">${name}</th><td aria-hidden="true">${barSvg(undefined, shares, most)}</td>${shown(shares).map(({ count }) => html`<td class="num">${texts.format.number(count)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}

/** Wholes over time as columns to one scale, the newest last; their numbers in a table that opens. */
export function columnChart(texts: Texts, label: string, first: string, columns: readonly ChartRow[]): Html {
  const most = Math.max(0, ...columns.map(({ shares }) => totalOf(shares)));
  if (most === 0) return nothing;
  const step = WIDTH / columns.length;
  const bars = columns.map(({ shares }, at) => {
    let top = COLUMN_HEIGHT;
    return shares.map(({ tone, count }) => {
      if (count === 0) return nothing;
      const height = Math.max(1, (count / most) * COLUMN_HEIGHT);
      top -= height;
      return html`<rect class="${tone}" x="${Math.round(at * step)}" y="${Math.round(top)}" width="${Math.round(step) - 4}" height="${Math.ceil(height)}"/>`;
    });
  });
  const sums = columns[0]!.shares.map((share, i) => ({
    ...share,
    count: totalOf(columns.map(({ shares }) => shares[i]!)),
  }));
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${COLUMN_HEIGHT}" height="${COLUMN_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><rect class="soft" y="${COLUMN_HEIGHT - 1}" width="${WIDTH}" height="1"/>${bars}</svg>${keyHtml(texts, sums)}
<details class="more small"><summary>${texts.asTable}</summary><table><thead><tr><th scope="col">${first}</th>${sums.map(({ label: name }) => html`<th scope="col" class="num">${name}</th>`)}</tr></thead><tbody>${columns
    .filter(({ shares }) => totalOf(shares) > 0)
    .map(
      ({ label: name, shares }) =>
        html`<tr><th scope="row">${name}</th>${shares.map(({ count }) => html`<td class="num">${texts.format.number(count)}</td>`)}</tr>`,
    )}</tbody></table></details>`;
}

/** A number over time, small, with its sum: a part of a `dl` of figures. @param values the newest last */
export function sparkline({ format }: Texts, label: string, values: readonly number[]): Html {
  const most = Math.max(1, ...values);
  const bars = values.map((value, at) => {
    const height = value === 0 ? 1 : Math.max(2, Math.round((value / most) * SPARK_HEIGHT));
    return html`<rect class="${value === 0 ? "soft" : "accent"}" x="${at * 10}" y="${SPARK_HEIGHT - height}" width="8" height="${height}"/>`;
  });
  const sum = format.number(values.reduce((total, value) => total + value, 0));
  return html`<div><dt>${label}</dt><dd>${sum}</dd><dd><svg class="chart" viewBox="0 0 ${values.length * 10} ${SPARK_HEIGHT}" height="${SPARK_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}: ${values.join(", ")}">${bars}</svg></dd></div>`;
}

/** A value over time as a line that steps from one reading to the next; undefined where nothing moved in time. */
export function stepLine(
  label: string,
  readings: readonly { at: number; value: number }[],
): Html | undefined {
  const [first, last] = [readings[0]?.at ?? 0, readings.at(-1)?.at ?? 0];
  if (last <= first) return undefined;
  const values = readings.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const x = (at: number) => Math.round(((at - first) / (last - first)) * WIDTH);
  const y = (value: number) =>
    most === least
      ? SPARK_HEIGHT / 2
      : Math.round(2 + ((most - value) / (most - least)) * (SPARK_HEIGHT - 4));
  const steps = readings.map(
    ({ at, value }, i) => `${i === 0 ? "M" : "H"}${x(at)}${i === 0 ? " " : "V"}${y(value)}`,
  );
  return html`<svg class="chart line" viewBox="0 0 ${WIDTH} ${SPARK_HEIGHT}" height="${SPARK_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${steps.join("")}" vector-effect="non-scaling-stroke"/></svg>`;
}

const totalOf = (shares: readonly Share[]): number => shares.reduce((sum, { count }) => sum + count, 0);

/** @param label undefined: its numbers stand beside it. @param most what a whole bar is */
function barSvg(label: string | undefined, shares: readonly Share[], most: number): Html {
  const widths = shares.map(({ count }) => (count === 0 ? 0 : Math.max(LEAST_WIDTH, (count / most) * WIDTH)));
  const scale = Math.min(1, WIDTH / widths.reduce((sum, width) => sum + width, 0));
  const starts = widths.map((_, i) => widths.slice(0, i).reduce((sum, width) => sum + width * scale, 0));
  const bars = shares.map(
    ({ tone }, i) =>
      widths[i]! > 0 &&
      html`<rect class="${tone}" x="${Math.round(starts[i]!)}" width="${Math.max(1, Math.round(widths[i]! * scale) - 2)}" height="24"/>`,
  );
  const named = label === undefined ? nothing : html` role="img" aria-label="${label}"`;
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} 24" height="24" preserveAspectRatio="none"${named}>${bars}</svg>`;
}

/** Width of a day with its gap (a bar is 6 wide, by the style sheet), and the height of the tallest bar. */
const [DAY_WIDTH, DAY_HEIGHT] = [8, 48];

/**
 * A bar a day, the newest last. @param label what it shows, in words @param shares 0 to 1 @param tallest share of a bar of the full
 * height
 */
export function dayBars(label: string, shares: readonly number[], tallest: number): Html {
  const bars = shares.map((share, i) => {
    const height = share === 0 ? 0 : Math.max(1, Math.round((share / tallest) * DAY_HEIGHT));
    return height === 0 ? "" : `M${(i + 0.5) * DAY_WIDTH} ${DAY_HEIGHT}v-${height}`;
  });
  return html`<svg class="chart days" viewBox="0 0 ${shares.length * DAY_WIDTH} ${DAY_HEIGHT}" height="${DAY_HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}"><path d="${bars.join("")}"/></svg>`;
}

const keyHtml = (texts: Texts, shares: readonly Share[]): Html =>
  html`<ul class="key">${shares.map((share) => html`<li>${signHtml(share.tone)}${keyOf(texts, share)}</li>`)}</ul>`;

function keyOf(texts: Texts, { label, count, href }: Share): Html {
  const said = html`<b>${texts.format.number(count)}</b> ${label}`;
  return href === undefined ? said : html`<a href="${href}">${said}</a>`;
}
