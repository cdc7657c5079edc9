/** What a resolver does over many lookups: keeping, sharing, choosing, waiting. */

import { spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { HASTY, pushedClock, resolver, says, server } from "./rig.ts";
import { type Asked, extendedError, reply, txt } from "./server.ts";

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
    const clock = new URL("../../../src/adapters/clock/system-clock.ts", import.meta.url).href;
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
