import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { issueSiteToken, siteTokens } from "../../../src/stores/issued-tokens.ts";
import { scriptSubject } from "../../../workers/session/script-wire.ts";
import { enter } from "../../support/agent.ts";
import { makeLicense, type TestLicense } from "../../support/license.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { closeOf, startWebsocket, type TestWebsocket } from "../../support/websocket.ts";

/** Their real values are measured in websocket-limits.test.ts. */
const SHORT = { pingEveryMs: 50, scriptTimeoutMs: 150, asked: 1 };

let registry: TestRegistry;
let websocket: TestWebsocket;
let site: string;
let license: TestLicense;
let token: string;

beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1, soundShare: 1 }, roles: ["session"] });
  site = registry.world.hosts[0]!.host;
  license = await makeLicense(registry.runtime.broker, site);
  token = (await enter(registry.url, license.key)).token;
  websocket = await startWebsocket(registry.runtime, { limits: SHORT });
});
afterAll(async () => {
  websocket?.stop();
  await registry?.stop();
});

describe("the websocket's limits", () => {
  it("answer for a site's script that is slow, busy or gone", async () => {
    const { connection, prefix } = registry.runtime.broker;
    const tokens = siteTokens(registry.runtime);
    const script = await websocket.joined(await issueSiteToken(tokens, site, license));
    const ask = async () =>
      (
        await connection.request(
          `${prefix}.${scriptSubject(site)}`,
          '{"type":"execute","action":"x","url":null}',
          {
            timeout: 2_000,
          },
        )
      ).json<any>();
    const [slow, busy] = await Promise.all([ask(), ask()]);
    expect([slow, busy].map(({ result }) => result.error.message).sort()).toEqual([
      "The site's script did not answer in time.",
      "The site's script is at its limit.",
    ]);
    script.once("message", () => script.close());
    expect((await ask()).result.error).toMatchObject({
      code: "script_failed",
      message: "The site's script has left.",
    });
  });

  it("end a session's connection once its license is revoked, and a site's once it changes hands", async () => {
    const tokens = siteTokens(registry.runtime);
    const script = await websocket.joined(await issueSiteToken(tokens, site, license));
    const agent = await websocket.joined(token);
    // Before its end: a heartbeat may close either as soon as the site's record is another's.
    const closed = Promise.all([closeOf(script), closeOf(agent)]);
    license = await makeLicense(registry.runtime.broker, site);
    agent.send(JSON.stringify({ type: "execute", action: "read" }));
    expect(await closed).toEqual([4401, 4401]);
  });
});
