/** Alert rules and dashboards, held to promtool and to a real Prometheus that collects from a real registry. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { createHealth } from "../../app/processes/health.ts";
import { serveAdmin } from "../../app/processes/metrics.ts";
import { freePort } from "../support/ports.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { ensurePrometheus } from "./prometheus.ts";

const DEPLOY = join(import.meta.dirname, "../../deploy");
const DOCS = join(import.meta.dirname, "../../docs/observability.md");
const read = (path: string): string => readFileSync(join(DEPLOY, path), "utf8");

const tools = ensurePrometheus();
const missing = "missing" in tools ? tools.missing : undefined;
if (missing) process.stderr.write(`${missing}; the tests that need it are skipped\n`);

/** What of Grafana's dashboard model (version 39) ours has. */
const Dashboard = z.strictObject({
  title: z.string(),
  uid: z.string().max(40),
  schemaVersion: z.literal(39),
  version: z.int(),
  editable: z.boolean(),
  graphTooltip: z.int().min(0).max(2),
  refresh: z.string(),
  tags: z.array(z.string()),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  timezone: z.string(),
  templating: z.strictObject({
    list: z.array(
      z.strictObject({
        name: z.string(),
        type: z.literal("datasource"),
        query: z.literal("prometheus"),
        label: z.string(),
        current: z.strictObject({}),
      }),
    ),
  }),
  annotations: z.strictObject({ list: z.array(z.never()) }),
  panels: z.array(
    z.looseObject({
      id: z.int(),
      type: z.enum(["row", "timeseries"]),
      title: z.string().min(1),
      gridPos: z.strictObject({
        h: z.int().min(1),
        w: z.int().min(1).max(24),
        x: z.int().min(0).max(23),
        y: z.int().min(0),
      }),
      targets: z
        .array(z.strictObject({ refId: z.string(), expr: z.string().min(1), legendFormat: z.string() }))
        .optional(),
    }),
  ),
});

const dashboard = Dashboard.parse(JSON.parse(read("grafana/bridge.json")));
const rules: { record?: string; alert?: string; expr: string }[] = parse(
  read("prometheus/rules.yaml"),
).groups.flatMap((group: { rules: unknown[] }) => group.rules);
const panelExpressions = dashboard.panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr }) => expr.replaceAll("$__rate_interval", "1m")),
);
const expressions = [...new Set([...rules.map(({ expr }) => expr), ...panelExpressions])];

describe("the dashboard", () => {
  it("has panels that do not overlap, each with an id of its own", () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken, title).not.toContain(`${x} ${y}`);
          taken.add(`${x} ${y}`);
        }
  });
});

describe("the alert rules", () => {
  it("have each a test and a line in the documentation", () => {
    const docs = readFileSync(DOCS, "utf8");
    const tests = parse(read("prometheus/rules.test.yaml")).tests.map(({ name }: { name: string }) => name);
    const alerts = rules.flatMap(({ alert }) => alert ?? []);
    expect(tests).toEqual(alerts);
    for (const alert of alerts) expect(docs, alert).toContain(`\`${alert}\``);
  });

  it.skipIf(missing)("pass promtool, silent before their time and sent after it", () => {
    const { promtool } = tools as { promtool: string };
    const run = (...args: string[]) =>
      execFileSync(promtool, args, { cwd: join(DEPLOY, "prometheus"), encoding: "utf8" });
    expect(run("check", "config", "prometheus.yaml")).toContain("SUCCESS");
    expect(run("check", "rules", "rules.yaml")).toContain(`SUCCESS: ${rules.length} rules found`);
    expect(run("test", "rules", "rules.test.yaml")).toContain("SUCCESS");
  });
});

describe.skipIf(missing)("a Prometheus that collects from a registry", () => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-prometheus-"));
  let registry: TestRegistry;
  let admin: Awaited<ReturnType<typeof serveAdmin>>;
  let prometheus: ChildProcess;
  let url: string;
  beforeAll(async () => {
    registry = await startRegistry({
      threads: true,
      world: { sites: 3, soundShare: 1, seed: 5 },
      roles: ["crawler", "indexer", "gossip", "search", "operators"],
    });
    const health = createHealth();
    admin = await serveAdmin(registry.metrics, { host: "127.0.0.1", port: 0, health });
    await registry.crawl();
    await registry.getJson("/api/bridge/search?q=tea");
    await registry.getJson("/nowhere");
    const config = parse(read("prometheus/prometheus.yaml"));
    config.global = { scrape_interval: "1s", evaluation_interval: "1s" };
    config.scrape_configs[0].static_configs[0].targets = [`127.0.0.1:${admin.port}`];
    writeFileSync(join(folder, "prometheus.yaml"), stringify(config));
    writeFileSync(
      join(folder, "rules.yaml"),
      read("prometheus/rules.yaml").replace("interval: 30s", "interval: 1s"),
    );
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    prometheus = spawn(
      (tools as { prometheus: string }).prometheus,
      [
        `--config.file=${folder}/prometheus.yaml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
        "--log.level=error",
      ],
      { stdio: "ignore", env: { GOMAXPROCS: "1" } },
    );
  });
  afterAll(async () => {
    prometheus?.kill();
    admin?.server.close();
    await registry?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const query = async (expr: string): Promise<{ status: string; data: { result: unknown[] } }> =>
    (await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`)).json() as never;

  it("is up, and answers every expression of rules and dashboard, each of whose metrics exists", async () => {
    const isUp = async () =>
      (await query('up{job="bridge"} == 1').catch(() => undefined))?.data.result.length;
    await expect.poll(isUp, { timeout: 30_000, interval: 250 }).toBe(1);
    const exposed = new Set(
      [...(await registry.metrics.text()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name, type]) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
      ),
    );
    expect(expressions.length).toBeGreaterThan(30);
    for (const expr of expressions) {
      const reply = await query(expr);
      expect(reply.status, `${expr}: ${JSON.stringify(reply)}`).toBe("success");
      for (const [name] of expr.matchAll(/\b(?:bridge|nodejs|process)_[a-z0-9_]+/g))
        expect(exposed, expr).toContain(name);
    }
    // What a quiet registry has one of shows something.
    for (const expr of panelExpressions.filter((each) => !/rate\(|increase\(/.test(each)))
      expect((await query(expr)).data.result.length, expr).toBeGreaterThan(0);
  });

  it("evaluates the rules without a fault", async () => {
    const rulesOf = async () => {
      const reply = await fetch(`${url}/api/v1/rules`);
      const { data } = (await reply.json()) as any;
      return data.groups.flatMap((group: any) => group.rules) as {
        name: string;
        health: string;
        lastError?: string;
      }[];
    };
    await expect
      .poll(async () => (await rulesOf()).every(({ health }) => health === "ok"), { timeout: 20_000 })
      .toBe(true);
    expect(await rulesOf()).toHaveLength(rules.length);
  });
});
