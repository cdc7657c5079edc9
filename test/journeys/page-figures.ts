/** What a browser says of each kind of page: bytes, requests, first paint, layout shift, blocked time, and axe's findings. */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { findingsOf, PHONE } from "../support/page-checks.ts";
import { HOLDER } from "./ground.ts";
import type { Ground } from "./journey.ts";
import { countWire, type Shot } from "./walk.ts";

/** As Lighthouse has a phone's processor: this many times slower than the machine's. */
const SLOWER = 4;
const SETTLE_MS = 300;
/** Others use the machine too: what was blocked for longer is measured again. */
const GOOD_BLOCKED_MS = 200;
const MOST_TIMES = 3;

export interface PageFigures {
  kind: string;
  path: string;
  /** Over the wire, of the page and all that it loads. */
  bytes: number;
  requests: number;
  /** From the reply's last byte to something to see, in milliseconds. */
  firstPaintMs: number;
  /** Cumulative layout shift. */
  shift: number;
  /** What tasks took beyond 50 ms each, in milliseconds: of several times the least, since others use the machine too. */
  blockedMs: number;
  /** Processor time of the page's main thread, in milliseconds. */
  workMs: number;
  findings: readonly string[];
}

const WATCH = `
globalThis.seen = { shift: 0, blocked: 0 };
new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) seen.shift += entry.value; }).observe({ type: "layout-shift", buffered: true });
new PerformanceObserver((list) => { for (const entry of list.getEntries()) seen.blocked += Math.max(0, entry.duration - 50); }).observe({ type: "longtask", buffered: true });`;

const READ = `(() => {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const [navigation] = performance.getEntriesByType("navigation");
  return { ...seen, paint: (paint?.startTime ?? 0) - navigation.responseEnd };
})()`;

async function figuresOf(context: BrowserContext, kind: string, url: string): Promise<[PageFigures, Page]> {
  const page = await context.newPage();
  const wire = await countWire(context, page);
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.addInitScript(WATCH);
  await page.goto(url, { waitUntil: "load" });
  await page.waitForTimeout(SETTLE_MS);
  const seen = await page.evaluate<{ shift: number; blocked: number; paint: number }>(READ);
  const { bytes, requests } = wire;
  const { metrics } = await session.send("Performance.getMetrics");
  const workMs = (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  const { pathname, search } = new URL(url);
  return [
    {
      kind,
      path: pathname + search,
      bytes,
      requests,
      firstPaintMs: seen.paint,
      shift: seen.shift,
      blockedMs: seen.blocked,
      workMs,
      findings: await findingsOf(page),
    },
    page,
  ];
}

type Kind = readonly [kind: string, path: string, shot?: Shot];

const publicKinds = ({ listed }: Ground): readonly Kind[] => [
  ["home", "/"],
  ["search", "/search?q=shop"],
  ["directory", "/search"],
  ["verdict", `/sites/${listed}`],
  ["proofs", `/sites/${listed}/proofs`],
  ["status, live", "/status"],
  ["about", "/about"],
  ["owner's first page", "/owners"],
  ["owner's draft", `/owners/${listed}`],
  ["owner's renewal", `/owners/${listed}/renew`],
  ["sign-up", "/account/sign-up"],
  ["log-in", "/account/log-in"],
  ["forgotten password", "/account/forgotten"],
  ["documentation", "/docs"],
  ["documentation, searched", "/docs?q=webhook"],
  ["a quickstart", "/docs/quickstart-agents"],
  ["a guide", "/docs/agents"],
  ["an operation", "/docs/reference/executeAction"],
  ["an error", "/nowhere"],
];

const accountKinds = (siteId: string): readonly Kind[] => [
  [
    "account",
    "/account",
    { name: "account", caption: "The account: who asks, sites, what agents did, keys" },
  ],
  [
    "a site's permissions",
    `/account/sites/${siteId}`,
    { name: "account-site", caption: "What agents may do" },
  ],
  ["plans", "/account/plan", { name: "account-plan", caption: "The plans on offer" }],
  ["passkeys", "/account/passkeys", { name: "account-passkeys", caption: "Passkeys" }],
  ["notices", "/account/notices"],
  ["settings", "/account/settings"],
  ["closing", "/account/close"],
];

const consoleKinds = (host: string): readonly Kind[] => [
  ["console", "/"],
  ["console: a host", `/hosts?domain=${host}`],
  ["console: reports", "/reports"],
  ["console: blocks", "/blocks"],
  ["console: dead letters", "/dead-letters"],
  ["console: plans", `/plans?email=${HOLDER.email}`],
  ["console: audit", "/audit"],
];

const newContext = (browser: Browser) => browser.newContext({ viewport: PHONE });

async function submitted(context: BrowserContext, url: string, fields: Record<string, string>) {
  const page = await context.newPage();
  await page.goto(url);
  for (const [selector, value] of Object.entries(fields)) await page.fill(selector, value);
  await page.click("main button:not([type=button])");
  await page.waitForLoadState("load");
  await page.close();
}

type Shoot = ((page: Page, shot: Shot) => Promise<void>) | undefined;

/** Measures every kind of page on a phone, one after the other. */
export async function measurePages(
  ground: Ground & { siteId: string },
  shoot: Shoot,
): Promise<PageFigures[]> {
  const { registry, browser, listed, operator, siteId } = ground;
  const measured: PageFigures[] = [];
  const judged = async (context: BrowserContext, kind: string, url: string) => {
    let [figures, page] = await figuresOf(context, kind, url);
    for (let times = 1; figures.blockedMs > GOOD_BLOCKED_MS && times < MOST_TIMES; times++) {
      await page.close();
      [figures, page] = await figuresOf(context, kind, url);
    }
    return [figures, page] as const;
  };
  const measure = async (context: BrowserContext, base: string, kinds: readonly Kind[]) => {
    for (const [kind, path, shot] of kinds) {
      const [figures, page] = await judged(context, kind, base + path);
      measured.push(figures);
      if (shot) await shoot?.(page, shot);
      await page.close();
    }
    await context.close();
  };
  await measure(await newContext(browser), registry.url, publicKinds(ground));
  const holder = await newContext(browser);
  const credentials = { "#email": HOLDER.email, "#password": HOLDER.password };
  await submitted(holder, `${registry.url}/account/log-in`, credentials);
  await measure(holder, registry.url, accountKinds(siteId));
  const console = await newContext(browser);
  await submitted(console, registry.operatorsUrl, { "#token": operator });
  await measure(console, registry.operatorsUrl, consoleKinds(listed));
  return measured;
}
