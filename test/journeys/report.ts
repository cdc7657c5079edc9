/** docs/journeys.md, written where `npm run generate -- journeys` asks for it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { markdownTable } from "../../app/markdown-table.ts";
import { PHONE } from "../support/page-checks.ts";
import type { Journey } from "./journey.ts";
import { JOURNEYS } from "./journeys.ts";
import type { PageFigures } from "./page-figures.ts";
import { DOCS, isWriting } from "./pictures.ts";
import type { Shot, Walked } from "./walk.ts";

const kB = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;
const minutes = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")}`;
const ms = (value: number): string => `${Math.round(value)} ms`;

const INTRODUCTION = `# Journeys

Written by \`npm run generate -- journeys\`: people's ways, driven in Chromium over a synthetic web with real DNS and HTTPS, from the registry's front door to what they came for. Every page
on the way is held to axe (WCAG 2.2 AA and its best practices), to the width of the screen, and to silence on the console.

- **Doing**, in minutes: the keystroke-level model (0.28 s a key, 1.3 s a click, 1.35 s of thought before each), what browser and registry took, and what is done elsewhere as its step says.
- **Reading**, in minutes: the first screen of each page, once, at 238 words a minute.
- **Machine**: the part of browser and registry, on two shared cores.
- **Bytes** crossed the wire, header fields included.
`;

const overview = (walked: ReadonlyMap<string, Walked>): string[] => [
  ...markdownTable(
    ["Who", "Gets to", "Doing", "Reading", "Machine", "Clicks", "Pages", "Requests", "Bytes"],
    JOURNEYS.map(({ name, who, goal }) => {
      const { doingSeconds, readingSeconds, machineSeconds, clicks, pages, requests, bytes } =
        walked.get(name)!;
      const counts = [clicks, pages, requests].map(String);
      return [
        `[${who}](#${who.toLowerCase().replaceAll("'", "").replaceAll(" ", "-")})`,
        ...[
          goal,
          minutes(doingSeconds),
          minutes(readingSeconds),
          `${machineSeconds.toFixed(1)} s`,
          ...counts,
          kB(bytes),
        ],
      ];
    }),
  ),
];

const picture = ({ name, caption }: Shot, isPhone: boolean): string =>
  isPhone
    ? `<img src="images/journeys/${name}.png" alt="${caption}" width="240">`
    : `![${caption}](images/journeys/${name}.png)`;

function story({ who, viewport }: Journey, { steps, shots }: Walked): string {
  const isPhone = viewport === PHONE;
  const lines = steps.map(
    ({ does, path }, i) => `${i + 1}. ${does}: ${path.startsWith("/") ? `\`${path}\`` : path}`,
  );
  return `## ${who}

${isPhone ? "On a phone:" : "On a desktop:"}

${lines.join("\n")}

${shots.map((shot) => picture(shot, isPhone)).join(isPhone ? "\n" : "\n\n")}
`;
}

const PAGES = `## Pages

Each kind of page on a phone, whose processor is four times slower than the machine's. First paint is counted from the reply's last byte. Blocked time (what tasks take beyond
50 ms) is good up to 200 ms: it grows with what else the machine does. Work is the processor time of the page's main thread. A page with all it loads has at most 60 kB.
`;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);

/** What is the same for nearly all pages. */
const ofAll = (figures: readonly PageFigures[]): string =>
  `Of all: layout shift at most ${Math.max(...figures.map(({ shift }) => shift)).toFixed(3)} (good up to 0.1), findings of axe ${sum(figures.map(({ findings }) => findings.length))}.`;

const table = (figures: readonly PageFigures[]): string[] => [
  ...markdownTable(
    ["Page", "Bytes", "Requests", "First paint", "Work", "Blocked"],
    figures.map(({ kind, bytes, requests, firstPaintMs, workMs, blockedMs }) => [
      kind,
      kB(bytes),
      String(requests),
      ms(firstPaintMs),
      ms(workMs),
      ms(blockedMs),
    ]),
  ),
];

const ACCOUNT = [
  ["account", "The account: who asks, sites, what agents did, keys"],
  ["account-site", "What agents may do on a site"],
  ["account-plan", "The plans on offer"],
  ["account-passkeys", "Passkeys"],
] as const;

/** Writes the page, once every journey and every kind of page is there. */
export function writeJourneys(walked: ReadonlyMap<string, Walked>, figures: readonly PageFigures[]): void {
  if (!isWriting) return;
  const parts = [
    INTRODUCTION,
    ...overview(walked),
    "",
    ...JOURNEYS.map((journey) => story(journey, walked.get(journey.name)!)),
    "## An account",
    "",
    ...ACCOUNT.map(([name, caption]) => picture({ name, caption }, true)),
    "",
    PAGES,
    ofAll(figures),
    "",
    ...table(figures),
    "",
  ];
  writeFileSync(join(DOCS, "journeys.md"), parts.join("\n"));
}
