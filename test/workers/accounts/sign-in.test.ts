import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DAY_MS } from "../../../src/ports/time.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import { LIMITS } from "../../../src/rpc/limit-table.ts";
import { limitsOfRow } from "../../../src/rpc/limits.ts";
import { changeAccount } from "../../../src/stores/accounts.ts";
import { clientOrigin } from "../../../workers/accounts/rules.ts";
import { type Rig, startRig } from "./rig.ts";

const MINUTE_MS = 60_000;

let rig: Rig;
let other: Rig;
let count = 0;
beforeAll(async () => {
  rig = await startRig();
  other = await startRig(rig);
});
afterAll(async () => {
  await rig?.stop();
  await other?.stop();
});

/** Throttles of one test must not hold up the next. */
const freshAddress = () => `198.${18 + (count >> 8)}.${count & 255}.${++count & 255}`;
const freshEmail = () => `ada-${++count}@shop.example`;

/** What a handler replied; a refusal is the test's failure. */
function ok<T>(result: T): Exclude<T, Failure> {
  if (result instanceof Failure) throw new Error(`${result.code}: ${result.detail}`);
  return result as Exclude<T, Failure>;
}
const codeOf = (result: unknown) => (result instanceof Failure ? result.code : "success");

async function accountsKept(): Promise<number> {
  let kept = 0;
  for await (const _ of rig.deps.store.accounts.keys("id.>")) kept++;
  return kept;
}
async function opened(): Promise<{ email: string; id: string }> {
  rig.pass(MINUTE_MS);
  const email = freshEmail();
  const reply: any = ok(await rig.register(email, undefined, freshAddress()));
  return { email, id: reply.user.id };
}
async function tokenOf(email: string, password?: string): Promise<string> {
  const reply: any = ok(await rig.login(email, password));
  return reply.token;
}

describe("registration", () => {
  it("opens an account of the free plan that can log in", async () => {
    const { email, id } = await opened();
    const reply: any = ok(await rig.login(email));
    expect(reply).toMatchObject({ expires_in: 86_400, user: { id, email, name: "Ada", tier: "free" } });
    expect(await rig.account.identify(reply.token)).toEqual({
      kind: "account",
      accountId: id,
      tier: "free",
      generation: 1,
      logInId: expect.any(String),
    });
  });

  it("takes an address once, however it is written", async () => {
    ok(await rig.register("J\u00fcrgen@B\u00fccher.example"));
    for (const same of ["ju\u0308rgen@bu\u0308cher.example", "J\u00dcRGEN@xn--bcher-kva.example"])
      expect(codeOf(await rig.register(same))).toBe("email_taken");
    expect(codeOf(await rig.login("J\u00dcRGEN@XN--BCHER-KVA.EXAMPLE"))).toBe("success");
  });

  it("lets one of many win that come at once, through any process, and leaves nothing of the others", async () => {
    rig.pass(MINUTE_MS);
    const email = freshEmail();
    const before = await accountsKept();
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        (i % 2 ? rig : other).register(email, `password number ${i}`, freshAddress()),
      ),
    );
    expect(results.map(codeOf).toSorted()).toEqual([...Array(11).fill("email_taken"), "success"]);
    expect(await accountsKept()).toBe(before + 1);
    const won = results.findIndex((result) => !(result instanceof Failure));
    expect(codeOf(await rig.login(email, `password number ${won}`))).toBe("success");
  });

  it("of taken addresses is limited by network: nobody learns whose addresses have accounts", async () => {
    rig.pass(MINUTE_MS);
    const { email } = await opened();
    rig.pass(MINUTE_MS);
    // Addresses that are free are no finding.
    expect(codeOf(await rig.register(freshEmail(), undefined, "203.0.113.1"))).toBe("success");
    const most = LIMITS.registrations.by.network.minute;
    let told = 0;
    while (told < most && codeOf(await rig.register(email, undefined, `203.0.113.${told}`)) === "email_taken")
      told++;
    // A fifth of what may be registered; what is left of that at the end is too little to count five.
    expect(told).toBeLessThanOrEqual(most / 5 + 4);
    const refused = await rig.register(freshEmail(), undefined, "203.0.200.1");
    expect(refused).toMatchObject({ code: "rate_limited", retryAfterSeconds: 60 });
    expect(codeOf(await rig.register(email, undefined, freshAddress()))).toBe("email_taken");
    rig.pass(MINUTE_MS);
    expect(codeOf(await rig.register(email, undefined, "203.0.113.1"))).toBe("email_taken");
  });
});

describe("a log-in", () => {
  it("that fails says the same of an unknown address, a wrong password and a suspended account", async () => {
    const { email } = await opened();
    const suspended = await opened();
    await changeAccount(rig.deps.store, suspended.id, (account) => ({ ...account, suspended: true }));
    const failures = [
      await rig.login(freshEmail()),
      await rig.login(email, "wrong horse"),
      await rig.login(suspended.email),
    ];
    expect(codeOf(failures[0])).toBe("invalid_credentials");
    expect(failures[1]).toEqual(failures[0]);
    expect(failures[2]).toEqual(failures[0]);
  });

  it("that is right is never kept out by coming often, nor by many coming at once", async () => {
    const { email } = await opened();
    const many = Array.from({ length: LIMITS.log_ins.by.account.minute + 10 }, () => rig.login(email));
    expect(new Set((await Promise.all(many)).map(codeOf))).toEqual(new Set(["success"]));
    expect(codeOf(await rig.login(email))).toBe("success");
  }, 60_000);

  it("that is wrong is counted also when many come at once: no burst buys more than itself", async () => {
    const { email } = await opened();
    const address = freshAddress();
    await Promise.all(Array.from({ length: 20 }, (_, i) => rig.login(email, `guess ${i}`, address)));
    expect(codeOf(await rig.login(email, undefined, address))).toBe("rate_limited");
  }, 60_000);

  it("that is wrong is hashed ten times of a burst of eighty-four: it is charged before", async () => {
    const { email } = await opened();
    const address = freshAddress();
    const burst = Array.from({ length: 84 }, (_, i) => rig.login(email, `guess ${i}`, address));
    const codes = (await Promise.all(burst)).map(codeOf);
    expect(codes.filter((code) => code === "invalid_credentials")).toHaveLength(
      LIMITS.log_ins.by.login.minute,
    );
    // What waits behind others of its kind is bounded too.
    expect(new Set(codes)).toEqual(new Set(["invalid_credentials", "rate_limited", "unavailable"]));
  }, 60_000);

  it("that is wrong, from anywhere in a network, keeps nobody out who was there before", async () => {
    const { email } = await opened();
    const home = "203.77.1.1";
    ok(await rig.login(email, undefined, home));
    rig.pass(MINUTE_MS);
    for (let i = 0; i < LIMITS.log_ins.by.network.minute; i++)
      await rig.deps.limiter.charge("log_ins", { clientAddress: "203.77.200.1" });
    expect(codeOf(await rig.login(freshEmail(), "guess", "203.77.200.1"))).toBe("rate_limited");
    expect(codeOf(await rig.login(email, undefined, home))).toBe("success");
  });

  it.each(["known", "unknown"])("is limited by address for an %s account: guessing ends", async (which) => {
    const email = which === "known" ? (await opened()).email : freshEmail();
    const address = freshAddress();
    for (let i = 0; i < LIMITS.log_ins.by.login.minute; i++)
      expect(codeOf(await rig.login(email, `guess ${i}`, address))).toBe("invalid_credentials");
    const refused = await rig.login(email, undefined, address);
    expect(refused).toMatchObject({ code: "rate_limited", retryAfterSeconds: 60 });
    expect(codeOf(await rig.login(email, "guess", freshAddress()))).toBe("invalid_credentials");
  });

  it("counts an IPv6 customer's whole /64, and the failures of all processes together", async () => {
    const email = freshEmail();
    for (let i = 0; i < LIMITS.log_ins.by.login.minute; i++)
      await (i % 2 ? rig : other).login(email, "guess", `2001:db8:1:2::${i}`);
    expect(codeOf(await other.login(email, "guess", "2001:db8:1:2:ffff::1"))).toBe("rate_limited");
    expect(codeOf(await rig.login(email, "guess", "2001:db8:1:3::1"))).toBe("invalid_credentials");
  });

  it("is limited by account over all addresses, but not where its holder was before", async () => {
    const { email } = await opened();
    const home = freshAddress();
    ok(await rig.login(email, undefined, home));
    rig.pass(MINUTE_MS);
    for (let i = 0; i < LIMITS.log_ins.by.account.minute; i++)
      expect(codeOf(await rig.login(email, "guess", freshAddress()))).toBe("invalid_credentials");
    expect(codeOf(await rig.login(email, undefined, freshAddress()))).toBe("rate_limited");
    expect(codeOf(await rig.login(email, undefined, home))).toBe("success");
  }, 60_000);

  it("is limited by the day too", async () => {
    const email = freshEmail();
    const address = freshAddress();
    rig.pass(DAY_MS);
    const { secret, counters } = rig.deps;
    const login = `${email}\n${clientOrigin(secret, address)}`;
    const ofDay = limitsOfRow("log_ins", { login }, secret).find(({ window }) => window === "day")!;
    await counters.add("day", ofDay.key, ofDay.quota - 1);
    expect(codeOf(await rig.login(email, "guess", address))).toBe("invalid_credentials");
    rig.pass(MINUTE_MS);
    const refused = await rig.login(email, "guess", address);
    expect(codeOf(refused)).toBe("rate_limited");
    expect((refused as Failure).retryAfterSeconds).toBeGreaterThan(3_600);
  }, 60_000);

  it("renews a hash of other parameters", async () => {
    const { email, id } = await opened();
    const stored = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
    await changeAccount(rig.deps.store, id, (account) => ({ ...account, passwordHash: stored }));
    expect(codeOf(await rig.login(email, "password"))).toBe("success");
    expect((await rig.deps.store.account(id))!.value.passwordHash).toContain("m=19456,t=2,p=1");
    expect(codeOf(await rig.login(email, "password"))).toBe("success");
  });
});

describe("a token of a log-in", () => {
  const change = (id: string, current_password: string, new_password: string) =>
    rig.handlers.changePassword(
      { params: undefined, query: undefined, body: { current_password, new_password } },
      rig.as(id),
    );

  it("ends when the password is changed, and the change gives a new one", async () => {
    const { email, id } = await opened();
    const [first, second] = [await tokenOf(email), await tokenOf(email)];
    const reply: any = ok(await change(id, "correct horse", "battery staple"));
    for (const token of [first, second]) expect(await rig.account.identify(token)).toBeUndefined();
    expect(await rig.account.identify(reply.token)).toMatchObject({ accountId: id });
    expect(codeOf(await rig.login(email, "correct horse"))).toBe("invalid_credentials");
    expect(codeOf(await rig.login(email, "battery staple"))).toBe("success");
  });

  it("goes on when the change is refused; guessing the current password is limited", async () => {
    const { email, id } = await opened();
    const token = await tokenOf(email);
    for (let i = 0; i < LIMITS.log_ins.by.login.minute; i++)
      expect(codeOf(await change(id, "guess", "battery staple"))).toBe("invalid_credentials");
    expect(codeOf(await change(id, "correct horse", "battery staple"))).toBe("rate_limited");
    expect(await rig.account.identify(token)).toMatchObject({ accountId: id });
  });

  it("lets one of two changes at once win", async () => {
    const { email, id } = await opened();
    const results = await Promise.all(
      ["first", "second"].map((name) => change(id, "correct horse", `${name} password`)),
    );
    expect(results.map(codeOf).toSorted()).toEqual(["invalid_credentials", "success"]);
    const won = codeOf(results[0]) === "success" ? "first" : "second";
    expect(codeOf(await rig.login(email, `${won} password`))).toBe("success");
  });

  it("ends with its day", async () => {
    const { email } = await opened();
    const token = await tokenOf(email);
    rig.pass(DAY_MS - 1_000);
    expect(await rig.account.identify(token)).toBeDefined();
    rig.pass(4_000);
    expect(await rig.account.identify(token)).toBeUndefined();
  });
});

describe("the time of a log-in", () => {
  const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

  it("does not tell whether there is an account", async () => {
    const { email } = await opened();
    const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
    const timed = async (which: "known" | "unknown") => {
      const asked = which === "known" ? email : freshEmail();
      const startedMs = performance.now();
      expect(codeOf(await rig.login(asked, "wrong horse", freshAddress()))).toBe("invalid_credentials");
      times[which].push(performance.now() - startedMs);
    };
    // In turns and in changing order, so that what else the machine does falls on both alike.
    for (let round = 0; round < 24; round++) {
      if (round % 8 === 0) rig.pass(MINUTE_MS);
      for (const which of round % 2 ? (["known", "unknown"] as const) : (["unknown", "known"] as const))
        await timed(which);
    }
    const ratio = median(times.known) / median(times.unknown);
    // Without a hash for nobody it would be ten and more.
    expect(ratio).toBeGreaterThan(0.6);
    expect(ratio).toBeLessThan(1.7);
  }, 60_000);
});
