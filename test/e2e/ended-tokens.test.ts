/** What a new password, a suspension and a closed account end: every kind of credential, over the real front. */
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { WebSocket } from "ws";
import { closeAccount, rotateTokens } from "../../app/cli/accounts.ts";
import type { Config } from "../../src/runtime/config.ts";
import { siteTokens } from "../../src/stores/issued-tokens.ts";
import { scriptSubject } from "../../workers/session/script-wire.ts";
import { enter } from "../support/agent.ts";
import { askJson } from "../support/json.ts";
import { createOperator } from "../support/operator.ts";
import { createOwner, type Owner, PASSWORD } from "../support/owner.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { asked, closeOf, startWebsocket, type TestWebsocket } from "../support/websocket.ts";

let registry: TestRegistry;
let config: Config;
/** A front's websocket that looks after its connections every 50 ms, and one that does so as seldom as in service. */
let quick: TestWebsocket;
let slow: TestWebsocket;

beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1, soundShare: 1, seed: 47 },
    roles: ["accounts", "session", "trust"],
  });
  config = { ...registry.config, BRIDGE_NATS_URL: inject("natsUrl") };
  quick = await startWebsocket(registry.runtime, { limits: { pingEveryMs: 50 } });
  slow = await startWebsocket(registry.runtime);
});
afterAll(async () => {
  quick?.stop();
  slow?.stop();
  await registry?.stop();
});

async function quietly(command: () => Promise<void>): Promise<void> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await command().finally(() => write.mockRestore());
}
const suspended = async (owner: Owner, remove = false) =>
  createOperator(config).suspend(await owner.email(), !remove);

const statusWith = async (token: string, method: string, path: string, body?: object) =>
  (await askJson(registry.url + path, { method, body, token })).status;

/** What the front's websocket says to a token. */
async function joins(token: string): Promise<string> {
  const socket = new WebSocket(`${registry.url.replace("http", "ws")}/ws`);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const { type, code } = await asked(socket, { type: "auth", token });
  socket.terminate();
  return type === "auth_success" ? "joined" : code;
}

/** An account with one of everything that opens something. */
async function holder() {
  const owner = createOwner(registry);
  const license = await owner.license();
  const login = await owner.token();
  const project = await owner.project();
  const made = await owner.send("POST", "/api/v1/keys/generate", {
    plan: "FREE",
    owner: "Ada",
    email: "ada@shop.example",
  });
  const apiKey: string = made.body.key;
  const { body } = await owner.send("POST", "/api/bridge/site-token", { siteId: license.siteId });
  const site: string = body.token;
  const session = (await enter(registry.url, license.key)).token;
  /** Which of them still open what they are for. */
  const open = async () => ({
    login: (await statusWith(login, "GET", "/api/auth/me")) === 200,
    site: await joins(site),
    session: (await statusWith(session, "GET", "/api/bridge/actions")) === 200,
    sessionOnWebsocket: await joins(session),
    license:
      (
        await registry.postJson("/api/license/verify", {
          licenseKey: license.key,
          domain: license.siteId,
        })
      ).status === 200,
    project:
      (await statusWith(project.key, "POST", "/api/ring4/log", {
        project_id: project.id,
        event_type: "recognize",
        outcome: "success",
      })) === 200,
    apiKey: (await statusWith(apiKey, "POST", "/api/v1/keys/validate")) === 200,
  });
  return { owner, license, login, site, session, open };
}

const EVERYTHING = {
  login: true,
  site: "joined",
  session: true,
  sessionOnWebsocket: "joined",
  license: true,
  project: true,
  apiKey: true,
};
const NOTHING = {
  login: false,
  site: "authentication_required",
  session: false,
  sessionOnWebsocket: "authentication_required",
  license: false,
  project: false,
  apiKey: false,
};

describe("a new password", () => {
  it("ends log-ins and sites' tokens; licenses, their sessions and keys go on", async () => {
    const { owner, open } = await holder();
    expect(await open()).toEqual(EVERYTHING);
    expect((await renewed(owner)).status).toBe(200);
    expect(await open()).toEqual({ ...EVERYTHING, login: false, site: "authentication_required" });
  });

  const renewed = (owner: Owner) =>
    owner.send("POST", "/api/auth/password", {
      current_password: PASSWORD,
      new_password: "another long password",
    });

  it("closes a site's open connection within a beat", async () => {
    const { owner, site } = await holder();
    const closed = closeOf(await quick.joined(site));
    await renewed(owner);
    expect(await closed).toBe(4401);
  });

  it("keeps sessions' contexts from a site's open connection, also before the next beat", async () => {
    const { owner, license, site } = await holder();
    const socket = await slow.joined(site);
    const heard: string[] = [];
    socket.on("message", (data) => heard.push(data.toString()));
    await renewed(owner);
    const { connection, prefix } = registry.runtime.broker;
    const answer = await connection.request(
      `${prefix}.${scriptSubject(license.siteId)}`,
      '{"type":"execute","action":"x","context":{"card":"4111"},"url":null}',
      { timeout: 5_000 },
    );
    expect(answer.json<any>().result.error.message).toBe("The site's script has left.");
    // What had been sent before the answer to a ping would have come by then.
    expect((await asked(socket, { type: "ping" })).type).toBe("ping");
    expect(heard.filter((text) => text.includes("4111"))).toEqual([]);
    socket.terminate();
  });
});

describe("a suspension", () => {
  it("ends everything that an account opened; lifted, licenses and keys go on and old tokens do not", async () => {
    const { owner, open } = await holder();
    await suspended(owner);
    expect(await open()).toEqual(NOTHING);
    await suspended(owner, true);
    expect(await open()).toEqual({ ...EVERYTHING, login: false, site: "authentication_required" });
  });

  it("closes open connections within a beat", async () => {
    const { owner, site, session } = await holder();
    const sockets = [await quick.joined(site), await quick.joined(session)];
    const closed = Promise.all(sockets.map(closeOf));
    await suspended(owner);
    expect(await closed).toEqual([4401, 4401]);
  });
});

describe("a closed account", () => {
  it("leaves nothing open", async () => {
    const { owner, open } = await holder();
    const email = await owner.email();
    await quietly(() => closeAccount(config, email));
    expect(await open()).toEqual(NOTHING);
  });
});

describe("a license", () => {
  it("that is revoked or replaced takes its sessions along, those that wait on the websocket too", async () => {
    for (const what of ["revoke", "rotate"]) {
      const { owner, license, session } = await holder();
      const socket = await quick.joined(session);
      const closed = closeOf(socket);
      const path = `/api/account/keys/${license.id}/${what}`;
      expect((await owner.send("POST", path, {})).status).toBeLessThan(300);
      expect([what, await closed, await joins(session)]).toEqual([what, 4401, "authentication_required"]);
    }
  });
});

describe("a site", () => {
  it("that is given up takes its tokens and sessions along", async () => {
    const { owner, license, open } = await holder();
    expect((await owner.send("DELETE", `/api/account/sites/${license.siteId}`)).status).toBe(200);
    expect(await open()).toEqual({
      ...NOTHING,
      login: true,
      project: true,
      apiKey: true,
    });
  });
});

describe("tokens", () => {
  it("of sites turn their keys with the others: at once ends them", async () => {
    const { site } = await holder();
    expect(await joins(site)).toBe("joined");
    await quietly(() => rotateTokens(config, { atOnce: true }));
    // Each process remembers keys for half a minute: this one is told by a reader that remembers none.
    expect(await siteTokens(registry.runtime).read(site)).toBeUndefined();
  });
});
