/** What is the same for everybody is answered at the listener, or as any other request where it says more of itself. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { AccessLogEntry } from "../../../app/processes/access-log.ts";
import { defineService } from "../../../src/rpc/contract.ts";
import { type Engine, startEngine } from "../../support/engine.ts";
import { expectProblem } from "../../support/problems.ts";
import { request } from "../../support/raw-http.ts";

const fixed = defineService({
  name: "fixed",
  description: "",
  operations: {
    always: {
      method: "GET",
      paths: ["/always"],
      summary: "",
      auth: "none",
      errors: [],
      example: "/always",
      anyQuery: true,
      constant: () => ({ word: "käse" }),
      reply: z.object({ word: z.string() }),
    },
  },
});
const answered: AccessLogEntry[] = [];
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine([fixed], { onAnswered: (one) => void answered.push(one) });
});
afterAll(() => engine?.stop());

/** A field that the listener does not know makes the request one for the whole way. */
const WHOLE_WAY = ["Authorization: Bearer nobody"];

describe("what is the same for everybody", () => {
  it("is answered alike at the listener and by the whole way", async () => {
    for (const line of ["GET /always", "GET /always?any=1", "HEAD /always"]) {
      const [short, whole] = [await request(engine.url, line), await request(engine.url, line, WHOLE_WAY)];
      const { "x-request-id": id, traceparent, date, ...fields } = short.headers;
      expect(whole.headers, line).toMatchObject(fields);
      expect(Object.keys(whole.headers).sort(), line).toEqual(Object.keys(short.headers).sort());
      expect([short.status, short.body], line).toEqual([whole.status, whole.body]);
      expect([id, traceparent, date].every(Boolean)).toBe(true);
    }
    expect(JSON.parse((await request(engine.url, "GET /always")).body)).toEqual({ word: "käse" });
  });

  it("is not sent to who has it", async () => {
    const { headers } = await request(engine.url, "GET /always");
    for (const more of [[], WHOLE_WAY]) {
      const again = await request(engine.url, "GET /always", [`If-None-Match: ${headers.etag}`, ...more]);
      expect([again.status, again.body, again.headers.etag]).toEqual([304, "", headers.etag]);
    }
  });

  it("is counted and logged under the caller's id", async () => {
    answered.length = 0;
    const reply = await request(engine.url, "GET /always?secret=1", ["X-Request-Id: mine.1"]);
    expect(reply.headers["x-request-id"]).toBe("mine.1");
    expect(answered).toMatchObject([
      { method: "GET", path: "/always", status: 200, requestId: "mine.1", principal: "none" },
    ]);
    expect(answered[0]!.bytes).toBe(Buffer.byteLength(reply.body));
  });

  it("does not excuse a request that is not valid", async () => {
    const invalid = await request(engine.url, "GET /always?%ff");
    expect(expectProblem(invalid, "refused").code).toBe("invalid_url");
  });
});
