/** An account's pages, as a browser without script uses them: the cookie, who may send which form, and what the replies do not tell. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogIns } from "../../app/front/people/log-in.ts";
import { PAGES } from "../../app/pages/table.ts";
import { accounts } from "../../workers/accounts/contract.ts";
import { createPerson, type Person } from "../support/person.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { givenOpenedSite } from "../support/visitor.ts";

const PASSWORD = "correct horse battery";
/** An id that nothing has: a form that is taken then says so. */
const NOTHING = "01980000-0000-7000-8000-000000000000";

let registry: TestRegistry;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 1 }, roles: ["accounts", "session", "protocol"] });
});
afterAll(() => registry?.stop());

async function signedUp(person = createPerson(registry.url)) {
  const email = `${randomUUID()}@people.example`;
  await person.post("/account/sign-up", { email, password: PASSWORD, name: "Ada" });
  return { person, email };
}
async function loggedIn() {
  const { person, email } = await signedUp();
  await person.post("/account/log-in", { email, password: PASSWORD });
  return { person, email };
}
const token = (person: Person) => ({ authorization: `Bearer ${person.cookie().split("=")[1]}` });
async function asAccount(person: Person, path: string, init: RequestInit = {}) {
  const headers = { ...token(person), "content-type": "application/json" };
  return (await fetch(registry.url + path, { ...init, headers })).json() as Promise<any>;
}

describe("a log-in by page", () => {
  it.concurrent("gives a cookie that no script reads and no other site sends, and leads to the account", async () => {
    const { person, email } = await signedUp();
    const page = await person.get("/account/log-in");
    expect(page.cookie).toBeNull();
    const reply = await person.post("/account/log-in", { email, password: PASSWORD });
    expect([reply.status, reply.location]).toEqual([303, "/account"]);
    expect(reply.cookie).toMatch(/^bridge-login=[\w.-]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(reply.headers.get("cache-control")).toBe("no-store");
    const account = await person.get("/account");
    expect([account.status, account.cookie, account.headers.get("cache-control")]).toEqual([
      200,
      null,
      "no-store",
    ]);
    expect(account.headers.get("access-control-allow-origin")).toBeNull();
    expect(account.text).toContain(email);
  });

  it.concurrent("has a name that other hosts cannot set, where browsers come by https", async () => {
    const set: string[] = [];
    const reply = { header: (_: string, value: string) => set.push(value) } as never;
    createLogIns({
      name: "bridge-login",
      isSecure: true,
      access: undefined,
      secret: "s",
      operation: accounts.operations.getAccount,
    }).begin(reply, "a.b.c", 60);
    expect(set).toEqual(["__Host-bridge-login=a.b.c; Max-Age=60; Path=/; HttpOnly; SameSite=Lax; Secure"]);
  });

  it.concurrent("goes on to the page that was asked for, and to none elsewhere", async () => {
    const { person, email } = await signedUp();
    person.forget();
    const asked = await person.get("/account/settings?done=x");
    expect([asked.status, asked.location]).toEqual([303, "/account/log-in?next=%2Faccount%2Fsettings"]);
    for (const [next, to] of [
      ["/account/settings", "/account/settings"],
      ["//evil.example", "/account"],
      ["/account//evil.example", "/account"],
      ["/account/\\evil.example", "/account"],
      ["https://evil.example/account", "/account"],
      ["/accounts", "/account"],
    ] as const)
      expect((await person.post("/account/log-in", { email, password: PASSWORD, next })).location).toBe(to);
  });

  it.concurrent("is another one than whatever cookie the browser came with", async () => {
    const { person, email } = await signedUp();
    const fixed = await person.post(
      "/account/log-in",
      { email, password: PASSWORD },
      {
        "sec-fetch-site": "same-origin",
        cookie: "bridge-login=chosen-by-somebody",
      },
    );
    expect(fixed.cookie).not.toContain("chosen-by-somebody");
    const before = person.cookie();
    await person.post("/account/log-in", { email, password: PASSWORD });
    expect(person.cookie()).not.toBe(before);
  });

  it.concurrent("says the same of a wrong password and of an address without account, status and words", async () => {
    const { person, email } = await signedUp();
    const wrong = await person.post("/account/log-in", { email, password: "not the password" });
    const nobody = await person.post("/account/log-in", {
      email: `${randomUUID()}@people.example`,
      password: PASSWORD,
    });
    const shown = ({ text }: { text: string }) => text.replace(/value="[^"]*"/g, "");
    expect([wrong.status, wrong.cookie, nobody.status]).toEqual([401, null, 401]);
    expect(shown(wrong)).toBe(shown(nobody));
    expect(wrong.text).toContain('role="alert"');
  });

  it.concurrent("ends by log-out, at the operations too, and its cookie goes", async () => {
    const { person } = await loggedIn();
    const headers = token(person);
    const csrf = await person.csrfOf("/account");
    const cookie = person.cookie();
    const reply = await person.post("/account/log-out", { csrf });
    expect([reply.status, reply.location]).toEqual([303, "/account/log-in?done=logged-out"]);
    expect(reply.cookie).toMatch(/^bridge-login=; Max-Age=0; Path=\/; HttpOnly/);
    expect((await fetch(`${registry.url}/api/auth/me`, { headers })).status).toBe(401);
    expect((await person.get("/account", { cookie })).status).toBe(303);
  });
});

describe("signing up by page", () => {
  it.concurrent("logs in at once", async () => {
    const person = createPerson(registry.url);
    const fields = { email: `${randomUUID()}@people.example`, password: PASSWORD, name: "Ada" };
    const reply = await person.post("/account/sign-up", fields);
    expect([reply.status, reply.location]).toEqual([303, "/account?done=signed-up"]);
    expect((await person.get(reply.location!)).text).toContain("You are logged in.");
  });

  it.concurrent("with an address that has an account opens that by its own password, and leaves it alone by another", async () => {
    const { email } = await signedUp();
    const eve = createPerson(registry.url);
    const refused = await eve.post("/account/sign-up", { email, password: "another password", name: "Eve" });
    expect([refused.status, refused.location, refused.cookie]).toEqual([
      303,
      "/account/log-in?done=taken",
      null,
    ]);
    const ada = createPerson(registry.url);
    const taken = await ada.post("/account/sign-up", { email, password: PASSWORD, name: "Not Ada" });
    expect(taken.location).toBe("/account?done=signed-up");
    expect((await ada.get("/account")).text).toContain("<h1>Ada</h1>");
  });

  it.concurrent("offers no mail where the registry sends none", async () => {
    const { person } = await signedUp();
    const account = await person.get("/account");
    expect(account.text).not.toContain("/account/email/proof");
    expect(account.text).toContain("This registry sends no mail");
    const forgotten = await person.get("/account/forgotten");
    expect(forgotten.text).not.toContain("<form");
    expect(forgotten.text).toContain("open an account with another address");
  });

  it.concurrent("shows the form again with what is wrong, and never the password", async () => {
    const reply = await createPerson(registry.url).post("/account/sign-up", {
      email: "x",
      password: "pa$$word",
      name: "Ada",
    });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('role="alert"');
    expect(reply.text).toContain('value="Ada"');
    expect(reply.text).not.toContain("pa$$word");
  });
});

describe("a form of an account's page", () => {
  const forms = PAGES.filter(({ method, needsLogIn }) => method === "POST" && needsLogIn).map(({ path }) =>
    path.replace(/\{\w+\}/g, NOTHING),
  );

  it("is refused without the proof of its log-in, with that of another, and from another site's page, whichever it is", async () => {
    expect(forms.length).toBeGreaterThan(7);
    const [mine, others] = await Promise.all([loggedIn(), loggedIn()]);
    const [csrf, foreign] = await Promise.all([
      mine.person.csrfOf("/account"),
      others.person.csrfOf("/account"),
    ]);
    expect(csrf).not.toBe(foreign);
    for (const path of forms) {
      const ours = { "sec-fetch-site": "same-origin" };
      for (const [fields, from] of [
        [{}, ours],
        [{ csrf: foreign }, ours],
        [{ csrf: "" }, ours],
        [{ csrf }, { "sec-fetch-site": "cross-site" }],
        [{ csrf }, { origin: "https://evil.example" }],
        [{ csrf }, {}],
      ] as [Record<string, string>, Record<string, string>][])
        expect(
          (await mine.person.post(path, fields, from)).status,
          `${path} ${JSON.stringify([fields, from])}`,
        ).toBe(403);
      const stranger = await createPerson(registry.url).post(path, { csrf }, ours);
      expect([stranger.status, stranger.location]).toEqual([303, "/account/log-in"]);
    }
    expect((await mine.person.get("/account")).status).toBe(200);
  });

  it.concurrent("that logs in is refused where nothing says that a page of the registry sent it", async () => {
    const { person, email } = await signedUp();
    for (const from of [{}, { origin: "null" }, { "sec-fetch-site": "none" }] as Record<string, string>[])
      expect((await person.post("/account/log-in", { email, password: PASSWORD }, from)).status).toBe(403);
  });

  it.concurrent("is for people: programs are led to the reference", async () => {
    for (const { path, method } of PAGES.filter(({ needsLogIn }) => needsLogIn)) {
      const headers = { accept: "application/json", "sec-fetch-site": "same-origin" };
      const reply = await fetch(registry.url + path.replace(/\{\w+\}/g, NOTHING), {
        method,
        headers,
        redirect: "manual",
      });
      expect([reply.status, reply.headers.get("location")], path).toEqual([302, "/docs"]);
    }
  });
});

describe("the account's page", () => {
  it.concurrent("revokes a gateway key, and shows it no more", async () => {
    const { person } = await loggedIn();
    const body = JSON.stringify({ owner: "Ada's <b>price</b> watch", email: "ada@people.example" });
    const key = await asAccount(person, "/api/v1/keys/generate", { method: "POST", body });
    const page = await person.get("/account");
    expect(page.text).toContain("Ada&#39;s &lt;b&gt;price&lt;/b&gt; watch");
    const csrf = await person.csrfOf("/account");
    const done = await person.post(`/account/keys/${key.key_id}/revoke`, { csrf });
    expect([done.status, done.location]).toEqual([303, "/account?done=key-revoked"]);
    expect((await asAccount(person, "/api/account/keys")).gateway_keys).toEqual([]);
  });

  it.concurrent("makes an agent and a key, shows each this once with its name, and revokes them", async () => {
    const { person } = await loggedIn();
    const csrf = await person.csrfOf("/account");
    const agent = await person.post("/account/agents", { csrf, name: "booking <i>assistant</i>" });
    const token = /<code>(bridge_agent_\w+)<\/code>/.exec(agent.text)?.[1];
    expect(token).toBeDefined();
    expect((await person.get("/account")).text).not.toContain(token);
    const made = await person.post("/account/keys", {
      csrf,
      name: "price watch",
      email: "ada@people.example",
      plan: "FREE",
    });
    const key = /<code>([^<\s]+)<\/code>/.exec(made.text)![1];
    const who = await fetch(`${registry.url}/api/v1/keys/validate`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await who.json()).toMatchObject({ valid: true, owner: "price watch", plan: "FREE" });
    const refused = await person.post("/account/keys", {
      csrf,
      name: "x",
      email: "a@b.example",
      plan: "PRO",
    });
    expect([refused.status, refused.text.includes('role="alert"')]).toEqual([403, true]);
    const page = await person.get("/account");
    expect(page.text).toContain("booking &lt;i&gt;assistant&lt;/i&gt;");
    for (const [path] of page.text.matchAll(/\/account\/keys\/[\w-]+\/revoke/g))
      await person.post(path, { csrf });
    const left = await asAccount(person, "/api/account/keys");
    expect([left.agents, left.gateway_keys]).toEqual([[], []]);
  });

  it.concurrent("ends another log-in", async () => {
    const { person, email } = await loggedIn();
    const other = createPerson(registry.url);
    await other.post("/account/log-in", { email, password: PASSWORD });
    const { log_ins } = await asAccount(person, "/api/auth/log-ins");
    const { log_in_id } = log_ins.find(({ is_this }: any) => !is_this);
    await person.post(`/account/log-ins/${log_in_id}/end`, { csrf: await person.csrfOf("/account") });
    expect((await other.get("/account")).status).toBe(303);
    expect((await person.get("/account")).status).toBe(200);
  });

  it.concurrent("shows an agent's request in the agent's own words, and approves it for a time", async () => {
    const [owner, agent] = await Promise.all([loggedIn(), loggedIn()]);
    const { id } = (await asAccount(owner.person, "/api/auth/me")).user;
    const domain = await givenOpenedSite(registry, id);
    const post = (path: string, body: object, headers: Record<string, string>) =>
      fetch(registry.url + path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      }).then((reply) => reply.json() as Promise<any>);
    const body = { kind: "agent", name: "<i>helper</i>" };
    const { key } = await post("/api/account/keys", body, token(agent.person));
    const bearer = { authorization: `Bearer ${key}` };
    const asked = await post("/api/bridge/access-requests", { domain, purpose: "buy <b>tea</b>" }, bearer);
    const page = await owner.person.get("/account");
    expect(page.text).toContain("buy &lt;b&gt;tea&lt;/b&gt;");
    const csrf = await owner.person.csrfOf("/account");
    const path = `/account/requests/${asked.request_id}`;
    const answer = { csrf, decision: "approve", days: "90" };
    expect((await owner.person.post(path, answer)).location).toBe("/account?done=approved");
    const answered = await fetch(`${registry.url}/api/bridge/access-requests/${asked.request_id}`, {
      headers: bearer,
    });
    const { state, license_expires_at, created_at } = (await answered.json()) as any;
    expect([
      state,
      Math.round((Date.parse(license_expires_at) - Date.parse(created_at)) / 86_400_000),
    ]).toEqual(["approved", 90]);
    // Asked twice, as by a second tab: the operation's own refusal, as a page.
    expect((await owner.person.post(path, answer)).status).toBe(409);
  });

  it.concurrent("sets what agents may do on a site, and shows the form again where an amount is none", async () => {
    const { person } = await loggedIn();
    const { id } = (await asAccount(person, "/api/auth/me")).user;
    const siteId = await givenOpenedSite(registry, id);
    const path = `/account/sites/${siteId}`;
    const csrf = await person.csrfOf(path);
    const wrong = await person.post(path, {
      csrf,
      access: "open",
      confirm_above: "much",
      readContent: "yes",
    });
    expect([wrong.status, wrong.text.includes('value="much"')]).toEqual([400, true]);
    expect(/value="open" checked/.test(wrong.text)).toBe(true);
    const fields = { csrf, access: "open", confirm_above: "50 eur", readContent: "yes", fillForms: "yes" };
    expect((await person.post(path, fields)).location).toBe("/account?done=site-saved");
    const { sites } = await asAccount(person, "/api/account/sites");
    const { access, restrictions, permissions } = sites[0].configuration;
    expect([access, restrictions.confirm_above, permissions.fillForms, permissions.click]).toEqual([
      "open",
      "50 EUR",
      true,
      false,
    ]);
    expect((await person.get("/account/sites/else.example")).text).toContain("Not a site of yours");
  });

  it.concurrent("changes the password, which ends every other log-in and not this browser's", async () => {
    const { person, email } = await loggedIn();
    const other = createPerson(registry.url);
    await other.post("/account/log-in", { email, password: PASSWORD });
    const csrf = await person.csrfOf("/account/settings");
    const path = "/account/settings/password";
    const wrong = await person.post(path, {
      csrf,
      current_password: "no",
      new_password: "four common words",
    });
    expect([wrong.status, wrong.text.includes('role="alert"')]).toEqual([401, true]);
    const right = { csrf, current_password: PASSWORD, new_password: "four common words" };
    expect((await person.post(path, right)).location).toBe("/account?done=password-changed");
    expect((await person.get("/account")).status).toBe(200);
    expect((await other.get("/account")).status).toBe(303);
  });
});

it.concurrent("who comes from a site to be told of its changes finds it after the log-in, watches it, and ends that", async () => {
  const { person, email } = await signedUp();
  person.forget();
  const path = "/account/watches/shop.example";
  const { location } = await person.get(path);
  expect(location).toBe(`/account/log-in?next=${encodeURIComponent(path)}`);
  const next = new URL(location!, registry.url).searchParams.get("next")!;
  expect((await person.post("/account/log-in", { email, password: PASSWORD, next })).location).toBe(path);
  const form = await person.get(path);
  expect(form.text).toMatch(/name="domain"[^>]*value="shop\.example"/);
  // Without mail, a watch tells a program.
  expect(form.text).toMatch(/name="webhook"[^>]* required/);
  const csrf = await person.csrfOf(path);
  const refused = await person.post("/account/watches", { csrf, domain: "no domain", webhook: "x" });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('value="no domain"')]);
  const fields = { csrf, domain: "Shop.Example", webhook: "https://93.184.215.14/told" };
  expect((await person.post("/account/watches", fields)).location).toBe("/account/watches?done=watched");
  const shown = await person.get("/account/watches?done=watched");
  const [watch] = (await asAccount(person, "/api/registry/watches")).watches;
  expect(watch).toMatchObject({ domain: "shop.example", webhook: fields.webhook });
  for (const text of [watch.secret, fields.webhook, 'href="/sites/shop.example"'])
    expect(shown.text).toContain(text);
  const ended = await person.post(`/account/watches/${watch.watch_id}/end`, { csrf });
  expect(ended.location).toBe("/account/watches?done=watch-ended");
  expect((await asAccount(person, "/api/registry/watches")).watches).toEqual([]);
});

it.concurrent("who comes from a verdict and did not prove the site is told how to", async () => {
  const { person } = await loggedIn();
  const { status, text } = await person.get("/account/sites/never-proved.example/appeals");
  expect(status).toBe(404);
  expect(text).not.toContain("There is no page at this address");
  expect(text).toContain('href="/account/sites?domain=never-proved.example"');
});

it.concurrent("an error says what was not found, and of an address alone that there is no page", async () => {
  const { person } = await loggedIn();
  const site = await person.get("/account/sites/never-proved.example/publish");
  expect([site.status, site.text.includes("no site never-proved.example")]).toEqual([404, true]);
  expect(site.text).not.toContain("There is no page at this address");
  const nowhere = await person.get("/nowhere");
  expect([nowhere.status, nowhere.text.includes("There is no page at this address")]).toEqual([404, true]);
});
