/** How well answers, and whose words they are, are told: recorded answers of real hosts, asked for as a visit does. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { answerOf, canaryPath } from "../../../src/agent-web/answer.ts";
import { formatOf } from "../../../src/agent-web/formats/table.ts";
import { documentPlatform } from "../../../src/agent-web/platforms.ts";
import type { FetchResult } from "../../../src/ports/http.ts";
import { type Recorded, rowsOf, type ServedWeb, servable, serveRecorded } from "./served.ts";

export interface ClassFigures {
  n: number;
  right: number;
  /** What the others were told as. */
  told_as: Record<string, number>;
}

export interface AnswerFigures {
  hosts: number;
  responses: number;
  answer_accuracy: number | null;
  answer_by_class: Record<string, ClassFigures>;
  platform_accuracy: number | null;
  crashed: number;
}

/** Classes of the records that have another name in ours. */
const ANSWER_OF: Readonly<Record<string, string>> = { redirect: "redirected" };
const OWNER = "own";

interface Judged {
  row: Recorded;
  answer: string;
  platform: string | null;
}

export async function evaluateAnswers(
  directory: string,
  say: (line: string) => void,
): Promise<AnswerFigures> {
  const folder = join(directory, "well-known");
  const rows = rowsOf<Recorded>(join(folder, "responses.jsonl")).filter(isRecorded);
  const bodies = servable(folder, rows);
  if (bodies.size < rows.length)
    say(`answers: ${rows.length - bodies.size} left out, whose document no host has`);
  const web = await serveRecorded(bodies);
  const judged: Judged[] = [];
  let crashed = 0;
  try {
    for (const row of bodies.keys())
      try {
        judged.push(await judge(web, row));
      } catch (error) {
        crashed++;
        say(`answers: ${row.host}${row.path}: ${String(error)}`);
      }
  } finally {
    await web.close();
  }
  const wanted = new Map(
    rowsOf<{ host?: string; by?: string }>(join(folder, "hosts.jsonl")).map(({ host, by }) => [host, by]),
  );
  return { ...figuresOf(judged, wanted, say), crashed };
}

const isRecorded = (row: Recorded): boolean =>
  typeof row.host === "string" &&
  typeof row.path === "string" &&
  row.path.startsWith("/") &&
  typeof row.class === "string" &&
  Number.isInteger(row.status) &&
  row.status >= 200 &&
  row.status < 600;

async function judge(web: ServedWeb, row: Recorded): Promise<Judged> {
  const ask = (path: string): Promise<FetchResult> => web.fetcher.fetch(web.addressOf(row.host, path));
  const reply = asHost(await ask(row.path), row);
  const canary = await ask(canaryPath(row.path, randomBytes(8).toString("hex")));
  const answer = answerOf(reply, formatOf(row.path), canary);
  const platform = reply.ok
    ? documentPlatform({ headers: reply.headers, path: row.path, bytes: reply.body, host: row.host })
    : null;
  return { row, answer, platform };
}

/** As the host itself answered, on its own port. */
const asHost = (reply: FetchResult, { host, path }: Recorded): FetchResult =>
  reply.ok ? { ...reply, url: new URL(`https://${host}${path}`) } : reply;

function figuresOf(
  judged: readonly Judged[],
  wanted: ReadonlyMap<string | undefined, string | undefined>,
  say: (line: string) => void,
): Omit<AnswerFigures, "crashed"> {
  const classes: Record<string, ClassFigures> = {};
  const platforms = new Map<string, { is: string; told: string }>();
  for (const { row, answer, platform } of judged) {
    const is = ANSWER_OF[row.class] ?? row.class;
    classes[is] ??= { n: 0, right: 0, told_as: {} };
    const figures = classes[is];
    figures.n++;
    if (answer === is) figures.right++;
    else {
      figures.told_as[answer] = (figures.told_as[answer] ?? 0) + 1;
      say(`answers: ${row.host}${row.path} is ${is}, told as ${answer}`);
    }
    // One platform a host: any of its documents may say it.
    const host = platforms.get(row.host) ?? { is: wanted.get(row.host) ?? row.by ?? OWNER, told: OWNER };
    if (platform !== null) host.told = `platform:${platform}`;
    platforms.set(row.host, host);
  }
  for (const [host, { is, told }] of platforms)
    if (is !== told) say(`platforms: ${host} is ${is}, told as ${told}`);
  const right = Object.values(classes).reduce((sum, figures) => sum + figures.right, 0);
  const told = [...platforms.values()].filter(({ is, told }) => is === told).length;
  return {
    hosts: platforms.size,
    responses: judged.length,
    answer_accuracy: shareOf(right, judged.length),
    answer_by_class: classes,
    platform_accuracy: shareOf(told, platforms.size),
  };
}

const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;
