import { afterEach, describe, expect, it } from "vitest";
import { withinScope } from "../../src/telemetry/scope.ts";
import {
  currentTraceparent,
  isTracing,
  type SpanOptions,
  type Tracer,
  traced,
  useTracer,
} from "../../src/telemetry/tracing.ts";

afterEach(() => useTracer(undefined));

describe("spans", () => {
  it("cost nothing and change nothing without a tracer", async () => {
    expect(isTracing()).toBe(false);
    const done = await traced("x", {}, async (span) => {
      span.set({ n: 1 });
      span.fail("why");
      return 7;
    });
    expect(done).toBe(7);
    expect(withinScope({ traceparent: "of the request" }, currentTraceparent)).toBe("of the request");
  });

  it("are the tracer's where there is one, whose current span goes before the request's", async () => {
    const made: [string, SpanOptions][] = [];
    const tracer: Tracer = {
      run: (name, options, work) => {
        made.push([name, options]);
        return work({ set: () => undefined, fail: () => undefined });
      },
      record: () => undefined,
      traceparent: () => "of the span",
    };
    useTracer(tracer);
    await traced("x", { kind: "client" }, async () => 1);
    expect(made).toEqual([["x", { kind: "client" }]]);
    expect(withinScope({ traceparent: "of the request" }, currentTraceparent)).toBe("of the span");
  });
});
