/**
 * What hosts of the open web published and answered, served by HTTPS under their names (in the zone `test`) and crawled by a whole
 * registry in one run. The account says what that cost them.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { addSeeds } from "../../app/cli/seed.ts";
import { parseRobots } from "../../src/egress/robots.ts";
import { openAuthority } from "../../world/certificates.ts";
import { type Recorded, rowsOf, servable } from "../eval/agent-web/served.ts";
import type { CaseSite, FileAnswer } from "../real-cases/cases.ts";
import { startCaseWeb } from "../real-cases/web.ts";
import { dataFile } from "../support/data.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
  ".yaml": "application/yaml",
};
/** Beside robots.txt, our own record's document and pages: 12 new paths, 12 that are named, their canaries, and probes. */
const MAX_REQUESTS = 60;
const CRAWL_TIMEOUT_MS = 300_000;
const RANDOM_NAME = /\/[0-9a-f]{16}(?:\.\w+)?$/;
const TOKEN = "BridgeBot";

/** One label of the zone a host: no two are of one registrable domain. */
const moved = (host: string): string => `${host.replaceAll(".", "-").slice(0, 60)}.test`;

function answerOf(bytes: Uint8Array, host: string, type: string | undefined, status = 200): FileAnswer {
  const body = Buffer.from(Buffer.from(bytes).toString("latin1").replaceAll(host, moved(host)), "latin1");
  return { status, headers: type ? { "content-type": type } : {}, base64: body.toString("base64") };
}

const siteOf = (host: string, files: CaseSite["files"], anyName?: FileAnswer): CaseSite => ({
  host: moved(host),
  txt: null,
  document: null,
  files,
  ...(anyName && { anyName }),
});

/** `agent-web/sites/<host>/<path as served>`. */
function publishedSites(folder: string): CaseSite[] {
  return readdirSync(folder).map((host) => {
    const paths = (readdirSync(join(folder, host), { recursive: true }) as string[]).filter((path) =>
      statSync(join(folder, host, path)).isFile(),
    );
    const files = paths.map((path) => [
      path === "index.html" ? "/" : `/${path}`,
      answerOf(readFileSync(join(folder, host, path)), host, TYPES[extname(path)] ?? "application/json"),
    ]);
    return siteOf(host, Object.fromEntries(files));
  });
}

/** `agent-web-2/well-known/responses.jsonl`: a host that answers any name does so here. */
function recordedSites(folder: string): CaseSite[] {
  const rows = rowsOf<Recorded>(join(folder, "responses.jsonl"));
  const answers = [...servable(folder, rows)].map(([row, body]) => ({
    row,
    answer: answerOf(body, row.host, row.content_type ?? undefined, row.status),
  }));
  return [...Map.groupBy(answers, ({ row }) => row.host)].map(([host, of]) =>
    siteOf(
      host,
      Object.fromEntries(of.map(({ row, answer }) => [row.path, answer])),
      of.find(({ row }) => row.class === "soft_404")?.answer,
    ),
  );
}

const [published, recorded] = [dataFile("agent-web/sites"), dataFile("agent-web-2/well-known")];
const sites = [
  ...new Map(
    [...(published ? publishedSites(published) : []), ...(recorded ? recordedSites(recorded) : [])].map(
      (site) => [site.host, site],
    ),
  ).values(),
];
const home = mkdtempSync(join(tmpdir(), "bridge-corpora-"));
const web = sites.length > 0 ? await startCaseWeb(sites, openAuthority(home, Date.now())) : undefined;
if (!web)
  console.info("the corpora are not on this machine, or port 443 may not be used: they are not crawled");

describe.skipIf(!web)("the corpora of the agent web, crawled in one run", () => {
  let registry: TestRegistry;
  const requestsOf = (host: string) => web!.requested(host);

  beforeAll(async () => {
    registry = await startRegistry({
      world: { sites: 1, home },
      config: {
        BRIDGE_DNS_SERVERS: [web!.dns],
        BRIDGE_EGRESS_ALLOW: `${web!.address}/32:443`,
        BRIDGE_HTTPS_PORT: 443,
      },
    });
    const { runtime } = registry;
    await addSeeds(
      runtime,
      sites.map(({ host }) => host),
    );
    const isIdle = async () => {
      const { due, inFlight } = await runtime.frontier.lag();
      return due + inFlight === 0 && sites.every(({ host }) => requestsOf(host).length > 0);
    };
    await vi.waitUntil(isIdle, { timeout: CRAWL_TIMEOUT_MS, interval: 250 });
  }, CRAWL_TIMEOUT_MS + 60_000);
  afterAll(async () => {
    await registry?.stop();
    await web?.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("finds what most hosts publish, and says of each what was seen", async () => {
    const { body } = await registry.getJson("/api/registry/status");
    const counts = sites.map(({ host }) => requestsOf(host).length).toSorted((a, b) => a - b);
    const all = sites.flatMap(({ host }) => requestsOf(host));
    const canaries = all.filter((path) => RANDOM_NAME.test(path)).length;
    const { looks, found } = body.agent_web;
    console.info(
      JSON.stringify({
        hosts: sites.length,
        looks,
        found,
        requests: all.length,
        canaries,
        requests_a_host: { median: counts[counts.length >> 1], most: counts.at(-1) },
      }),
    );
    expect(looks).toBeGreaterThan(sites.length * 0.9);
    expect(found).toBeGreaterThan(sites.length * 0.5);
  });

  it("asks each host a bounded number of times, one thing at a time", () => {
    for (const { host } of sites) {
      expect([host, requestsOf(host).length <= MAX_REQUESTS]).toEqual([host, true]);
      expect([host, web!.mostAtOnce(host)]).toEqual([host, 1]);
    }
  });

  it("asks for nothing that robots.txt closes", () => {
    for (const { host, files } of sites) {
      const robots = files["/robots.txt"];
      if (robots?.base64 === undefined || (robots.status ?? 200) !== 200) continue;
      const rules = parseRobots(Buffer.from(robots.base64, "base64").toString(), 200);
      const closed = requestsOf(host).filter((path) => path !== "/robots.txt" && !rules.allows(path, TOKEN));
      expect([host, closed]).toEqual([host, []]);
    }
  });
});
