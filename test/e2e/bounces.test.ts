/** Mail that comes back by an operator's mail server: Debian's Exim, from its report to the mark on the account. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Exim, ensureExim, startExim } from "../support/exim.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";

const server = ensureExim();
const missing = "missing" in server ? ` (skipped: ${server.missing})` : "";
const MAIN = join(import.meta.dirname, "../../app/main.ts");
const PASSWORD = "correct horse battery";
const DOMAIN = "bounces.bridge.example";

describe.skipIf(missing !== "")(`a mail server${missing}`, () => {
  let next: MailServer;
  let exim: Exim;
  let registry: TestRegistry;
  beforeAll(async () => {
    if ("missing" in server) return;
    next = await startMailServer();
    const prefix = `t${randomBytes(6).toString("hex")}`;
    const settings = `BRIDGE_NATS_URL='${inject("natsUrl")}' BRIDGE_NATS_PREFIX=${prefix} BRIDGE_HOME=/nowhere`;
    exim = await startExim(server, {
      domain: DOMAIN,
      command: `env ${settings} '${process.execPath}' '${MAIN}' bounce`,
      nextPort: Number(new URL(next.url).port),
    });
    registry = await startRegistry({
      world: { sites: 1 },
      roles: ["accounts"],
      config: {
        BRIDGE_NATS_PREFIX: prefix,
        BRIDGE_SMTP_URL: exim.url,
        BRIDGE_MAIL_BOUNCES: `bounces@${DOMAIN}`,
      },
    });
  });
  afterAll(async () => {
    await registry?.stop();
    await exim?.stop();
    await next?.stop();
  });

  const stateAfter = async (code: number | undefined): Promise<() => Promise<string>> => {
    next.refuse(code);
    const email = `ada-${randomBytes(6).toString("hex")}@shop.example`;
    const { status } = await registry.postJson("/api/auth/register", {
      ...{ email, password: PASSWORD, name: "Ada" },
    });
    expect(status).toBe(201);
    return async () =>
      (await registry.postJson("/api/auth/login", { email, password: PASSWORD })).body.user.email_state;
  };

  it("that takes a mail and is refused it later has the account say that no mail arrives", async () => {
    const state = await stateAfter(550);
    await expect.poll(state, { timeout: 30_000, interval: 500 }).toBe("refused");
  });

  it("that delivers it changes nothing", async () => {
    const state = await stateAfter(undefined);
    await expect.poll(() => next.mails.length, { timeout: 20_000 }).toBe(1);
    expect(next.mails[0]!.from).toMatch(/^bounces\+[a-z2-7]{45}@bounces\.bridge\.example$/);
    expect(await state()).toBe("unproved");
  });
});
