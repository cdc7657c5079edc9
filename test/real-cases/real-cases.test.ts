/**
 * What people met and wrote down, made anew as small inputs, against a whole registry: pages, records, replies and forms
 * as the open web has them. Cases of the project's own stand in where the larger collection is not on the machine.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAuthority } from "../../world/certificates.ts";
import { dataFile } from "../support/data.ts";
import { startRegistry } from "../support/registry.ts";
import { givenKey } from "../support/visitor.ts";
import { readCases } from "./cases.ts";
import { type CheckContext, runCheck } from "./checks.ts";
import { startCaseWeb } from "./web.ts";

const OWN = new URL("own", import.meta.url).pathname;
const collection = dataFile("real-cases");
if (!collection) console.info("real-cases is not on this machine: the cases of test/real-cases/own stand in");

const cases = [OWN, ...(collection ? [collection] : [])].flatMap(readCases);
const sites = cases.flatMap((one) => one.sites);
const home = mkdtempSync(join(tmpdir(), "bridge-cases-"));
const web = await startCaseWeb(sites, openAuthority(home, Date.now()));
if (!web) console.info("port 443 may not be used here: the cases are skipped");

describe.skipIf(!web)("cases from the open web", () => {
  let context: CheckContext;

  beforeAll(async () => {
    const registry = await startRegistry({
      world: { sites: 1, home },
      config: {
        BRIDGE_DNS_SERVERS: [web!.dns],
        BRIDGE_EGRESS_ALLOW: `${web!.address}/32:443`,
        BRIDGE_HTTPS_PORT: 443,
        pagesPerVisit: 8,
        webhookRetryMs: [0, 100, 100],
      },
    });
    context = { registry, web: web!, key: await givenKey(registry, "BUSINESS") };
    await registry.crawl(sites.map(({ host }) => host));
  });

  afterAll(async () => {
    await context?.registry.stop();
    await web!.close();
    rmSync(home, { recursive: true, force: true });
  });

  for (const { id, checks } of cases)
    describe(id, () => {
      checks.forEach((check, index) => {
        const name =
          "name" in check && check.name
            ? check.name
            : `${check.kind} of ${"host" in check ? check.host : index}`;
        it(name, async () => {
          expect(await runCheck(context, check)).toEqual([]);
        });
      });
    });
});
