/** Mails to account holders, through a real mail server, from the HTTP request to the link's use. */
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { accountKey } from "../../src/stores/accounts.ts";
import { askJson } from "../support/json.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

let server: MailServer;
let registry: TestRegistry;
beforeAll(async () => {
  server = await startMailServer();
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["accounts"],
    config: {
      BRIDGE_SMTP_URL: server.url,
      BRIDGE_MAIL_FROM: "Registry <registry@bridge.example>",
      BRIDGE_TRUSTED_PROXIES: ["127.0.0.1"],
    },
  });
});
afterAll(async () => {
  await registry?.stop();
  await server?.stop();
});

/** Each test calls from a network of its own: mails that one network asks for are limited by the minute. */
let networks = 0;
beforeEach(() => {
  networks++;
});

const PASSWORD = "correct horse battery";
const SOON = { timeout: 20_000, interval: 25 };
async function post(path: string, body: unknown, token?: string) {
  const { headers: _, ...reply } = await askJson(registry.url + path, {
    body,
    token,
    headers: { "x-forwarded-for": `100.${64 + networks}.0.1` },
  });
  return reply;
}

const newAddress = () => `ada-${randomBytes(6).toString("hex")}@shop.example`;
async function register() {
  const email = newAddress();
  const { status } = await post("/api/auth/register", { email, password: PASSWORD, name: "Ada" });
  expect(status).toBe(201);
  return email;
}
const logIn = (email: string, password = PASSWORD) => post("/api/auth/login", { email, password });
const mailsTo = (email: string) => server.mails.filter(({ to }) => to.includes(email));
/** The newest mail to an address of this subject. */
async function mailTo(email: string, subject: string) {
  const find = () => mailsTo(email).findLast(({ source }) => source.includes(`Subject: ${subject}`));
  await expect.poll(find, SOON).toBeDefined();
  return find()!;
}
const tokenIn = (text: string): string => /\?token=(\S+)/.exec(text)![1]!;
const stateOf = async (email: string, password = PASSWORD): Promise<string> =>
  (await logIn(email, password)).body.user.email_state;

describe("a new account", () => {
  it("is mailed a link that proves its address, by its program's name and for no answer", async () => {
    const email = await register();
    const { source, text } = await mailTo(email, "Confirm your e-mail address");
    expect(source).toMatch(/^From: Registry <registry@bridge\.example>\r$/m);
    expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(source).toMatch(/^Message-ID: <[0-9a-f-]{36}@bridge\.example>\r$/m);
    expect(text).toContain(`${registry.runtime.publicUrl}/account/email?token=`);
    expect(await stateOf(email)).toBe("unproved");
    const token = tokenIn(text);
    expect(await post("/api/auth/email", { token })).toEqual({ status: 200, body: { email, proved: true } });
    expect(await stateOf(email)).toBe("proved");
  });

  it("can have the link mailed again, a few times", async () => {
    const email = await register();
    const { token } = (await logIn(email)).body;
    const asked = await post("/api/auth/email/proof", {}, token);
    expect(asked).toMatchObject({ status: 200, body: { sent_to: email } });
    await expect.poll(() => mailsTo(email).length, SOON).toBe(2);
    const statuses = new Set<number>();
    for (let at = 0; at < 4; at++) statuses.add((await post("/api/auth/email/proof", {}, token)).status);
    expect(statuses).toContain(429);
    expect((await post("/api/auth/email/proof", {})).status).toBe(401);
  });
});

describe("a link", () => {
  it.each([
    "",
    "x",
    "0192f0c4-0000-7000-8000-000000000000.9999999999.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  ])("of nonsense (%j) proves nothing and sets no password", async (token) => {
    const [proof, reset] = await Promise.all([
      post("/api/auth/email", { token }),
      post("/api/auth/password/reset", { token, new_password: PASSWORD }),
    ]);
    for (const { status, body } of [proof, reset]) {
      expect([400, 403]).toContain(status);
      expect(["invalid_request", "link_invalid"]).toContain(body.code);
    }
  });

  it("holds for its own use, its own account and whole alone", async () => {
    const [email, other] = [await register(), await register()];
    const token = tokenIn((await mailTo(email, "Confirm your e-mail address")).text);
    const foreign = tokenIn((await mailTo(other, "Confirm your e-mail address")).text);
    const [id, until, mac] = token.split(".") as [string, string, string];
    const [otherId] = foreign.split(".") as [string];
    for (const wrong of [
      `${otherId}.${until}.${mac}`,
      `${id}.${Number(until) + 1}.${mac}`,
      `${id}.${until}.${foreign.split(".")[2]}`,
    ])
      expect((await post("/api/auth/email", { token: wrong })).body.code).toBe("link_invalid");
    const reset = await post("/api/auth/password/reset", { token, new_password: "another password" });
    expect(reset.body.code).toBe("link_invalid");
    expect((await post("/api/auth/email", { token })).status).toBe(200);
  });
});

describe("a forgotten password", () => {
  it("is replaced by a mailed link, once; old log-ins end, and the holder is told", async () => {
    const email = await register();
    const { token: login } = (await logIn(email)).body;
    expect(await post("/api/auth/password/link", { email: email.toUpperCase() })).toEqual({
      status: 200,
      body: { accepted: true },
    });
    const token = tokenIn((await mailTo(email, "Choose a new password")).text);
    const change = (new_password: string) => post("/api/auth/password/reset", { token, new_password });
    expect((await change("short")).status).toBe(400);
    expect(await change("battery staple horse")).toEqual({ status: 200, body: { email, changed: true } });
    expect((await change("one more password")).body.code).toBe("link_invalid");
    expect((await logIn(email)).status).toBe(401);
    expect(await stateOf(email, "battery staple horse")).toBe("proved");
    const me = await fetch(`${registry.url}/api/auth/me`, { headers: { authorization: `Bearer ${login}` } });
    expect(me.status).toBe(401);
    await mailTo(email, "Your password was changed");
  });

  it("says the same of an address without an account, and mails nothing there", async () => {
    const email = newAddress();
    expect(await post("/api/auth/password/link", { email })).toEqual({
      status: 200,
      body: { accepted: true },
    });
    const known = await register();
    await post("/api/auth/password/link", { email: known });
    await mailTo(known, "Choose a new password");
    expect(mailsTo(email)).toEqual([]);
  });
});

describe("an address that nobody proved", () => {
  it("gets few mails, however often an account is opened with it and closed", async () => {
    const email = newAddress();
    for (let i = 0; i < 6; i++) {
      expect((await post("/api/auth/register", { email, password: PASSWORD, name: "Ada" })).status).toBe(201);
      const token = (await logIn(email)).body.token as string;
      expect((await post("/api/account/close", { password: PASSWORD }, token)).status).toBe(200);
    }
    await mailTo(email, "Confirm your e-mail address");
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Three a minute, and a minute may end meanwhile; twelve were asked for.
    expect(mailsTo(email).length).toBeLessThanOrEqual(6);
  }, 60_000);
});

describe("a proved address", () => {
  const proved = async (): Promise<string> => {
    const email = await register();
    const token = tokenIn((await mailTo(email, "Confirm your e-mail address")).text);
    expect((await post("/api/auth/email", { token })).status).toBe(200);
    return email;
  };

  it("hears that the password was changed, though strangers used up what can be asked for", async () => {
    const email = await proved();
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push((await post("/api/auth/password/link", { email })).status);
    expect(statuses).toContain(429);
    const token = tokenIn((await mailTo(email, "Choose a new password")).text);
    await post("/api/auth/password/reset", { token, new_password: "battery staple correct" });
    await mailTo(email, "Your password was changed");
  }, 60_000);

  it("hears that a site is another account's now, and that another claimed one", async () => {
    const { host } = await registry.world.add("sound");
    const [seller, buyer] = [await proved(), await proved()];
    const tokenOf = async (email: string): Promise<string> => (await logIn(email)).body.token;
    const [sellers, buyers] = [await tokenOf(seller), await tokenOf(buyer)];
    const recordOf = async (token: string): Promise<string> =>
      (await askJson(`${registry.url}/api/account/sites/challenge?domain=${host}`, { token })).body.records[0]
        .value;
    const [sold, bought] = [await recordOf(sellers), await recordOf(buyers)];
    const publish = async (...ownerTxt: string[]) => {
      await registry.world.set(host, { ownerTxt });
      await new Promise((resolve) => setTimeout(resolve, 3_100));
    };
    await publish(sold);
    expect((await post("/api/account/sites", { domain: host }, sellers)).status).toBe(200);
    await publish(sold, bought);
    expect((await post("/api/account/sites", { domain: host }, buyers)).status).toBe(409);
    expect((await post("/api/account/sites", { domain: host }, buyers)).status).toBe(409);
    await mailTo(seller, `Another account claims ${host}`);
    await publish(bought);
    expect((await post("/api/account/sites", { domain: host }, buyers)).status).toBe(200);
    await mailTo(seller, `${host} is another account's now`);
    expect(mailsTo(seller).filter(({ source }) => source.includes("Another account claims"))).toHaveLength(1);
  }, 60_000);
});

describe("a mail server", () => {
  it("that is busy is asked again; what it takes in the end is sent once", async () => {
    server.refuse(451);
    const email = await register();
    const waiting = async () =>
      (await registry.runtime.broker.jsm.streams.info(`${registry.config.BRIDGE_NATS_PREFIX}_MAIL`)).state
        .messages;
    await expect.poll(waiting, SOON).toBe(1);
    await expect
      .poll(
        async () => (await registry.metrics.text()).match(/bridge_mails_total\{outcome="again"\} (\d+)/)?.[1],
        SOON,
      )
      .toBeDefined();
    server.refuse(undefined);
    expect(mailsTo(email)).toEqual([]);
    // It is tried again after a minute; here it is made due.
    const { broker } = registry.runtime;
    const stream = `${registry.config.BRIDGE_NATS_PREFIX}_MAIL`;
    const last_by_subj = `${registry.config.BRIDGE_NATS_PREFIX}.mail.*.sched`;
    const scheduled = () => broker.jsm.streams.getMessage(stream, { last_by_subj });
    // It is counted before it is put back.
    await expect.poll(scheduled, SOON).not.toBeNull();
    const { subject, data } = (await scheduled())!;
    await broker.js.publish(subject.replace(/sched$/, "due"), data);
    await mailTo(email, "Confirm your e-mail address");
    expect(mailsTo(email)).toHaveLength(1);
  });

  it("that knows no such address has the account say so, until a link from there is followed", async () => {
    server.refuse(550);
    const email = await register();
    await expect.poll(() => stateOf(email), SOON).toBe("refused");
    server.refuse(undefined);
    const { token } = (await logIn(email)).body;
    expect((await post("/api/auth/email/proof", {}, token)).status).toBe(200);
    const proof = tokenIn((await mailTo(email, "Confirm your e-mail address")).text);
    expect((await post("/api/auth/email", { token: proof })).status).toBe(200);
    expect(await stateOf(email)).toBe("proved");
    const { user } = (await logIn(email)).body;
    const { value } = (await registry.runtime.broker.buckets.accounts.get(accountKey(user.id))) as any;
    expect(JSON.parse(Buffer.from(value).toString()).emailRefusedAt).toBeUndefined();
  });
});

describe("a registry without a mail server", () => {
  it("says so, whether or not there is such an account", async () => {
    const silent = await startRegistry({ join: registry, ownPrefix: true, roles: ["accounts"] });
    try {
      const { status, body } = await silent.postJson("/api/auth/password/link", { email: newAddress() });
      expect([status, body.code]).toEqual([503, "mail_unavailable"]);
    } finally {
      await silent.stop();
    }
  });
});
