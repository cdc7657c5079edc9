import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RenewOptions, renewFile } from "../../../app/cli/publish.ts";
import { CommandError } from "../../../app/cli/terminal.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { afterVisit } from "../../../src/crawl/judgement.ts";
import type { Previous } from "../../../src/crawl/stages/context.ts";
import { siteVerdict } from "../../../src/crawl/verdict.ts";
import { generateKey } from "../../../src/domain/trust/ed25519.ts";
import { DAY_MS, HOUR_MS } from "../../../src/ports/time.ts";
import { joinBroker } from "../../support/gate.ts";
import { documentOf } from "../../workers/crawler/observations.ts";
import { type OneSite, oneSite, text } from "../../workers/crawler/one-site.ts";

const DOCUMENT = "/.well-known/bridge.json";

let folder: string;
let broker: NatsBroker;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bridge-test-renew-"));
  broker = await joinBroker();
});
afterAll(async () => {
  await broker?.close();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Ninety days of a site: `timer` runs there once a day, and the crawl visits every few days.
 * @returns by day of each visit, whether the site is listed until the next one, or why not
 */
async function live(site: OneSite, file: string, everyDays: number, timer: (now: number) => void) {
  const startMs = Date.now();
  let previous: Previous | undefined;
  const said: [day: number, verdict: string][] = [];
  for (let day = 0; day <= 90; day++) {
    const now = startMs + day * DAY_MS;
    timer(now);
    if (day % everyDays > 0) continue;
    site.answers[DOCUMENT] = text(readFileSync(file, "utf8"), "application/json");
    const visitedAt = now + 6 * HOUR_MS;
    const result = await site.visit({ pages: 0, now: () => visitedAt, ...(previous && { previous }) });
    if (result.kind !== "seen") throw new Error("the visit was put off");
    const { record } = afterVisit(previous?.record, site.host, result.seen, visitedAt, visitedAt);
    previous = { record, content: undefined };
    const until = visitedAt + everyDays * DAY_MS - 1;
    const { listed, reason } = siteVerdict({ host: site.host, record, isBlocked: false }, until);
    said.push([day, listed ? "listed" : reason]);
  }
  return said;
}

function signed(site: OneSite, name: string): { file: string; options: RenewOptions } {
  const [file, key] = [join(folder, `${name}.json`), join(folder, `${name}.pem`)];
  writeFileSync(
    file,
    JSON.stringify(documentOf({ provider: { ...documentOf().provider, domain: site.host } })),
  );
  writeFileSync(key, site.key.privateKey);
  return { file, options: { key, endpoint: site.origin, days: 30, ttl: 3_600 } };
}

describe("renewing", () => {
  it("once a day, where it expires within ten days, keeps a site listed through 90 days by four signatures more", async () => {
    const site = await oneSite(broker);
    const { file, options } = signed(site, "kept");
    renewFile(file, options, Date.now());
    let renewals = 0;
    const { endpoint: _, ...timer } = options;
    const days = await live(site, file, 3, (now) => {
      if (renewFile(file, { ...timer, ifExpiring: 10 * DAY_MS }, now).isRenewed) renewals++;
    });
    expect(days.filter(([, verdict]) => verdict !== "listed")).toEqual([]);
    expect({ visits: days.length, renewals }).toEqual({ visits: 31, renewals: 4 });
    expect(readdirSync(folder).filter((name) => name.endsWith(".next"))).toEqual([]);
  });

  it("is needed: without it the site is off the directory after 30 days", async () => {
    const site = await oneSite(broker);
    const { file, options } = signed(site, "left");
    renewFile(file, options, Date.now());
    const days = await live(site, file, 9, () => undefined);
    expect(days.slice(0, 3)).toEqual([0, 9, 18].map((day) => [day, "listed"]));
    expect(days.slice(4)).toEqual([36, 45, 54, 63, 72, 81, 90].map((day) => [day, "manifest_expired"]));
  });

  it("leaves the file as it is where document or key cannot be used", async () => {
    const site = await oneSite(broker);
    const { file, options } = signed(site, "faulty");
    const before = readFileSync(file, "utf8");
    expect(() => renewFile(file, { ...options, key: file }, Date.now())).toThrow(CommandError);
    const other = join(folder, "other.json");
    writeFileSync(other, "{}");
    expect(() => renewFile(other, options, Date.now())).toThrow(CommandError);
    expect([readFileSync(file, "utf8"), readFileSync(other, "utf8")]).toEqual([before, "{}"]);
    writeFileSync(join(folder, "new.pem"), generateKey().privateKey);
    expect(renewFile(file, { ...options, key: join(folder, "new.pem") }, Date.now()).isRenewed).toBe(true);
  });
});
