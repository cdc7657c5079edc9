import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MOST_KEYS } from "../../../schemas/key.ts";
import { defaultConfiguration } from "../../../src/domain/listing/site-configuration.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { changeAccount } from "../../../src/stores/accounts.ts";
import { findLicense } from "../../../src/stores/licenses.ts";
import { keys } from "../../../workers/keys/contract.ts";
import { type Rig, startRig } from "./rig.ts";

let rig: Rig;
let other: Rig;
beforeAll(async () => {
  rig = await startRig();
  other = await startRig(rig);
});
afterAll(async () => {
  await rig?.stop();
  await other?.stop();
});

function ok<T>(result: T): Exclude<T, Failure> {
  if (result instanceof Failure) throw new Error(`${result.code}: ${result.detail}`);
  return result as Exclude<T, Failure>;
}
const codeOf = (result: unknown) => (result instanceof Failure ? result.code : "success");
const blank = { params: undefined, query: undefined, body: undefined };

async function owner() {
  rig.pass(60_000);
  const reply: any = ok(await rig.register(`${uuidv7()}@shop.example`));
  return rig.as(reply.user.id);
}
type Holder = Awaited<ReturnType<typeof owner>>;

/** A site as if the account had proved it. */
async function siteOf({ principal: { accountId } }: Holder, siteId = `${uuidv7()}.example`) {
  await changeAccount(rig.deps.store, accountId, (account) => ({
    ...account,
    sites: [...account.sites, siteId],
  }));
  await rig.deps.store.sites.put(hostKey(siteId), {
    v: 1,
    siteId,
    accountId,
    provedAt: "2026-01-20T12:00:00.000Z",
    configuration: defaultConfiguration(),
  });
  return siteId;
}
const issue = async (holder: Holder, siteId: string, expires_in_days?: number): Promise<any> =>
  ok(
    await rig.keys.issueKey(
      { ...blank, body: { kind: "license", siteId, ...(expires_in_days && { expires_in_days }) } },
      holder,
    ),
  );
const verify = (licenseKey: string, domain: string) =>
  rig.handlers.verifyLicense(
    { ...blank, body: { licenseKey, domain } },
    { ...rig.as(""), principal: undefined },
  );
const find = (key: string) => findLicense(rig.deps.store, key, rig.deps.now());

describe("a license", () => {
  it("opens its own domain, however that is written, and no other", async () => {
    const holder = await owner();
    const siteId = await siteOf(holder);
    const second = await siteOf(holder);
    const { key: license_key } = await issue(holder, siteId);
    expect(await verify(license_key, `${siteId.toUpperCase()}.`)).toMatchObject({
      valid: true,
      tier: "free",
      domain: siteId,
      configuration: { permissions: { readContent: true } },
    });
    expect(codeOf(await verify(license_key, `https://${siteId}:8443/basket?x=1`))).toBe("success");
    for (const domain of [
      second,
      `www.${siteId}`,
      `${siteId}.evil.example`,
      `https://evil.example/${siteId}`,
    ])
      expect(codeOf(await verify(license_key, domain)), domain).toBe("license_invalid");
    for (const domain of ["example", "", "not a domain", `ftp://${siteId}`, `ada@${siteId}`])
      expect(codeOf(await verify(license_key, domain)), domain).toBe("invalid_domain");
  });

  it("ends when its owner says, by `expires_at` too", async () => {
    const holder = await owner();
    const siteId = await siteOf(holder);
    const at = rig.deps.now();
    const create = (body: object): Promise<any> =>
      rig.keys.issueKey({ ...blank, body: { kind: "license", siteId, ...body } }, holder);
    const ending = new Date(at + 3_600_000).toISOString();
    const written = ending.replace("Z", "+00:00");
    const issued = ok(await create({ expires_at: written }));
    expect(ok(await rig.keys.listKeys(blank, holder))).toMatchObject({
      licenses: [{ license_id: issued.key_id, expires_at: ending, state: "active" }],
    });
    expect(codeOf(await verify(issued.key, siteId))).toBe("success");
    rig.pass(3_600_000);
    expect(codeOf(await verify(issued.key, siteId))).toBe("license_invalid");
    for (const refused of [
      { expires_at: ending },
      { expires_at: "1970-01-01T00:00:00Z" },
      { expires_at: "9999-12-31T23:59:59Z" },
      { expires_at: new Date(at + 7_200_000).toISOString(), expires_in_days: 1 },
    ])
      expect(await create(refused), JSON.stringify(refused)).toMatchObject({
        code: "invalid_time",
        errors: [{ pointer: "/body/expires_at" }],
      });
    const body = keys.operations.issueKey.body;
    for (const expires_at of ["tomorrow", "2027-01-31", "2027-02-30T00:00:00Z", 1_900_000_000, ""])
      expect(body.safeParse({ kind: "license", siteId, expires_at }).success, String(expires_at)).toBe(false);
  });

  it("is refused with what belongs to another kind, or without what its own needs", async () => {
    const holder = await owner();
    const siteId = await siteOf(holder);
    for (const [member, body] of [
      ["siteId", { kind: "license" }],
      ["name", { kind: "agent" }],
      ["siteId", { kind: "agent", name: "helper", siteId }],
      ["expires_in_days", { kind: "project", name: "log", expires_in_days: 3 }],
    ] as const)
      expect(await rig.keys.issueKey({ ...blank, body: body as any }, holder)).toMatchObject({
        code: "invalid_request",
        errors: [{ pointer: `/body/${member}` }],
      });
  });

  it("that is unknown, expired, revoked or another's gets one answer", async () => {
    const holder = await owner();
    const siteId = await siteOf(holder);
    const expiring = await issue(holder, siteId, 1);
    const revoked = await issue(holder, siteId);
    const params = { keyId: revoked.key_id };
    ok(await rig.keys.revokeListedKey({ ...blank, params }, holder));
    expect(codeOf(await verify(expiring.key, siteId))).toBe("success");
    rig.pass(86_400_000);
    const answers = [
      await verify(expiring.key, siteId),
      await verify(revoked.key, siteId),
      await verify(expiring.key, "shop.example"),
      await verify("bridge_lic_x", siteId),
    ];
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(codeOf(answers[0])).toBe("license_invalid");
    const listed: any = ok(await rig.keys.listKeys(blank, holder));
    expect(listed.licenses).toMatchObject([{ license_id: expiring.key_id, state: "expired" }]);
  });

  it.each(["", "x", "bridge_lic_", `bridge_lic_${"x".repeat(10_000)}`, "BRIDGE_LIC_5KT9"])(
    "is not %s",
    async (key) => {
      expect(await find(key)).toBeUndefined();
    },
  );

  it("is kept as a hash alone", async () => {
    const holder = await owner();
    const { key: license_key } = await issue(holder, await siteOf(holder));
    const secret = license_key.slice("bridge_lic_".length + 6);
    let read = 0;
    for (const bucket of Object.values(rig.broker.buckets))
      for await (const key of await bucket.keys()) {
        read++;
        expect(`${key} ${(await bucket.get(key))?.text()}`).not.toContain(secret);
      }
    expect(read).toBeGreaterThan(4);
  });

  it("is rotated in one step, after which the old key opens nothing", async () => {
    const holder = await owner();
    const siteId = await siteOf(holder);
    const first = await issue(holder, siteId);
    const params = { keyId: first.key_id };
    const second: any = ok(await rig.keys.rotateListedKey({ ...blank, params }, holder));
    expect(second).toMatchObject({ key_id: first.key_id, kind: "license" });
    expect(await find(first.key)).toBeUndefined();
    expect(await find(second.key)).toMatchObject({ licenseId: first.key_id, siteId });
  });

  it("has one key after many rotations at once", async () => {
    const holder = await owner();
    const first = await issue(holder, await siteOf(holder));
    const input = { ...blank, params: { keyId: first.key_id } };
    const replies: any[] = (
      await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? rig : other).keys.rotateListedKey(input, holder)),
      )
    ).map(ok);
    const found = await Promise.all([first.key, ...replies.map(({ key }) => key)].map(find));
    expect(found.filter((license) => license !== undefined)).toHaveLength(1);
  });

  it("is of a site of the account; nobody else can list, rotate or revoke it", async () => {
    const holder = await owner();
    const stranger = await owner();
    const siteId = await siteOf(holder);
    const { key_id: license_id, key: license_key } = await issue(holder, siteId);
    const input = { ...blank, params: { keyId: license_id } };
    const create = { ...blank, body: { kind: "license" as const, siteId } };
    expect(codeOf(await rig.keys.issueKey(create, stranger))).toBe("not_found");
    expect(codeOf(await rig.keys.rotateListedKey(input, stranger))).toBe("not_found");
    expect(codeOf(await rig.keys.revokeListedKey(input, stranger))).toBe("not_found");
    expect(ok(await rig.keys.listKeys(blank, stranger))).toMatchObject({ licenses: [] });
    expect(await find(license_key)).toBeDefined();
  });

  it("ends with its site, and does not come back with it", async () => {
    const holder = await owner();
    const siteId = await siteOf(holder);
    const { key: license_key } = await issue(holder, siteId);
    const input = { params: { siteId }, query: { unlist: false }, body: undefined };
    ok(await rig.handlers.removeSite(input, holder));
    expect(await find(license_key)).toBeUndefined();
    await siteOf(holder, siteId);
    expect(await find(license_key)).toBeUndefined();
    // Nor does one that an account still lists for a site that is another's now.
    const sold = await siteOf(holder);
    const { key } = await issue(holder, sold);
    await siteOf(await owner(), sold);
    expect(await find(key)).toBeUndefined();
  });

  it("gives what the owner configured, as of now", async () => {
    const holder = await owner();
    const siteId = await siteOf(holder);
    const { key: license_key } = await issue(holder, siteId);
    const configure = (body: object) =>
      rig.handlers.configureSite({ params: { siteId }, query: undefined, body }, holder);
    ok(await configure({ permissions: { fillForms: true }, restrictions: { denied_paths: ["/admin"] } }));
    ok(await configure({ restrictions: { denied_commands: ["submit"] }, features: ["beta"] }));
    expect((await find(license_key))!.configuration).toMatchObject({
      permissions: { fillForms: true, click: true, automatedLogin: false },
      restrictions: { denied_paths: ["/admin"], denied_commands: ["submit"] },
      logging: { level: "errors" },
      features: ["beta"],
    });
    const stranger = await owner();
    const input = { params: { siteId }, query: undefined, body: { permissions: { click: false } } };
    expect(codeOf(await rig.handlers.configureSite(input, stranger))).toBe("not_found");
  });

  it("keeps both of two changes of a configuration that come at once", async () => {
    const holder = await owner();
    const siteId = await siteOf(holder);
    const names = ["fillForms", "apiAccess", "automatedLogin", "extractData"] as const;
    await Promise.all(
      names.map(async (name, i) =>
        ok(
          await (i % 2 ? rig : other).handlers.configureSite(
            { params: { siteId }, query: undefined, body: { permissions: { [name]: true } } },
            holder,
          ),
        ),
      ),
    );
    const record = (await rig.deps.store.site(siteId))!.value.configuration.permissions;
    expect(Object.values(record)).toEqual(Array(8).fill(true));
  });
});

describe("a project's key", () => {
  const create = async (holder: Holder): Promise<any> =>
    ok(await rig.keys.issueKey({ ...blank, body: { kind: "project", name: "travel agent" } }, holder));

  it("names its project, until it is rotated or revoked", async () => {
    const holder = await owner();
    const first = await create(holder);
    const principal = {
      kind: "project",
      projectId: first.key_id,
      accountId: holder.principal.accountId,
    };
    expect(await rig.project.identify(first.key)).toEqual(principal);
    const input = { ...blank, params: { keyId: first.key_id } };
    const second: any = ok(await rig.keys.rotateListedKey(input, holder));
    expect(await rig.project.identify(first.key)).toBeUndefined();
    expect(await other.project.identify(second.key)).toEqual(principal);
    ok(await rig.keys.revokeListedKey(input, holder));
    expect(await rig.project.identify(second.key)).toBeUndefined();
    expect(codeOf(await rig.keys.rotateListedKey(input, holder))).toBe("not_found");
  });

  it("is no license, and no license is one; neither is a token", async () => {
    const holder = await owner();
    const { key: project_key } = await create(holder);
    const { key: license_key } = await issue(holder, await siteOf(holder));
    expect(await find(project_key)).toBeUndefined();
    expect(await rig.project.identify(license_key)).toBeUndefined();
    expect(await rig.account.identify(license_key)).toBeUndefined();
    const mistyped = project_key.slice(0, -1) + (project_key.endsWith("a") ? "b" : "a");
    expect(await rig.project.identify(mistyped)).toBeUndefined();
  });

  it("is one of at most a hundred, also when they are asked for at once", async () => {
    const holder = await owner();
    const body = { kind: "project" as const, name: "one of many" };
    const results = [];
    for (let batch = 0; batch < 11; batch++)
      results.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, (_, i) =>
            (i % 2 ? rig : other).keys.issueKey({ ...blank, body }, holder),
          ),
        )),
      );
    expect(results.filter((result) => !(result instanceof Failure))).toHaveLength(MOST_KEYS.project);
    expect(codeOf(results.at(-1))).toBe("plan_limit");
    const stored = (await rig.deps.store.account(holder.principal.accountId))!.value.keys;
    expect(new Set(stored.map(({ id }) => id)).size).toBe(MOST_KEYS.project);
  });
});
