import { describe, expect, it } from "vitest";
import { resolver, says, server } from "./rig.ts";
import { type Asked, cname, reply, soa, txt } from "./server.ts";

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

  it("has an id and a port of its own, which the last ones do not tell", async () => {
    const made = await server(says("x"));
    const asking = resolver([made]);
    for (let i = 0; i < 64; i++) await asking.txt(`n${i}.example`);
    const distinct = (numbers: number[]) => new Set(numbers).size;
    const steps = (numbers: number[]) => numbers.slice(1).map((number, i) => number - numbers[i]!);
    for (const drawn of [made.asked.map(({ id }) => id!), made.asked.map(({ from }) => from!.port)]) {
      expect(distinct(drawn)).toBeGreaterThan(60);
      expect(distinct(steps(drawn))).toBeGreaterThan(55);
    }
  });

  it("is lost in no burst", async () => {
    const made = await server(says("x"));
    const asking = resolver([made]);
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 500 }, (_, i) => asking.txt(`n${round}-${i}.example`)),
      );
      expect(answers.every(({ outcome }) => outcome === "found")).toBe(true);
    }
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
