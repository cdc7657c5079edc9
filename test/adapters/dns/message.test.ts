import packet, { type Answer } from "dns-packet";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeMessage } from "../../../src/adapters/dns/message.ts";
import { encodeQuery, matchQuestion, type QueryType } from "../../../src/adapters/dns/query.ts";
import { normalizeName } from "../../../src/adapters/dns/reading.ts";
import { processorWatch } from "../../support/processor-watch.ts";
import { svcb, svcbData, uint16 } from "../../support/svcb.ts";

const label = fc.stringMatching(/^[a-z0-9_-]{1,20}$/);
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join("."));
const bytes = fc.uint8Array({ maxLength: 255 }).map((array) => Buffer.from(array));
const record: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ type: fc.constant("A" as const), name, ttl: fc.nat(), data: fc.ipV4() }),
  fc.record({ type: fc.constant("NS" as const), name, ttl: fc.nat(), data: name }),
  fc.record({ type: fc.constant("CNAME" as const), name, ttl: fc.nat(), data: name }),
  fc.record({
    type: fc.constant("TXT" as const),
    name,
    ttl: fc.nat(),
    data: fc.array(bytes, { minLength: 1, maxLength: 4 }),
  }),
);
const QUESTION = "shop.example";
const QUESTION_END = 12 + QUESTION.length + 2 + 4;

const encode = (answers: Answer[], more: object = {}): Buffer =>
  packet.encode({ type: "response", id: 7, questions: [{ name: QUESTION, type: "TXT" }], answers, ...more });
const decode = (data: Buffer) => decodeMessage(data, QUESTION, QUESTION_END);

const asText = ({ type, data }: Answer & { data?: unknown }): string =>
  type === "TXT" ? Buffer.concat(data as Buffer[]).toString("utf8") : (data as string);

describe("a message", () => {
  it("reads as the dns-packet codec wrote it", () => {
    fc.assert(
      fc.property(fc.array(record, { maxLength: 6 }), (records) => {
        const read = decode(encode(records))!;
        expect(read.answers.map(({ owner, ttlSeconds, data }) => [owner, ttlSeconds, data])).toEqual(
          records.map((one) => [one.name, (one as { ttl: number }).ttl, asText(one)]),
        );
      }),
    );
  });

  it("tells who may issue certificates as a zone file writes it (RFC 8659)", () => {
    const caa = (tag: string, value: string): Answer => ({
      type: "CAA",
      name: "shop.example",
      ttl: 60,
      data: { flags: 128, tag, value, issuerCritical: true } as never,
    });
    const read = decode(
      encode([caa("issue", "ca.example; policy=ev"), caa("iodef", 'mailto:"a"@b.example')]),
    )!;
    expect(read.answers.map(({ data }) => data)).toEqual([
      '128 issue "ca.example; policy=ev"',
      '128 iodef "mailto:\\034a\\034@b.example"',
    ]);
  });

  it("tells service bindings with their parameters, whose keys ascend (RFC 9460)", () => {
    const bindingOf = (data: Buffer) => {
      const [read] = decode(encode([svcb(QUESTION, data)]))?.answers ?? [];
      return read && JSON.parse(read.data);
    };
    const port = uint16(8443);
    const whole = svcbData(1, "Agents.Shop.example", { 1: "\u0002h2", 3: port, 65409: "index.json" });
    expect(bindingOf(whole)).toEqual({
      priority: 1,
      target: "agents.shop.example",
      parameters: [
        [1, "\u0002h2"],
        [3, port.toString("latin1")],
        [65_409, "index.json"],
      ],
    });
    expect(bindingOf(svcbData(0, ""))).toEqual({ priority: 0, target: "", parameters: [] });
    const twice = Buffer.concat([svcbData(1, "", { 3: port }), svcbData(1, "", { 3: port }).subarray(3)]);
    for (const damaged of [twice, whole.subarray(0, -1), Buffer.from([0, 1])])
      expect(bindingOf(damaged)).toBeUndefined();
  });

  it("cut anywhere is damaged, never shorter", () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 3 }), fc.nat(), (records, at) => {
        const whole = encode(records);
        const cut = QUESTION_END + (at % (whole.length - QUESTION_END));
        expect(decode(whole.subarray(0, cut))).toBeUndefined();
      }),
    );
  });

  it("of any bytes is read or damaged, without a throw", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: QUESTION_END, maxLength: 600 }), (array) => {
        decode(Buffer.from(array));
      }),
      { numRuns: 2_000 },
    );
  });

  it("with any one byte changed is read or damaged, without a throw", () => {
    const whole = encode([
      { type: "TXT", name: QUESTION, ttl: 60, data: ["one", "two"] },
      { type: "AAAA", name: QUESTION, ttl: 60, data: "2001:db8::1" },
      { type: "NS", name: QUESTION, ttl: 60, data: "ns.example" },
    ]);
    for (let at = QUESTION_END; at < whole.length; at++) {
      for (let value = 0; value < 256; value++) {
        const damaged = Buffer.from(whole);
        damaged[at] = value;
        decode(damaged);
      }
    }
  });

  it("gives IPv6 addresses in the short form of RFC 5952", () => {
    const data = "2001:db8:0:0:1:0:0:1";
    expect(decode(encode([{ type: "AAAA", name: QUESTION, ttl: 1, data }]))?.answers[0]?.data).toBe(
      "2001:db8::1:0:0:1",
    );
  });

  it("takes a TTL with the top bit set for zero", () => {
    const read = decode(encode([{ type: "TXT", name: QUESTION, ttl: 0x80000001, data: "x" }]));
    expect(read?.answers[0]?.ttlSeconds).toBe(0);
  });

  it("keeps dots and odd bytes inside a label apart from the dots between labels", () => {
    const made = encode([{ type: "CNAME", name: QUESTION, ttl: 1, data: "aXb.cYd" }]);
    made[made.indexOf("aXb") + 1] = 0x2e;
    made[made.indexOf("cYd") + 1] = 0xe9;
    const target = decode(made)!.answers[0]!.data;
    expect(target).toBe("a\\046b.c\\233d");
    expect(normalizeName(target)).toBeUndefined();
  });

  it("full of pointers to pointers takes no time", () => {
    const header = encode([]).subarray(0, QUESTION_END);
    header.writeUInt16BE(2_000, 6);
    // A ladder of pointers, each to the one before, hidden in a TXT record; then records owned by its top.
    const ladder = Buffer.alloc(32_000);
    const base = QUESTION_END + 12;
    for (let at = 0; at < 8_000; at++)
      ladder.writeUInt16BE(0xc000 | Math.max(12, base + 2 * (at - 1)), 2 * at);
    const opening = Buffer.from([
      0xc0,
      12,
      0,
      99,
      0,
      1,
      0,
      0,
      0,
      0,
      ladder.length >> 8,
      ladder.length & 0xff,
    ]);
    const owned = Buffer.alloc(12);
    owned.writeUInt16BE(0xc000 | (base + 2 * 7_999), 0);
    const message = Buffer.concat([header, opening, ladder, ...Array.from({ length: 1_999 }, () => owned)]);
    const tookMs = processorWatch();
    expect(decode(message)).toBeUndefined();
    expect(tookMs()).toBeLessThan(50);
  });
});

describe("a query", () => {
  it("reads in the dns-packet codec as what was asked, but for the case", () => {
    fc.assert(
      fc.property(
        name,
        fc.constantFrom<QueryType>("A", "AAAA", "NS", "TXT"),
        fc.boolean(),
        (asked, type, edns) => {
          const query = encodeQuery(asked, type, { edns });
          const read = packet.decode(query.bytes);
          expect(read.questions).toMatchObject([{ type, class: "IN" }]);
          expect(read.questions![0]!.name.toLowerCase()).toBe(asked);
          expect(read.additionals).toHaveLength(edns ? 1 : 0);
        },
      ),
    );
  });

  it("knows its own question from another's and from one in another case", () => {
    const query = encodeQuery("abcdefghijklmnopqrstuvwxyz.example", "TXT");
    const response = Buffer.from(query.bytes);
    response[2] = 0x81;
    expect(matchQuestion(query, response)).toBe("same");
    response[13]! ^= 0x20;
    expect(matchQuestion(query, response)).toBe("case_differs");
    response[13] = 0x7a;
    expect(matchQuestion(query, response)).toBe("other");
    expect(matchQuestion(query, response.subarray(0, 20))).toBe("other");
  });
});
