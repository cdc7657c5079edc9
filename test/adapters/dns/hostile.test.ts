/** What a server, or somebody who pretends to be one, may send. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import type { Resolver } from "../../../src/ports/dns.ts";
import { atEnd, resolver, server } from "./rig.ts";
import { type Asked, encodeReply, framed, reply, type TestServer, txt } from "./server.ts";

async function hostile(
  answer: (asked: Asked) => void,
  maxTimeoutMs = 4_000,
): Promise<{ made: TestServer; txt: Resolver["txt"] }> {
  const made = await server(answer);
  const asking = resolver([made], { minTimeoutMs: maxTimeoutMs / 4, maxTimeoutMs });
  return { made, txt: (name, signal) => asking.txt(name, signal) };
}

const right = (asked: Asked, data = "right"): Buffer =>
  encodeReply(asked, { answers: [txt(asked.name, data)] });

/** The longest time-out of tests that wait for it, milliseconds. */
const HASTY = 60;

/** The right answer with some bytes changed. */
function changed(asked: Asked, change: (bytes: Buffer) => void): Buffer {
  const bytes = right(asked, "forged");
  change(bytes);
  return bytes;
}

/** Where the answer's first record starts: behind the question. */
const answerAt = (asked: Asked): number => 12 + asked.name.length + 2 + 4;

const FORGERIES: [string, (asked: Asked) => Buffer][] = [
  ["a wrong id", (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(asked.id ^ 1, 0))],
  ["a wrong name", (asked) => changed(asked, (bytes) => bytes.writeUInt8(0x21, 13))],
  ["a wrong type", (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(1, answerAt(asked) - 4))],
  ["no question", (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(0, 4))],
  ["two questions", (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(2, 4))],
  ["a query instead of a response", (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(0x0100, 2))],
  ["another opcode", (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(0xa180, 2))],
  ["nothing", () => Buffer.alloc(0)],
  ["one byte", () => Buffer.alloc(1)],
  [
    "twelve bytes with false counts",
    (asked) => {
      const bytes = Buffer.alloc(12, 0xff);
      bytes.writeUInt16BE(asked.id, 0);
      bytes.writeUInt16BE(0x8180, 2);
      return bytes;
    },
  ],
  ["more answers promised than sent", (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(0xffff, 6))],
  [
    "a record longer than the message",
    (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(2000, bytes.length - 9)),
  ],
  [
    "a string longer than its record",
    (asked) => changed(asked, (bytes) => bytes.writeUInt8(200, bytes.length - 7)),
  ],
  ["a message cut short", (asked) => right(asked, "forged").subarray(0, -1)],
  [
    "a name that points at itself",
    (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(0xc000 | answerAt(asked), answerAt(asked))),
  ],
  [
    "a name that points forwards",
    (asked) => changed(asked, (bytes) => bytes.writeUInt16BE(0xc000 | (bytes.length - 1), answerAt(asked))),
  ],
];

describe("a forged datagram", () => {
  it.each(FORGERIES)("of %s does not end the query", async (_, forge) => {
    const { txt } = await hostile((asked) => {
      asked.send(forge(asked));
      asked.send(right(asked));
    });
    expect(await txt("shop.example")).toMatchObject({ outcome: "found", records: ["right"] });
  });

  it("of any of these kinds is never an answer", async () => {
    const lookUp = async ([kind, forge]: (typeof FORGERIES)[number]) => {
      const { txt } = await hostile((asked) => asked.send(forge(asked)), HASTY);
      const answer = await txt("shop.example");
      return [kind, answer.outcome === "failed" ? answer.reason : answer.outcome];
    };
    for (const [kind, outcome] of await Promise.all(FORGERIES.map(lookUp))) {
      expect(["malformed", "timeout"], kind).toContain(outcome);
    }
  });

  it("with the right answer from another port or address is not heard", async () => {
    const forger = createSocket("udp4").bind(0, "127.0.0.9");
    await once(forger, "listening");
    atEnd(() => forger.close());
    const sameAddress = createSocket("udp4").bind(0, "127.0.0.1");
    await once(sameAddress, "listening");
    atEnd(() => sameAddress.close());
    const { txt } = await hostile((asked) => {
      for (const socket of [forger, sameAddress])
        socket.send(right(asked, "forged"), asked.from!.port, asked.from!.address);
      setTimeout(() => asked.send(right(asked)), 20);
    });
    expect(await txt("shop.example")).toMatchObject({ records: ["right"] });
  });

  it("ends as malformed, not as silence, where nothing else came", async () => {
    const { txt } = await hostile((asked) => asked.send(right(asked).subarray(0, -3)), HASTY);
    expect(await txt("shop.example")).toMatchObject({ outcome: "failed", reason: "malformed" });
  });
});

describe("a question whose case was not kept", () => {
  const lowered = (asked: Asked): Buffer => {
    asked.query.questions![0]!.name = asked.name.toLowerCase();
    return right(asked);
  };
  /** Twenty-six letters, so that the random case is not all lower by chance. */
  const name = "abcdefghijklmnopqrstuvwxyz.example";

  it("is asked again over TCP, where the connection proves the sender", async () => {
    const { made, txt } = await hostile((asked) =>
      asked.send(asked.transport === "udp" ? lowered(asked) : framed(lowered(asked))),
    );
    expect(await txt(name)).toMatchObject({ outcome: "found", records: ["right"] });
    expect(made.asked.map(({ transport }) => transport)).toEqual(["udp", "tcp"]);
  });

  it("is not believed where TCP does not confirm it", async () => {
    const { txt } = await hostile((asked) => {
      if (asked.transport === "udp") asked.send(lowered(asked));
      else asked.socket!.destroy();
    });
    expect(await txt(name)).toMatchObject({ outcome: "failed" });
  });
});

describe("a truncated answer", () => {
  /** Truncated over UDP; over TCP as the test says. */
  const overTcp = (answer: (asked: Asked) => void) => (asked: Asked) =>
    asked.transport === "udp" ? reply(asked, { truncated: true }) : answer(asked);

  it("is read whole over TCP, in whatever pieces it comes", async () => {
    const strings = Array.from({ length: 200 }, (_, i) => String(i % 10).repeat(255));
    const { txt: ask } = await hostile(
      overTcp((asked) => {
        const bytes = framed(encodeReply(asked, { answers: [txt(asked.name, strings)] }));
        asked.send(bytes.subarray(0, 1));
        setTimeout(() => asked.send(bytes.subarray(1, 2_000)), 5);
        setTimeout(() => asked.send(bytes.subarray(2_000)), 10);
      }),
    );
    expect(await ask("shop.example")).toMatchObject({ records: [strings.join("")] });
  });

  it("with half a record in it is not read as the record", async () => {
    const { txt: ask } = await hostile((asked) => {
      const bytes = encodeReply(asked, { answers: [txt(asked.name, "whole")], truncated: true });
      if (asked.transport === "udp") asked.send(bytes.subarray(0, -2));
      else reply(asked, { answers: [txt(asked.name, "whole")] });
    });
    expect(await ask("shop.example")).toMatchObject({ records: ["whole"] });
  });

  it.each<[string, string, (asked: Asked) => void]>([
    ["hangs", "timeout", () => undefined],
    ["closes", "malformed", (asked) => asked.socket!.end()],
    ["resets", "unreachable", (asked) => asked.socket!.resetAndDestroy()],
    ["promises more than it sends and hangs", "timeout", (asked) => asked.send(framed(right(asked), 60_000))],
    [
      "promises more than it sends and closes",
      "malformed",
      (asked) => asked.socket!.end(framed(right(asked), 60_000)),
    ],
    ["promises less than it sends", "malformed", (asked) => asked.send(framed(right(asked), 20))],
    ["promises nothing", "malformed", (asked) => asked.send(Buffer.alloc(2))],
    [
      "answers to another id",
      "malformed",
      (asked) => asked.send(framed(changed(asked, (b) => b.writeUInt16BE(asked.id ^ 1, 0)))),
    ],
    ["truncates again", "malformed", (asked) => reply(asked, { truncated: true })],
    [
      "drips a byte at a time",
      "timeout",
      (asked) => {
        const bytes = framed(right(asked));
        let sent = 0;
        const drip = setInterval(() => asked.send(bytes.subarray(sent, ++sent)), 40);
        asked.socket!.on("close", () => clearInterval(drip));
      },
    ],
  ])("ends in time when TCP %s", async (_, reason, answer) => {
    const { txt: ask } = await hostile(overTcp(answer), 200);
    const startMs = performance.now();
    expect(await ask("shop.example")).toMatchObject({ outcome: "failed", reason });
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });

  it("costs no more than 64 connections at once", async () => {
    let most = 0;
    let now = 0;
    const { txt: ask } = await hostile(
      overTcp((asked) => {
        most = Math.max(most, ++now);
        asked.socket!.on("close", () => now--);
        setTimeout(() => reply(asked, { answers: [txt(asked.name, "x")] }), 5);
      }),
    );
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => ask(`n${i}.example`)));
    expect(answers.filter(({ outcome }) => outcome === "found").length).toBe(200);
    expect(most).toBeLessThanOrEqual(64);
  });
});
