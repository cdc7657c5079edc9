import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Frames } from "../../src/patches/nats-frames.ts";

/** Control lines as a broker writes them, some with payloads that look like control lines themselves. */
const message = fc.oneof(
  fc.constantFrom("PING\r\n", "PONG\r\n", "+OK\r\n", "-ERR 'slow'\r\n", 'INFO {"max_payload":1}\r\n'),
  fc
    .oneof(fc.string({ maxLength: 300 }), fc.constantFrom("", "MSG a 1 9\r\n", "\r\n\r\n", "x".repeat(5_000)))
    .map((payload) => `MSG a.b 1 ${Buffer.byteLength(payload)}\r\n${payload}\r\n`),
  fc.string({ maxLength: 300 }).map((payload) => {
    const head = "NATS/1.0\r\nBridge-Tag: x\r\n\r\n";
    return `HMSG a.b 12 reply.to ${head.length} ${head.length + Buffer.byteLength(payload)}\r\n${head}${payload}\r\n`;
  }),
);

describe("the broker's bytes cut where messages end", () => {
  it("are the same bytes, however they arrive, and every piece is whole messages", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        fc.array(fc.nat(400), { minLength: 1 }),
        (sent, sizes) => {
          const bytes = Buffer.from(sent.join(""));
          let sum = 0;
          const ends = new Set(sent.map((text) => (sum += Buffer.byteLength(text))));
          const framing = new Frames();
          const pieces: Uint8Array[] = [];
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = 1 + sizes[i % sizes.length]!;
            pieces.push(...framing.take(bytes.subarray(at, at + size)));
            at += size;
          }
          expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
          let end = 0;
          for (const piece of pieces) {
            end += piece.length;
            expect(ends.has(end)).toBe(true);
          }
        },
      ),
    );
  });

  it("are not copied when a chunk is whole messages", () => {
    const chunk = Buffer.from("MSG a 1 2\r\nhi\r\nPING\r\n");
    const [piece] = new Frames().take(chunk);
    expect(piece!.buffer).toBe(chunk.buffer);
  });
});
