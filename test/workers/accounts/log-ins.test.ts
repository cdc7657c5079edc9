/** Log-ins: listed with where they came from, and ended one by one. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MOST_LOG_INS } from "../../../schemas/account.ts";
import { askJson } from "../../support/json.ts";
import { createOwner, type Owner, PASSWORD } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";

let registry: TestRegistry;
let owner: Owner;
beforeAll(async () => {
  registry = await startRegistry({
    world: { sites: 1 },
    roles: ["accounts"],
    config: { BRIDGE_TRUSTED_PROXIES: ["127.0.0.1"] },
  });
  owner = createOwner(registry);
});
afterAll(() => registry?.stop());

function send(token: string | undefined, line: string, body?: unknown, from = "203.0.113.7") {
  const [method, path] = line.split(" ") as [string, string];
  return askJson(registry.url + path, { method, body, token, headers: { "x-forwarded-for": from } });
}
async function logIn(from?: string): Promise<string> {
  const credentials = { email: await owner.email(), password: PASSWORD };
  return (await send(undefined, "POST /api/auth/login", credentials, from)).body.token;
}
const listed = async (token: string) => (await send(token, "GET /api/auth/log-ins")).body.log_ins;
const isGood = async (token: string) => (await send(token, "GET /api/auth/me")).status === 200;

describe("the log-ins of an account", () => {
  it("are listed with the network that each came from, and no address", async () => {
    const here = await logIn();
    const there = await logIn("2001:db8:1:2::3");
    const log_ins = await listed(here);
    expect(log_ins.map(({ from, is_this }: any) => [from, is_this])).toEqual([
      ["2001:db8:1::/48", false],
      ["203.0.0.0/16", true],
    ]);
    expect(Date.parse(log_ins[0].expires_at) - Date.parse(log_ins[0].at)).toBe(86_400_000);
    const stored = JSON.stringify(
      await registry.runtime.broker.buckets.accounts
        .get(`id.${await owner.accountId()}`)
        .then((entry) => entry!.json()),
    );
    expect(stored).not.toMatch(/203\.0\.113\.7|2001:db8:1:2/);
    expect(await isGood(there)).toBe(true);
  });

  it("are ended one by one: another by its id, this one without", async () => {
    const [here, lost] = [await logIn(), await logIn()];
    const { log_in_id } = (await listed(lost)).find(({ is_this }: any) => is_this);
    expect((await send(here, "POST /api/auth/logout", { log_in_id })).status).toBe(200);
    expect([await isGood(here), await isGood(lost)]).toEqual([true, false]);
    expect((await send(lost, "GET /api/auth/log-ins")).body.code).toBe("authentication_required");
    expect((await listed(here)).map((each: any) => each.log_in_id)).not.toContain(log_in_id);
    expect((await send(here, "POST /api/auth/logout")).status).toBe(200);
    expect(await isGood(here)).toBe(false);
  });

  it("of another account are nobody's to end", async () => {
    const here = await logIn();
    const { log_in_id } = (await listed(here))[0];
    const foreign = await createOwner(registry).send("POST", "/api/auth/logout", { log_in_id });
    expect([foreign.status, foreign.body.code]).toEqual([404, "not_found"]);
    expect(await isGood(here)).toBe(true);
  });

  it("end all with a new password, and are counted anew", async () => {
    const before = await logIn();
    const change = { current_password: PASSWORD, new_password: PASSWORD };
    const { body } = await send(before, "POST /api/auth/password", change);
    expect(await isGood(before)).toBe(false);
    expect((await listed(body.token)).map(({ is_this }: any) => is_this)).toEqual([true]);
  });

  it("that are listed are the newest, and those beyond can still end themselves", async () => {
    const oldest = await logIn();
    const tokens = [];
    for (let i = 0; i < MOST_LOG_INS; i++) tokens.push(await logIn());
    const log_ins = await listed(tokens.at(-1)!);
    expect(log_ins).toHaveLength(MOST_LOG_INS);
    expect(await isGood(oldest)).toBe(true);
    expect((await send(oldest, "POST /api/auth/logout")).status).toBe(200);
    expect(await isGood(oldest)).toBe(false);
  });
});
