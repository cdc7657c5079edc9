/** `bridge call`: operations by their contracts, from a terminal alone. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  exampleArguments,
  inputOf,
  listOperations,
  operationCommand,
} from "../../../app/cli/operation-command.ts";
import { replyLines } from "../../../app/cli/reply-lines.ts";
import { hostKey } from "../../../src/domain/names/domain-name.ts";
import { askModule } from "../../support/gateway.ts";
import { createOwner } from "../../support/owner.ts";
import { startRegistry, type TestRegistry } from "../../support/registry.ts";
import { givenKey, givenOpenedSite, givenSite } from "../../support/visitor.ts";
import { documentOf } from "../../workers/crawler/observations.ts";
import { bridge } from "./run.ts";

const MAIN = fileURLToPath(new URL("../../../app/main.ts", import.meta.url));

let folder: string;
let registry: TestRegistry;
/** Of the registry's own machine. */
let settings: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "bridge-call-"));
  registry = await startRegistry({ world: { sites: 2, soundShare: 1, seed: 71 } });
  await registry.crawl(registry.world.hosts.map(({ host }) => host));
  const { BRIDGE_HOME, BRIDGE_NATS_PREFIX } = registry.config;
  settings = { BRIDGE_HOME, BRIDGE_NATS_PREFIX, BRIDGE_NATS_URL: inject("natsUrl") };
});
afterAll(async () => {
  await registry?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Over HTTP, with a token or a key. */
const by =
  (credential: Record<string, string> = {}) =>
  async (...args: string[]) => {
    const ran = await bridge(["call", ...args, "--registry", registry.url], credential, folder);
    return { ...ran, reply: ran.code === 0 ? JSON.parse(ran.out) : undefined };
  };
/** Over the broker, as an operator. */
async function operate(...args: string[]) {
  const ran = await bridge(["call", ...args], settings, folder);
  return { ...ran, reply: ran.code === 0 ? JSON.parse(ran.out) : undefined };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

describe("every operation", () => {
  it.each(listOperations().map((operation) => [operation.name, operation] as const))(
    "%s takes its contract's example as options",
    async (_, operation) => {
      const { spec } = operation;
      const wanted = exampleArguments(spec);
      let given: ReadonlyMap<string, readonly string[]> | undefined;
      const command = operationCommand(operation, async (options) => {
        given = options;
      }).exitOverride();
      const [target = "", ...rest] = spec.example.split(" ");
      const body = rest.join(" ");
      // A placeholder for a whole object, which only its maker knows.
      if (/(?:^|:)\{\{\w+\}\}/.test(body)) return;
      await command.parseAsync(wanted, { from: "user" });
      const input = inputOf(spec, given!);
      const sent = body === "" ? undefined : JSON.parse(body);
      expect(input.body ?? undefined).toEqual(sent ?? (spec.body && !spec.bodyOptional ? {} : undefined));
      const query = [...new URLSearchParams(target.split("?")[1])];
      expect(Object.entries(input.query ?? {}).map(([name, value]) => [name, String(value)])).toEqual(query);
      expect(Object.keys(input.params ?? {}).sort()).toEqual(
        [...spec.paths[0].matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort(),
      );
    },
  );

  it("is listed with what it does, and shows its members, whose token it needs, and how it may fail", async () => {
    const { code, out } = await bridge(["call", "--help"]);
    expect(code).toBe(0);
    for (const { name, spec } of listOperations())
      expect(out).toMatch(new RegExp(`^ {2}${name} +${escaped(spec.summary)}$`, "m"));
    const help = await bridge(["call", "collectAccess", "--help"]);
    expect(help.code).toBe(0);
    expect(help.out).toContain("--requestId <string>");
    expect(help.out).toContain("--to <wallet|reply>");
    expect(help.out).toMatch(/Needs an agent's token/);
    expect(help.out).toMatch(/May fail with \w+/);
    expect(help.out).toContain("bridge call collectAccess --requestId $APPROVED_REQUEST_ID");
  });
});

describe.concurrent("wrong use ends with 2 and a sentence", () => {
  it.each([
    [[], /Name an operation: `bridge call --help` lists them/],
    [["serchSites"], /no operation "serchSites": searchSites\?/],
    [["listReports"], /no operation "listReports": \w+\.listReports\?/],
    [["searchSites"], /required option '--q <string>' not specified/],
    [["searchSites", "--q", "tea", "--limt", "3"], /unknown option '--limt'[\s\S]*--limit/],
    [["searchSites", "--q", "tea", "--limit", "many"], /^--limit: .*\(invalid_request\)$/m],
    [["searchSites", "--q", "tea", "--limit", "0"], /^--limit: must be from 1 to \d+/],
    [["searchSites", "--q", "@no-such-file"], /no-such-file cannot be read \(ENOENT\)/],
    [["searchSites", "--q", "tea", "--registry", "here"], /"here" is not an http or https address/],
    [["configureSite", "--siteId", "a.example", "--permissions", "{x"], /--permissions: "\{x" is not JSON/],
    [["listKeys"], /--token or BRIDGE_TOKEN/],
    [["blockSite", "--domain", "spam.example"], /required option '--why <string>' not specified/],
  ])("%j", async (args, sentence) => {
    const { code, out, err } = await bridge(["call", ...args]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(sentence);
    expect(err).not.toMatch(/\n {4}at /);
  });

  it("a registry that does not answer ends with 1", async () => {
    const { code, err } = await bridge([
      "call",
      "searchSites",
      "--q",
      "tea",
      "--registry",
      "http://127.0.0.1:1",
    ]);
    expect([code, err]).toEqual([1, expect.stringContaining("http://127.0.0.1:1 does not answer")]);
  });
});

it("searches as anyone", async () => {
  const { host, words } = registry.world.hosts[0]!;
  const { reply } = await by()("searchSites", "--q", words.description, "--limit", "1");
  expect(JSON.stringify(reply)).toContain(host);
});

it("calls the gateway with a key", async () => {
  const BRIDGE_KEY = await givenKey(registry, "FREE");
  expect((await by({ BRIDGE_KEY })("validateKey")).reply).toMatchObject({ valid: true });
});

it("goes from a token by a request, an answer and the wallet to a block", async () => {
  const [owner, user] = [createOwner(registry), createOwner(registry)];
  const [asOwner, asUser] = [
    by({ BRIDGE_TOKEN: await owner.token() }),
    by({ BRIDGE_TOKEN: await user.token() }),
  ];
  const siteId = await givenOpenedSite(registry, await owner.accountId());
  const { key, key_id: agent_id } = (await asUser("issueKey", "--kind", "agent", "--name", "x")).reply;
  const asAgent = by({ BRIDGE_TOKEN: key });
  const request = ["requestAccess", "--domain", siteId, "--purpose", "buy tea"];
  const { request_id } = (await asAgent(...request, "--permissions", "readContent,click")).reply;
  expect((await asOwner("listAccessRequests")).reply.requests).toMatchObject([
    { request_id, agent_id, state: "pending", permissions: ["readContent", "click"] },
  ]);
  const id = ["--requestId", request_id];
  const granted = ["--permissions", "readContent", "--expires_in_days", "3"];
  const approve = ["decideAccess", ...id, "--decision", "approve", ...granted];
  expect((await asOwner(...approve)).reply.granted).toEqual(["readContent"]);
  expect((await asAgent("collectAccess", ...id)).code).toBe(0);
  expect((await asAgent("listWallet")).reply.domains).toMatchObject([{ domain: siteId }]);
  const again = await asAgent("collectAccess", ...id);
  expect([again.code, again.err]).toEqual([1, expect.stringContaining("was collected")]);
  const above = ["configureSite", "--siteId", siteId, "--restrictions"];
  expect((await asOwner(...above, '{"confirm_above":"50.00 EUR"}')).code).toBe(0);
  const wrong = await asOwner(...above, '{"confirm_above":"50"}');
  expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("--restrictions (confirm_above): ")]);
  expect((await asOwner("setAgentBlock", "--agentId", agent_id, "--kind", "block")).code).toBe(0);
  expect((await asAgent(...request)).err).toContain("blocks this agent");
  expect((await asUser("revokeListedKey", "--keyId", agent_id)).code).toBe(0);
  expect((await asAgent("listWallet")).code).toBe(1);
});

it("reads a license key from standard input, where others of the machine do not see it", async () => {
  const [owner, user] = [createOwner(registry), createOwner(registry)];
  const { key, siteId } = await owner.license();
  const args = ["call", "keepKey", "--entry", siteId, "--key", "-", "--registry", registry.url];
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, BRIDGE_TOKEN: await user.token() },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.end(`${key}\n`);
  expect(JSON.parse(await text(child.stdout))).toEqual({ entry: siteId, kept: true });
});

it("has the registry serve a document, and appeals against what was decided", async () => {
  const owner = createOwner(registry);
  const { host } = await registry.world.add("no_txt");
  await givenSite(registry, await owner.accountId(), host);
  const asOwner = by({ BRIDGE_TOKEN: await owner.token() });
  const site = ["--siteId", host];
  const provider = { name: "Tea", domain: host, category: "", description: "" };
  const document = documentOf({ provider });
  writeFileSync(join(folder, "document.json"), JSON.stringify(document));
  expect((await asOwner("publishDocument", ...site, "--document", "@document.json")).code).toBe(0);
  expect((await registry.getJson(`/api/bridge/discover?siteId=${host}`)).body).toEqual(document);
  expect((await operate("blockSite", "--domain", host, "--why", "Malware")).code).toBe(0);
  const { decisions } = (await asOwner("listSiteAppeals", ...site)).reply;
  expect(decisions).toMatchObject([{ kind: "block", why: "Malware" }]);
  const { decision } = decisions[0];
  const appeal = [
    "appealDecision",
    ...site,
    "--kind",
    "block",
    "--decision",
    decision,
    "--reason",
    "It is clean",
  ];
  const { appeal_id } = (await asOwner(...appeal)).reply;
  const answer = ["decideAppeal", "--domain", host, "--appealId", appeal_id, "--state", "lifted"];
  expect((await operate(...answer, "--why", "So it is", "--as", "grace")).reply.state).toBe("lifted");
  const other = await operate(...answer, "--state", "upheld", "--why", "It is not");
  expect([other.code, other.err]).toEqual([1, expect.stringContaining("(already_decided)")]);
});

describe("an operator at the registry's machine", () => {
  it("decides on a report once, by the name that is given", async () => {
    const key = await givenKey(registry, "FREE");
    const { host } = registry.world.hosts[0]!;
    const body = { url: `https://${host}/`, kind: "other", description: "It sells what it has not" };
    const { report } = (await askModule(registry, "bounty", key, "report", body)).body;
    const listed = await operate("operators.listReports", "--domain", host);
    expect(listed.reply.reports).toMatchObject([{ reportId: report.id, state: "needs_more_info" }]);
    const decision = ["decideReport", "--id", report.id, "--state", "triaged", "--why", "Seen by hand"];
    const first = await operate(...decision, "--as", "grace");
    expect(first.reply.report.changes.at(-1)).toMatchObject({ by: "operator", who: "grace" });
    expect(await operate(...decision)).toMatchObject({
      code: 1,
      err: /triaged already.*\(decision_refused\)/,
    });
    const { findings } = (await registry.getJson(`/api/registry/sites/${host}`)).body;
    expect(findings).toMatchObject([{ rule: "reported-other", excerpt: "Seen by hand", report: report.id }]);
  });

  it("blocks what a file names, which the audit log has whole, and lifts a block", async () => {
    const hosts = Array.from({ length: 40 }, (_, i) => `many-${i}.example`);
    writeFileSync(join(folder, "hosts.txt"), `${hosts.join("\n")} # all of them\n`);
    const { reply } = await operate(
      "blockSites",
      "--domains",
      "@hosts.txt",
      "--why",
      "a test",
      "--as",
      "ada",
    );
    expect(reply).toEqual({ blocked: hosts, refused: [] });
    const [entry] = (await operate("readAudit", "--limit", "1")).reply.entries;
    expect(entry).toMatchObject({ operator: "ada", action: "operators.blockSites", outcome: "done" });
    expect(entry.input).toContain("many-39.example");
    expect((await operate("unblockSite", "--domain", hosts[0]!)).reply.lifted).toBe(true);
    expect((await operate("unblockSite", "--domain", hosts[0]!)).code).toBe(4);
    expect(await registry.runtime.blocks.get(hostKey(hosts[1]!))).toBeDefined();
    expect((await operate("blockSite", "--domain", "*.co.uk", "--why", "x")).err).toContain("public suffix");
  });

  it("is told that there is no registry", async () => {
    const BRIDGE_HOME = join(folder, "empty");
    const { code, err } = await bridge(["call", "listBlocks"], { BRIDGE_HOME });
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("No registry runs here. Start one with `bridge up`"),
    ]);
  });
});

describe("on a terminal", () => {
  it("a reply is its members and its list as a table, no wider than the terminal, without control characters", () => {
    const reply = {
      total: 2,
      sites: [
        { domain: "a.example", why: "x\u001b[31m", more: { a: 1 } },
        { domain: "longer.example", why: "y".repeat(90), more: null },
      ],
    };
    const lines = replyLines(reply, 40);
    expect(lines.slice(0, 3)).toEqual(["total  2", "sites:", "domain          why"]);
    expect(lines[3]).toBe("a.example       x\ufffd[31m");
    expect(Math.max(...lines.map((line) => line.length))).toBe(40);
  });
});
