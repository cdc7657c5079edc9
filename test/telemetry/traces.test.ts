/** Traces of a whole registry at a collector: from the front through the broker to the worker, DNS, sites and the index. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT_CONTEXT, type SpanContext, SpanKind, trace } from "@opentelemetry/api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTelemetry, type Telemetry } from "../../app/processes/telemetry.ts";
import { services } from "../../app/services.ts";
import { cleanAttributes } from "../../src/adapters/opentelemetry/redacting-exporter.ts";
import { samplerOf } from "../../src/adapters/opentelemetry/sampler.ts";
import type { OperationSpec } from "../../src/rpc/contract.ts";
import { readConfig } from "../../src/runtime/config.ts";
import { readTelemetrySettings } from "../../src/runtime/telemetry.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { type CollectedSpan, type Collector, startCollector } from "./otlp-collector.ts";

const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";

let collector: Collector;
let telemetry: Telemetry;
let registry: TestRegistry;
beforeAll(async () => {
  collector = await startCollector();
  // Dedicated threads have the environment too.
  Object.assign(process.env, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_BSP_SCHEDULE_DELAY: "100",
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "1",
  });
  telemetry = await startTelemetry(readConfig({}), "bridge-test", "test-1");
  registry = await startRegistry({
    threads: true,
    world: { sites: 3, soundShare: 1, seed: 5 },
    roles: ["crawler", "indexer", "search", "gossip"],
  });
  await registry.crawl();
});
afterAll(async () => {
  await registry?.stop();
  await telemetry?.close();
  await collector?.close();
});

const named = (name: string) => (span: CollectedSpan) => span.name === name;
const ofTrace = (traceId: string) => collector.spans.filter((span) => span.traceId === traceId);

/** Names from a span up to the root. */
function wayUp(span: CollectedSpan): string[] {
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [span.name, ...(parent ? wayUp(parent) : [])];
}

describe("one trace", () => {
  it("of a search shows the front, the broker, the worker and the index", async () => {
    const reply = await fetch(`${registry.url}/api/bridge/search?q=tea&api_key=planted-secret`, {
      headers: { traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-00` },
    });
    expect(reply.headers.get("traceparent")).toMatch(new RegExp(`^00-${TRACE_ID}-[0-9a-f]{16}-01$`));
    const ok = await fetch(`${registry.url}/api/bridge/search?q=tea`);
    const traceId = ok.headers.get("traceparent")!.split("-")[1]!;
    await expect.poll(() => ofTrace(traceId).some(named("index candidates")), { timeout: 10_000 }).toBe(true);
    await expect
      .poll(() => ofTrace(traceId).some(named("GET /api/bridge/search")), { timeout: 10_000 })
      .toBe(true);
    const spans = ofTrace(traceId);
    const index = spans.find(named("index candidates"))!;
    expect(wayUp(index)).toEqual([
      "index candidates",
      "search.searchSites",
      "request search.searchSites",
      "invoke search.searchSites",
      "GET /api/bridge/search",
    ]);
    expect(spans.find(named("search.searchSites"))).toMatchObject({ kind: 2, service: "bridge-search" });
    expect(spans.find(named("GET /api/bridge/search"))).toMatchObject({
      kind: 2,
      service: "bridge-test",
      attributes: {
        "http.request.method": "GET",
        "http.route": "/api/bridge/search",
        "http.response.status_code": 200,
      },
    });
    expect(collector.bodies.join("")).not.toContain("planted");
  });

  it("of a visit shows its stages, the gate, DNS, fetches and the index", async () => {
    await expect.poll(() => collector.spans.some(named("index write")), { timeout: 10_000 }).toBe(true);
    const write = collector.spans.find(named("index write"))!;
    await expect.poll(() => ofTrace(write.traceId).some(named("visit")), { timeout: 10_000 }).toBe(true);
    const names = new Set(ofTrace(write.traceId).map(({ name }) => name));
    for (const name of [
      "visit",
      "gate host",
      "stage dns",
      "dns TXT",
      "stage document",
      "fetch GET",
      "dns ADDRESS",
      "gate address",
      "stage pages",
      "index write",
    ])
      expect(names, [...names].join()).toContain(name);
    const fetched = ofTrace(write.traceId).find(named("fetch GET"))!;
    expect(wayUp(fetched).at(-1)).toBe("visit");
    // The library's own instrumentation, below ours.
    const connection = ofTrace(write.traceId).find(({ parentSpanId }) => parentSpanId === fetched.spanId);
    expect(connection).toBeDefined();
    expect(write.startMs).toBeGreaterThanOrEqual(fetched.startMs);
  });
});

describe("spans", () => {
  it("hold no secret, wherever in a request of any operation a caller put one", async () => {
    const PLANTED = "planted-secret";
    const before = collector.spans.length;
    let asked = 0;
    for (const { operations } of services)
      for (const { method, paths } of Object.values<OperationSpec>(operations)) {
        const path = paths[0].replace(/\{\w+\}/g, PLANTED);
        const headers = {
          "content-type": "application/json",
          authorization: `Bearer ${PLANTED}`,
          cookie: `sid=${PLANTED}`,
          "x-bridge-key": PLANTED,
          "user-agent": PLANTED,
        };
        const body = JSON.stringify({
          email: `${PLANTED}@mail.example`,
          password: PLANTED,
          license_key: PLANTED,
        });
        await fetch(`${registry.url}${path}?api_key=${PLANTED}&confirm=${PLANTED}`, {
          method,
          headers,
          ...(method !== "GET" && { body }),
        });
        asked++;
      }
    const served = () =>
      collector.spans.slice(before).filter(({ kind, service }) => kind === 2 && service === "bridge-test");
    await expect.poll(() => served().length, { timeout: 15_000 }).toBeGreaterThanOrEqual(asked);
    expect(collector.bodies.join("")).not.toMatch(/planted|mail\.example/);
  });

  it("keep of others' attributes only those of a list, without what looks like a credential", () => {
    expect(
      cleanAttributes({
        "http.route": "/x/:id",
        "http.response.status_code": 200,
        "url.full": "https://shop.example/?api_key=x",
        "server.address": "ada@shop.example",
        "http.request.header.cookie": ["a=b"],
        "error.type": `Bearer ${"x".repeat(400)}`,
      }),
    ).toEqual({
      "http.route": "/x/:id",
      "http.response.status_code": 200,
      "server.address": "[redacted]",
      "error.type": "Bearer [redacted]",
    });
  });

  it("are recorded as this registry decides, whatever flag and id a caller sends", () => {
    const sampler = samplerOf({ sampler: "traceidratio", ratio: 0.1 });
    const decide = (parent: SpanContext | undefined, traceId: string) => {
      const from = parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT;
      return sampler.shouldSample(from, traceId, "x", SpanKind.SERVER, {}, []).decision === 2;
    };
    // An id that a ratio by id alone would always record.
    const traceId = `${"0".repeat(24)}00000001`;
    const caller = { traceId, spanId: "00f067aa0ba902b7", traceFlags: 1, isRemote: true };
    const recorded = Array.from({ length: 1_000 }, () => decide(caller, traceId)).filter(Boolean).length;
    expect(recorded).toBeGreaterThan(30);
    expect(recorded).toBeLessThan(250);
    expect(decide({ ...caller, isRemote: false }, traceId)).toBe(true);
    expect(decide({ ...caller, isRemote: false, traceFlags: 0 }, traceId)).toBe(false);
  });
});

describe("telemetry is", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };

  it("off without an endpoint, and loads nothing then but the API that the metrics' library needs", () => {
    expect(readTelemetrySettings({})).toBeUndefined();
    expect(readTelemetrySettings({ ...endpoint, OTEL_SDK_DISABLED: "true" })).toBeUndefined();
    expect(readTelemetrySettings({ ...endpoint, OTEL_TRACES_EXPORTER: "none" })).toBeUndefined();
    const script = `
      const { startTelemetry } = await import("./app/processes/telemetry.ts");
      const { readConfig } = await import("./src/runtime/config.ts");
      await startTelemetry(readConfig({}), "x", "x");
      for (const part of ["front/front", "processes/runtime", "processes/start-roles", "cli/worker"]) await import("./app/" + part + ".ts");
      const { ROLE_SPECS } = await import("./app/roles.ts");
      for (const { load } of Object.values(ROLE_SPECS)) await load();
      const { createRequire } = await import("node:module");
      const names = Object.keys(createRequire(import.meta.url).cache).map((file) => /node_modules.(@opentelemetry.[^/\\\\]+|@fastify.otel)/.exec(file)?.[1]);
      console.log(JSON.stringify([...new Set(names.filter(Boolean))]));
      process.exit();`;
    const env = { PATH: process.env.PATH };
    const out = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: join(import.meta.dirname, "../.."),
      encoding: "utf8",
      env,
    });
    expect(JSON.parse(out)).toEqual(["@opentelemetry/api"]);
  });

  it("set up by the standard variables, the wrong ones of which are named", () => {
    expect(readTelemetrySettings(endpoint)).toEqual({
      protocol: "http/protobuf",
      sampler: "always_on",
      ratio: 1,
    });
    const sampled = { OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.01" };
    expect(readTelemetrySettings({ ...endpoint, ...sampled })).toEqual({
      protocol: "http/protobuf",
      sampler: "traceidratio",
      ratio: 0.01,
    });
    for (const [name, value] of [
      ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
      ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
      ["OTEL_TRACES_SAMPLER_ARG", "2"],
      ["OTEL_TRACES_EXPORTER", "zipkin"],
      ["OTEL_METRICS_EXPORTER", "otlp"],
    ])
      expect(() => readTelemetrySettings({ ...endpoint, [name!]: value })).toThrow(name);
  });
});
