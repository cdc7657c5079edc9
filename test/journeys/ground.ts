/** What the journeys and the table of pages find: a registry over a synthetic web where something waits for everybody. */
import { grantRole } from "../../app/cli/operators.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import { openRecords } from "../../src/stores/records.ts";
import { DeadLetter } from "../../workers/crawler/contract.ts";
import { AGENT_KINDS } from "../../world/agent-web/sites.ts";
import { startChromium } from "../support/chromium.ts";
import { createOwner } from "../support/owner.ts";
import { startRegistry } from "../support/registry.ts";
import { givenAccountKey, givenFullAccount } from "../support/visitor.ts";
import type { Ground } from "./journey.ts";
import { isWriting } from "./pictures.ts";

export const HOLDER = {
  name: "Grace Hopper",
  email: "grace@people.example",
  password: "correct horse battery",
};

/** A report, a dead letter and a plan wait for the operator; one site is open to agents, and one account has something of everything. */
export async function prepareGround(): Promise<Ground & { siteId: string; stop(): Promise<void> }> {
  const registry = await startRegistry({
    threads: true,
    // A picture shows a directory that has something to find.
    world: { sites: isWriting ? 60 : 12, soundShare: 0.8, agentSites: AGENT_KINDS, negativeTtlSeconds: 2 },
  });
  const { buckets, now } = registry.runtime.broker;
  await registry.crawl();
  const owner = createOwner(registry);
  const open = await owner.provedHost();
  await owner.send("POST", "/api/account/sites", { domain: open });
  await owner.send("PATCH", `/api/account/sites/${open}`, { access: "open" });
  await owner.send("PUT", "/api/account/plan", { tier: "pro", note: "For the spring sale; invoice, please" });
  const listed = registry.world.hosts.find(({ kind }) => kind === "sound")!.host;
  const broken = registry.world.hosts.find(({ kind }) => kind !== "sound")?.host ?? listed;
  await openRecords(buckets.dead_letters, DeadLetter).put(hostKey(broken), {
    v: 1,
    host: broken,
    at: new Date(now()).toISOString(),
    deliveries: 5,
    error: "the thread that read a page was ended after 10 s",
  });
  await fetch(`${registry.url}/api/v1/bounty/report`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${await givenAccountKey(registry, "FREE")}`,
      "content-type": "application/json",
    },
    body: JSON.stringify({ url: `https://${listed}/`, kind: "other", description: "Advertises as a test" }),
  });
  await registry.postJson("/api/auth/register", HOLDER);
  const { siteId } = await givenFullAccount(registry, HOLDER.email);
  await registry.settled();
  const operator = await grantRole(registry.runtime.broker, "ops@registry.example", "admin");
  const browser = await startChromium();
  const stop = async () => {
    await browser.close();
    await registry.stop();
  };
  return { registry, browser, listed, unlisted: broken, operator, accused: listed, siteId, stop };
}
