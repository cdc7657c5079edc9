import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { createResolver, type ResolverOptions } from "../../../src/adapters/dns/client.ts";
import { systemClock } from "../../../src/adapters/system-clock.ts";
import type { Clock, Resolver } from "../../../src/ports.ts";
import { type Asked, cname, extendedError, reply, soa, startServer, type TestServer, txt } from "./server.ts";

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function server(answer: (asked: Asked) => void, address?: string): Promise<TestServer> {
  const started = await startServer(answer, address);
  open.push(() => started.close());
  return started;
}

function resolver(
  servers: { address: string; port: number }[],
  more: Partial<ResolverOptions> = {},
): Resolver {
  const made = createResolver({
    servers,
    validating: false,
    clock: systemClock,
    // Longer than a busy machine's pauses, so that a test that counts queries sees no second tries.
    minTimeoutMs: 1_000,
    maxTimeoutMs: 4_000,
    ...more,
  });
  open.push(() => made.close());
  return made;
}

/** For tests that wait for time-outs. */
const HASTY = { minTimeoutMs: 20, maxTimeoutMs: 80 };

/** A clock whose monotonic time tests can push ahead. */
function pushedClock(): Clock & { push(ms: number): void } {
  let aheadMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    push: (ms) => {
      aheadMs += ms;
    },
  };
}

const says = (data: string) => (asked: Asked) => reply(asked, { answers: [txt(asked.name, data)] });

describe("an answer", () => {
  it("is found with its least TTL, DNSSEC unknown where nobody validates", async () => {
    const { port, address } = await server((asked) =>
      reply(asked, {
        authentic: true,
        answers: [txt(asked.name, "one", 300), txt(asked.name, "two", 60), txt("other.test", "not this")],
      }),
    );
    expect(await resolver([{ address, port }]).txt("Shop.Example.")).toEqual({
      outcome: "found",
      records: ["one", "two"],
      ttlSeconds: 60,
      dnssec: "unknown",
    });
  });

  it("joins strings with nothing between before it reads them as UTF-8", async () => {
    const euro = Buffer.from("€");
    const long = "a".repeat(255);
    const made = await server((asked) =>
      reply(asked, {
        answers: [txt(asked.name, [Buffer.from(long), euro.subarray(0, 1), euro.subarray(1), ""])],
      }),
    );
    expect(await resolver([made]).txt("shop.example")).toMatchObject({ records: [`${long}€`] });
  });

  it("keeps what is not UTF-8 as replacement characters", async () => {
    const made = await server((asked) =>
      reply(asked, { answers: [txt(asked.name, Buffer.from([0, 0xff, 0x41]))] }),
    );
    expect(await resolver([made]).txt("shop.example")).toMatchObject({ records: ["\u0000\ufffdA"] });
  });

  it("gives name servers in lower case", async () => {
    const made = await server((asked) =>
      reply(asked, { answers: [{ type: "NS", name: asked.name, ttl: 9, data: "NS1.Example" }] }),
    );
    expect(await resolver([made]).nameServers("example")).toMatchObject({
      records: ["ns1.example"],
      ttlSeconds: 9,
    });
  });

  it("comes over IPv6 as well", async () => {
    const made = await server(says("six"), "::1");
    expect(await resolver([made]).txt("shop.example")).toMatchObject({ records: ["six"] });
  });

  it("asks with AD set, an EDNS payload of 1232 bytes and letters in random case", async () => {
    const made = await server(says("x"));
    const asking = resolver([made]);
    const name = "abcdefghijklmnopqrstuvwxyz.example";
    await asking.txt(name);
    const { query, name: asked } = made.asked[0]!;
    expect(query.flags! & 0x0030).toBe(0x0020);
    expect(query.additionals).toMatchObject([{ type: "OPT", udpPayloadSize: 1232 }]);
    expect(asked).not.toBe(name);
    expect(asked.toLowerCase()).toBe(name);
  });

  it("draws ids and ports that do not repeat in order", async () => {
    const made = await server(says("x"));
    const asking = resolver([made]);
    await Promise.all(Array.from({ length: 64 }, (_, i) => asking.txt(`n${i}.example`)));
    expect(new Set(made.asked.map(({ id }) => id)).size).toBeGreaterThan(60);
    expect(new Set(made.asked.map(({ from }) => from!.port)).size).toBeGreaterThan(2);
  });

  it("moves to new ports after some thousand queries and loses none on the way", async () => {
    const made = await server(says("x"));
    const asking = resolver([made], { sockets: 1 });
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 500 }, (_, i) => asking.txt(`n${round}-${i}.example`)),
      );
      expect(answers.every(({ outcome }) => outcome === "found")).toBe(true);
    }
    expect(new Set(made.asked.map(({ from }) => from!.port)).size).toBe(3);
  });
});

describe("addresses", () => {
  const both = (asked: Asked) =>
    reply(asked, {
      answers:
        asked.type === "A"
          ? [{ type: "A", name: asked.name, ttl: 30, data: "192.0.2.7" }]
          : [{ type: "AAAA", name: asked.name, ttl: 20, data: "2001:db8::7" }],
    });

  it("are A first, then AAAA, for the lesser TTL", async () => {
    const made = await server(both);
    expect(await resolver([made]).addresses("shop.example")).toMatchObject({
      records: ["192.0.2.7", "2001:db8::7"],
      ttlSeconds: 20,
    });
  });

  it("are found when one half is, whatever became of the other", async () => {
    const made = await server((asked) => (asked.type === "A" ? both(asked) : reply(asked, { rcode: 2 })));
    expect(await resolver([made]).addresses("shop.example")).toMatchObject({ records: ["192.0.2.7"] });
  });

  it("are not called absent when one half failed", async () => {
    const made = await server((asked) =>
      asked.type === "A"
        ? reply(asked, { rcode: 2 })
        : reply(asked, { authorities: [soa("example", 60, 60)] }),
    );
    expect(await resolver([made]).addresses("shop.example")).toMatchObject({
      outcome: "failed",
      reason: "servfail",
    });
  });

  it("of an address are the address itself, and nobody is asked", async () => {
    const asking = resolver([]);
    expect(await asking.addresses("192.0.2.1")).toMatchObject({ outcome: "found", records: ["192.0.2.1"] });
    expect(await asking.addresses("[2001:db8::1]")).toMatchObject({
      outcome: "found",
      records: ["2001:db8::1"],
    });
  });
});

describe("no answer", () => {
  it("is NXDOMAIN or NODATA for as long as the SOA says", async () => {
    const made = await server((asked) =>
      reply(asked, {
        rcode: asked.name.toLowerCase().startsWith("no.") ? 3 : 0,
        authorities: [soa("example", 900, 120)],
      }),
    );
    const asking = resolver([made]);
    expect(await asking.txt("no.example")).toEqual({
      outcome: "none",
      nxdomain: true,
      ttlSeconds: 120,
      dnssec: "unknown",
    });
    expect(await asking.txt("empty.example")).toMatchObject({
      outcome: "none",
      nxdomain: false,
      ttlSeconds: 120,
    });
    await asking.txt("no.example");
    expect(made.asked).toHaveLength(2);
  });

  it("is not kept when no SOA, or one of another zone, comes with it", async () => {
    const made = await server((asked) =>
      reply(asked, { rcode: 3, authorities: [soa("elsewhere", 900, 900)] }),
    );
    const asking = resolver([made]);
    expect(await asking.txt("no.example")).toMatchObject({ outcome: "none", ttlSeconds: 0 });
    await asking.txt("no.example");
    expect(made.asked).toHaveLength(2);
  });

  it.each([
    "",
    ".",
    "a..b",
    ".a",
    "a b.example",
    "münchen.example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(127)}abc`,
  ])("comes for what is no name, without a query: %j", async (name) => {
    const made = await server(says("x"));
    expect(await resolver([made]).txt(name)).toMatchObject({ outcome: "failed", reason: "malformed" });
    expect(made.asked).toHaveLength(0);
  });

  it("comes where no server is configured", async () => {
    expect(await resolver([]).txt("shop.example")).toMatchObject({
      outcome: "failed",
      reason: "unreachable",
    });
  });
});

describe("aliases", () => {
  it("are followed inside an answer, and only the end's records count", async () => {
    const made = await server((asked) =>
      reply(asked, {
        answers: [
          cname(asked.name, "B.example", 50),
          txt(asked.name.replace(/^a/i, "c"), "not this", 1),
          cname("b.example", "d.example", 40),
          txt("d.example", "this", 45),
        ],
      }),
    );
    expect(await resolver([made]).txt("a.example")).toMatchObject({ records: ["this"], ttlSeconds: 40 });
    expect(made.asked).toHaveLength(1);
  });

  it("are asked for where the answer leaves off, and are as secure as the weakest", async () => {
    const made = await server((asked) =>
      asked.name.toLowerCase() === "a.example"
        ? reply(asked, { authentic: true, answers: [cname(asked.name, "b.test", 7)] })
        : reply(asked, { answers: [txt(asked.name, "end", 100)] }),
    );
    expect(await resolver([made], { validating: true }).txt("a.example")).toEqual({
      outcome: "found",
      records: ["end"],
      ttlSeconds: 7,
      dnssec: "insecure",
    });
    expect(made.asked.map(({ name }) => name.toLowerCase())).toEqual(["a.example", "b.test"]);
  });

  it("that loop end as malformed", async () => {
    const made = await server((asked) =>
      reply(asked, { answers: [cname(asked.name, "b.example"), cname("b.example", "a.example")] }),
    );
    expect(await resolver([made]).txt("a.example")).toMatchObject({ outcome: "failed", reason: "malformed" });
    expect(made.asked).toHaveLength(1);
  });

  it("that lead from query to query without end are given up after eight", async () => {
    const made = await server((asked) => reply(asked, { answers: [cname(asked.name, `x${asked.name}`)] }));
    expect(await resolver([made]).txt("a.example")).toMatchObject({ outcome: "failed", reason: "malformed" });
    expect(made.asked.length).toBeLessThanOrEqual(9);
  });

  it("in their hundreds cost nothing", async () => {
    const made = await server((asked) =>
      reply(asked, {
        truncated: asked.transport === "udp",
        answers:
          asked.transport === "udp"
            ? []
            : Array.from({ length: 500 }, (_, i) =>
                cname(i === 0 ? asked.name : `n${i}.example`, `n${i + 1}.example`),
              ),
      }),
    );
    const startMs = performance.now();
    expect(await resolver([made]).txt("a.example")).toMatchObject({ outcome: "failed", reason: "malformed" });
    expect(performance.now() - startMs).toBeLessThan(500);
  });

  it("to nowhere are NXDOMAIN", async () => {
    const made = await server((asked) =>
      reply(asked, {
        rcode: 3,
        answers: [cname(asked.name, "b.test", 30)],
        authorities: [soa("test", 60, 60)],
      }),
    );
    expect(await resolver([made]).txt("a.example")).toMatchObject({ nxdomain: true, ttlSeconds: 30 });
  });
});

describe("the cache", () => {
  it("answers until the TTL has passed and says how long is left", async () => {
    const clock = pushedClock();
    const made = await server(says("x"));
    const asking = resolver([made], { clock });
    const first = await asking.txt("shop.example");
    clock.push(250_000);
    expect(await asking.txt("SHOP.example")).toEqual({ ...first, ttlSeconds: 50 });
    clock.push(51_000);
    expect(await asking.txt("shop.example")).toEqual(first);
    expect(made.asked).toHaveLength(2);
  });

  it("keeps no answer of TTL 0, and none beyond a day", async () => {
    const made = await server((asked) =>
      reply(asked, {
        answers: [txt(asked.name, "x", asked.name.toLowerCase() === "zero.example" ? 0 : 0x7fffffff)],
      }),
    );
    const asking = resolver([made]);
    await asking.txt("zero.example");
    await asking.txt("zero.example");
    expect(made.asked).toHaveLength(2);
    expect(await asking.txt("long.example")).toMatchObject({ ttlSeconds: 86_400 });
  });

  it("keeps failures for a second, then two, then four, and forgets them at the first answer", async () => {
    const clock = pushedClock();
    const made = await server((asked) => reply(asked, { rcode: 2 }));
    const asking = resolver([made], { clock });
    const ask = () => asking.txt("shop.example");
    const steps = [
      [0, 1],
      [0, 1],
      [1_050, 2],
      [1_050, 2],
      [1_000, 3],
      [3_900, 3],
    ] as const;
    for (const [pushMs, expected] of steps) {
      clock.push(pushMs);
      expect(await ask()).toMatchObject({ reason: "servfail" });
      expect(made.asked).toHaveLength(expected);
    }
    made.behave((asked) => reply(asked, { answers: [txt(asked.name, "back", 1)] }));
    clock.push(150);
    expect(await ask()).toMatchObject({ records: ["back"] });
  });

  it("is bounded", async () => {
    const made = await server(says("x"));
    const asking = resolver([made], { cacheEntries: 2 });
    for (const name of ["a.example", "b.example", "c.example", "a.example"]) await asking.txt(name);
    expect(made.asked).toHaveLength(4);
  });

  it("gives every caller records of his own", async () => {
    const made = await server(says("x"));
    const asking = resolver([made]);
    const [one, two] = await Promise.all([asking.txt("shop.example"), asking.txt("shop.example")]);
    expect(made.asked).toHaveLength(1);
    if (one.outcome === "found") one.records.push("mine");
    expect(two).toMatchObject({ records: ["x"] });
    expect(await asking.txt("shop.example")).toMatchObject({ records: ["x"] });
  });
});

describe("DNSSEC", () => {
  it("is secure with AD and insecure without, from a validating server", async () => {
    const made = await server((asked) =>
      reply(asked, { authentic: /^s/i.test(asked.name), answers: [txt(asked.name, "x")] }),
    );
    const asking = resolver([made], { validating: true });
    expect(await asking.txt("signed.example")).toMatchObject({ dnssec: "secure" });
    expect(await asking.txt("plain.example")).toMatchObject({ dnssec: "insecure" });
  });

  it("is bogus by the extended error, with one query", async () => {
    const made = await server((asked) => reply(asked, { rcode: 2, additionals: [extendedError(7)] }));
    expect(await resolver([made], { validating: true }).txt("bad.example")).toMatchObject({
      reason: "bogus",
    });
    expect(made.asked).toHaveLength(1);
  });

  it("is bogus when only checking disabled brings an answer", async () => {
    const made = await server((asked) =>
      asked.query.flags! & 0x0010
        ? reply(asked, { answers: [txt(asked.name, "forged")] })
        : reply(asked, { rcode: 2 }),
    );
    expect(await resolver([made], { validating: true }).txt("bad.example")).toMatchObject({
      reason: "bogus",
    });
    expect(await resolver([made], { validating: true }).addresses("bad.example")).toMatchObject({
      reason: "bogus",
    });
  });

  it("is not blamed for a server that failed once", async () => {
    let failures = 0;
    const made = await server((asked) =>
      failures++ === 0 ? reply(asked, { rcode: 2 }) : reply(asked, { answers: [txt(asked.name, "x")] }),
    );
    expect(await resolver([made], { validating: true }).txt("shop.example")).toMatchObject({
      outcome: "found",
    });
  });

  it("is not blamed where the extended error names another cause, or nobody validates", async () => {
    const made = await server((asked) => reply(asked, { rcode: 2, additionals: [extendedError(22)] }));
    expect(await resolver([made], { validating: true }).txt("a.example")).toMatchObject({
      reason: "servfail",
    });
    made.behave((asked) => reply(asked, { rcode: 2, additionals: [extendedError(6)] }));
    expect(await resolver([made]).txt("b.example")).toMatchObject({ reason: "servfail" });
  });
});

describe("several servers", () => {
  it("stand in for one that fails, refuses or sends elsewhere", async () => {
    const good = await server(says("x"));
    for (const bad of [
      { rcode: 2 },
      { rcode: 5 },
      { authorities: [{ type: "NS" as const, name: "example", ttl: 9, data: "ns.example" }] },
    ]) {
      const made = await server((asked) => reply(asked, bad), "127.0.0.2");
      expect(await resolver([made, good]).txt("shop.example")).toMatchObject({ outcome: "found" });
      expect(made.asked).toHaveLength(1);
    }
  });

  it("are asked in the order of their health", async () => {
    const silent = await server(() => undefined);
    const good = await server(says("x"), "127.0.0.2");
    const asking = resolver([silent, good], { minTimeoutMs: 100, maxTimeoutMs: 300 });
    for (let i = 0; i < 4; i++) expect(await asking.txt(`n${i}.example`)).toMatchObject({ outcome: "found" });
    expect(silent.asked).toHaveLength(1);
  });

  it("are still asked when all of them rest", async () => {
    const clock = pushedClock();
    const dead = await server(() => undefined);
    const asking = resolver([dead], { clock, ...HASTY });
    for (let i = 0; i < 3; i++) await asking.txt(`n${i}.example`);
    expect(dead.asked).toHaveLength(6);
    dead.behave(says("back"));
    expect(await asking.txt("late.example")).toMatchObject({ outcome: "found" });
  });

  it("that take turns in failing lose nothing", async () => {
    let turn = 0;
    const flaky = (asked: Asked) => (turn++ % 2 === 0 ? reply(asked, { rcode: 2 }) : says("x")(asked));
    const asking = resolver([await server(flaky), await server(flaky, "127.0.0.2")]);
    for (let i = 0; i < 6; i++) expect(await asking.txt(`n${i}.example`)).toMatchObject({ outcome: "found" });
  });

  it("get a second try without EDNS when they cannot read it", async () => {
    const made = await server((asked) =>
      asked.query.additionals!.length > 0 ? reply(asked, { rcode: 1 }) : says("old")(asked),
    );
    expect(await resolver([made]).txt("shop.example")).toMatchObject({ records: ["old"] });
  });
});

describe("waiting", () => {
  it("ends by time-out after two tries where all is silence", async () => {
    const made = await server(() => undefined);
    const startMs = performance.now();
    expect(await resolver([made], HASTY).txt("shop.example")).toMatchObject({
      outcome: "failed",
      reason: "timeout",
    });
    expect(made.asked).toHaveLength(2);
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });

  it("is short where nothing listens", async () => {
    const probe = createSocket("udp4").bind(0, "127.0.0.3");
    await once(probe, "listening");
    const { port } = probe.address();
    await new Promise<void>((resolve) => probe.close(() => resolve()));
    const asking = resolver([{ address: "127.0.0.3", port }], { minTimeoutMs: 5_000, maxTimeoutMs: 5_000 });
    expect(await asking.txt("shop.example")).toMatchObject({ outcome: "failed", reason: "unreachable" });
  });

  it("is short where the system cannot connect at all", async () => {
    // A broadcast address is refused to a socket that did not ask for one; the zone names no interface.
    for (const address of ["255.255.255.255", "fe80::1%none"]) {
      const asking = resolver([{ address, port: 53 }]);
      expect(await asking.txt("shop.example")).toMatchObject({ outcome: "failed", reason: "unreachable" });
      expect(await asking.addresses("shop.example")).toMatchObject({
        outcome: "failed",
        reason: "unreachable",
      });
    }
  });

  it("ends for the caller who aborts, not for others", async () => {
    let answer: (() => void) | undefined;
    const made = await server((asked) => {
      answer = () => says("x")(asked);
    });
    const asking = resolver([made]);
    const abort = new AbortController();
    const leaving = asking.txt("shop.example", abort.signal);
    const staying = asking.txt("shop.example");
    while (!answer) await systemClock.sleep(2);
    abort.abort();
    expect(await leaving).toMatchObject({ outcome: "failed", reason: "unreachable", detail: "aborted" });
    answer();
    expect(await staying).toMatchObject({ outcome: "found" });
    expect(await asking.txt("new.example", abort.signal)).toMatchObject({ detail: "aborted" });
  });

  it("ends for all when the resolver closes, over UDP and TCP", async () => {
    const made = await server((asked) => {
      if (asked.transport === "udp" && /^t/i.test(asked.name)) reply(asked, { truncated: true });
    });
    const asking = resolver([made], { minTimeoutMs: 60_000, maxTimeoutMs: 60_000 });
    const lookups = [
      asking.txt("silent.example"),
      asking.txt("t.example"),
      asking.addresses("silent.example"),
    ];
    while (!made.asked.some(({ transport }) => transport === "tcp")) await systemClock.sleep(2);
    asking.close();
    for (const answer of await Promise.all(lookups)) {
      expect(answer).toMatchObject({ outcome: "failed", reason: "unreachable" });
    }
    expect(await asking.txt("after.example")).toMatchObject({ reason: "unreachable" });
  });

  it("serves ten thousand at once from a bounded number in flight", async () => {
    const made = await server(says("x"));
    const asking = resolver([made], { minTimeoutMs: 4_000 });
    const answers = await Promise.all(Array.from({ length: 10_000 }, (_, i) => asking.txt(`n${i}.example`)));
    expect(answers.filter(({ outcome }) => outcome === "found").length).toBe(10_000);
  }, 30_000);

  it("never keeps a process from its end, idle or closed in the midst of a query", async () => {
    const made = await server(says("x"));
    const silent = await server(() => undefined);
    const client = new URL("../../../src/adapters/dns/client.ts", import.meta.url).href;
    const clock = new URL("../../../src/adapters/system-clock.ts", import.meta.url).href;
    const script = `
      import { createResolver } from ${JSON.stringify(client)};
      import { systemClock } from ${JSON.stringify(clock)};
      const options = { validating: false, clock: systemClock, minTimeoutMs: 60_000, maxTimeoutMs: 60_000 };
      const idle = createResolver({ ...options, servers: [${JSON.stringify({ address: made.address, port: made.port })}] });
      const asking = createResolver({ ...options, servers: [${JSON.stringify({ address: silent.address, port: silent.port })}] });
      const unanswered = asking.txt("shop.example");
      const answered = await idle.txt("shop.example");
      asking.close();
      console.log(answered.outcome, (await unanswered).outcome);
    `;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const [code] = await once(child, "exit");
    expect([code, out.trim()]).toEqual([0, "found failed"]);
  }, 10_000);
});
