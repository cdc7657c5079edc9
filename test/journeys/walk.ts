/**
 * A walk through pages in Chromium, counted: clicks, keys, bytes, words that are on the screen first, and the time that machines
 * took. Every page on the way is held to axe's rules, to the width of the screen, and to silence on the console.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { findingsOf, isWiderThanScreen, listenTo, type PHONE } from "../support/page-checks.ts";

/**
 * What a person takes, in seconds: the keystroke-level model (Card, Moran, Newell 1980) with its average typist, a mental step before each
 * click and each field, and silent reading at 238 words a minute (Brysbaert 2019) of the first screen of each page.
 */
const KEY_SECONDS = 0.28;
const CLICK_SECONDS = 1.1 + 0.2;
const MENTAL_SECONDS = 1.35;
const WORDS_A_SECOND = 238 / 60;
/** An address or a command that is pasted, or a file that is chosen, as keys. */
const PASTE_KEYS = 2;
const GIVE_UP_MS = 30_000;
const LOOK_EVERY_MS = 500;
const ASK_EVERY_MS = 4_000;

export interface Shot {
  name: string;
  caption: string;
}

/** A line of the account: what was done, and the page that it led to. */
export interface Step {
  does: string;
  path: string;
}

export interface Counts {
  clicks: number;
  keys: number;
  pages: number;
  requests: number;
  /** As they crossed the wire, header fields included. */
  bytes: number;
  machineSeconds: number;
  /** At another's page or in a terminal, as stated by the step. */
  elsewhereSeconds: number;
  /** Of a person who knows what to do, machines and what is elsewhere included. */
  doingSeconds: number;
  /** Of the first screen of each page. */
  readingSeconds: number;
}

export interface Walked extends Counts {
  steps: readonly Step[];
  shots: readonly Shot[];
  findings: readonly string[];
  said: readonly string[];
}

const WORDS_ON_SCREEN = `(() => {
  const walker = document.createTreeWalker(document.querySelector("main") ?? document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let words = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.height > 0 && box.top < innerHeight) words += node.textContent.trim().split(/\\s+/).filter(Boolean).length;
  }
  return words;
})()`;

export interface WalkOptions {
  browser: Browser;
  viewport: typeof PHONE;
  theme?: "light" | "dark";
  /** Takes a picture of the page; without it there are none. */
  shoot?: ((page: Page, shot: Shot) => Promise<void>) | undefined;
}

export interface Walk {
  readonly page: Page;
  /** Types an address. */
  open(does: string, url: string): Promise<void>;
  click(does: string, selector: string): Promise<void>;
  type(selector: string, text: string): Promise<void>;
  choose(selector: string, value: string): Promise<void>;
  paste(selector: string, text: string): Promise<void>;
  /** Clicks, and keeps the file that comes. @returns its text */
  download(does: string, selector: string): Promise<string>;
  /** Copies commands from a page into a shell. @returns what they print */
  shell(does: string, commands: string, env: Record<string, string>): Promise<string>;
  /** … again and again, until they print something. */
  untilShell(does: string, commands: string, env: Record<string, string>, printed: string): Promise<void>;
  /** What is done at another's page. @param seconds that a person is taken to need there */
  elsewhere(does: string, seconds: number, work: () => Promise<unknown>): Promise<void>;
  /** Waits until the page says something. */
  until(selector: string, text: string): Promise<void>;
  /** … which it says only when it is loaded anew. */
  untilAfterReload(selector: string, text: string): Promise<void>;
  shot(name: string, caption: string): Promise<void>;
  end(): Promise<Walked>;
}

/** @returns what commands print */
async function runInShell(commands: string, env: Record<string, string>): Promise<string> {
  const options = { env: { PATH: process.env.PATH, ...env }, maxBuffer: 8_000_000 };
  const args = ["--norc", "-euo", "pipefail", "-c", commands];
  return (await promisify(execFile)("bash", args, options)).stdout;
}

/** Counts what crosses the wire for a page. */
export async function countWire(context: BrowserContext, page: Page) {
  const wire = { requests: 0, bytes: 0 };
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.requestWillBeSent", ({ request }) => {
    if (!request.url.startsWith("data:")) wire.requests++;
  });
  session.on("Network.loadingFinished", ({ encodedDataLength }) => {
    wire.bytes += encodedDataLength;
  });
  return wire;
}

type Counted = Pick<Counts, "clicks" | "keys" | "machineSeconds" | "elsewhereSeconds">;

const doingSecondsOf = ({ clicks, keys, machineSeconds, elsewhereSeconds }: Counted): number =>
  clicks * (CLICK_SECONDS + MENTAL_SECONDS) + keys * KEY_SECONDS + machineSeconds + elsewhereSeconds;

/** Begins a walk in a browser that nobody has used. */
export async function startWalk({ browser, viewport, theme, shoot }: WalkOptions): Promise<Walk> {
  const context = await browser.newContext({
    viewport,
    colorScheme: theme ?? "light",
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const wire = await countWire(context, page);
  const said = listenTo(page, "4");
  const counts = { clicks: 0, keys: 0, pages: 0, elsewhereSeconds: 0 };
  const steps: Step[] = [];
  const shots: Shot[] = [];
  const findings: string[] = [];
  const seen = new Set<string>();
  let words = 0;
  let machineMs = 0;

  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const fromMs = performance.now();
    try {
      return await work();
    } finally {
      machineMs += performance.now() - fromMs;
    }
  };
  /** Off the clock: whether the page that it led to is in order, and how much there is to read. */
  const look = async (does: string): Promise<void> => {
    await timed(() => page.waitForLoadState("load"));
    const { pathname } = new URL(page.url());
    steps.push({ does, path: pathname });
    const heading = await page.textContent("h1").catch(() => "");
    if (seen.has(`${pathname} ${heading}`)) return;
    seen.add(`${pathname} ${heading}`);
    counts.pages++;
    words += await page.evaluate<number>(WORDS_ON_SCREEN);
    findings.push(...(await findingsOf(page)).map((finding) => `${pathname}: ${finding}`));
    if (await isWiderThanScreen(page)) findings.push(`${pathname}: wider than the screen`);
  };

  return {
    page,
    open: async (does, url) => {
      counts.keys += PASTE_KEYS;
      counts.clicks++;
      await timed(() => page.goto(url, { waitUntil: "load" }));
      await look(does);
    },
    click: async (does, selector) => {
      counts.clicks++;
      await timed(() => page.click(selector));
      await look(does);
    },
    type: async (selector, text) => {
      counts.clicks++;
      counts.keys += text.length;
      await page.fill(selector, text);
    },
    choose: async (selector, value) => {
      counts.clicks += 2;
      await page.selectOption(selector, value);
    },
    paste: async (selector, text) => {
      counts.clicks++;
      counts.keys += PASTE_KEYS;
      await page.fill(selector, text);
    },
    download: async (does, selector) => {
      counts.clicks++;
      // By the keyboard: what arrives in between may move the page under a pointer.
      const press = async () => {
        const [file] = await Promise.all([page.waitForEvent("download"), page.press(selector, "Enter")]);
        return readFileSync(await file.path(), "utf8");
      };
      const text = await timed(press);
      await look(does);
      return text;
    },
    shell: async (does, commands, env) => {
      counts.clicks++;
      counts.keys += 2 * PASTE_KEYS;
      steps.push({ does, path: "a terminal" });
      return timed(() => runInShell(commands, env));
    },
    untilShell: async (does, commands, env, printed) => {
      counts.clicks++;
      counts.keys += 2 * PASTE_KEYS;
      steps.push({ does, path: "a terminal" });
      const giveUpAt = performance.now() + GIVE_UP_MS;
      await timed(async () => {
        while (!(await runInShell(commands, env)).includes(printed)) {
          if (performance.now() > giveUpAt) throw new Error(`${does}: not ${printed}`);
          await pause(ASK_EVERY_MS);
        }
      });
    },
    elsewhere: async (does, seconds, work) => {
      counts.elsewhereSeconds += seconds;
      await work();
      steps.push({ does, path: `elsewhere, taken as ${seconds} s` });
    },
    until: (selector, text) =>
      timed(() => page.locator(selector).filter({ hasText: text }).first().waitFor({ timeout: GIVE_UP_MS })),
    untilAfterReload: async (selector, text) => {
      const giveUpAt = performance.now() + GIVE_UP_MS;
      await timed(async () => {
        while (!(await page.textContent(selector))?.includes(text)) {
          if (performance.now() > giveUpAt) throw new Error(`${page.url()} does not say ${text}`);
          await pause(LOOK_EVERY_MS);
          await page.reload();
        }
      });
    },
    shot: async (name, caption) => {
      shots.push({ name, caption });
      await shoot?.(page, { name, caption });
    },
    end: async () => {
      await context.close();
      const counted = { ...counts, ...wire, machineSeconds: machineMs / 1_000 };
      return {
        ...counted,
        doingSeconds: doingSecondsOf(counted),
        readingSeconds: words / WORDS_A_SECOND,
        steps,
        shots,
        findings,
        said,
      };
    },
  };
}
