/** What a domain's records in DNS say for agents: asked of a name server in real packets, in the turn of a look. */
import { readFileSync } from "node:fs";
import type { Answer } from "dns-packet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../src/adapters/dns/client.ts";
import type { NatsBroker } from "../../src/adapters/nats/nats-broker.ts";
import { RECORD_FORMATS } from "../../src/agent-web/records/table.ts";
import { extendedError, reply, startServer, txt } from "../adapters/dns/server.ts";
import { dataFile } from "../support/data.ts";
import { joinBroker } from "../support/gate.ts";
import { svcb, svcbData, uint16 } from "../support/svcb.ts";
import { SKILLS } from "./documents.ts";
import { type Answers, lookAt, newHost } from "./one-look.ts";

const KEY = "JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs";

let broker: NatsBroker;
beforeAll(async () => {
  broker = await joinBroker();
});
afterAll(() => broker.close());

type Zone = (host: string, port: number) => Record<string, (owner: string) => Answer[]>;

/** A look at a host with these records by label, "" for the host itself. */
async function lookedBy(zone: Zone, answers: Answers = {}, host = newHost()) {
  let records: ReturnType<Zone> = {};
  const state = { fails: false, bogus: false };
  const dns = await startServer((asked) => {
    const name = asked.name.toLowerCase();
    if (state.fails) return reply(asked, { rcode: 2, additionals: state.bogus ? [extendedError(6)] : [] });
    const label = name === host ? "" : name.slice(0, -host.length - 1);
    const found = records[label]?.(asked.name) ?? [];
    return reply(asked, {
      authentic: true,
      answers: found.filter(({ type }) => String(type) === asked.type).map((each) => ({ ...each, ttl: 0 })),
    });
  });
  const resolver = createResolver({
    servers: [{ address: dns.address, port: dns.port }],
    validating: true,
    clock: systemClock,
    minTimeoutMs: 2_000,
  });
  try {
    const looked = await lookAt(
      broker,
      host,
      (origin) => {
        records = zone(host, Number(new URL(origin()).port));
        return { "/": { type: "text/html", body: "<title>Tea</title>" }, ...answers };
      },
      { resolver },
    );
    const of = (label: string, from = looked) =>
      from.presence.descriptors.find(({ url }) =>
        url.startsWith(`dns:${label === "" ? "" : `${label}.`}${host}?`),
      );
    const again = async () => {
      dns.asked.length = 0;
      return looked.again();
    };
    return { ...looked, host, of, state, again, asked: dns.asked, end };
  } catch (error) {
    await end();
    throw error;
  }
  async function end(): Promise<void> {
    resolver.close();
    await dns.close();
  }
}

const agent =
  (text: string): Zone =>
  (host) => ({ _agent: (owner) => [txt(owner, text.replaceAll("HOST", host))] });

describe("a record of an agent (AID)", () => {
  it.each([
    [
      "an MCP server",
      `v=aid2;p=mcp;u=https://api.HOST/mcp;k=${KEY};a=oauth2_code;s=Tea`,
      ["mcp", "/mcp", "oauth"],
    ],
    [
      "by the long names of version 1",
      "version=aid1; URI=https://HOST/mcp; proto=mcp; auth=pat",
      ["mcp", "/mcp", "api_key"],
    ],
    ["an A2A agent", "v=aid2;p=a2a;u=https://HOST/a2a;a=none", ["a2a", "/a2a", "none"]],
    ["GraphQL", "v=aid2;p=graphql;u=https://HOST/graphql", ["http", "/graphql", "unknown"]],
  ])("names a service: %s", async (_, text, [protocol, path, auth]) => {
    const { presence, of, host, end } = await lookedBy(agent(text!));
    await end();
    expect(of("_agent")).toMatchObject({
      ...{ format: "aid", found_by: "dns", answer: "present", conforms: true, usable: true },
      ...{ dnssec: "secure", url: `dns:_agent.${host}?type=TXT` },
    });
    const [service] = presence.services;
    expect([service?.protocol, new URL(service?.endpoint ?? "").pathname, service?.auth]).toEqual([
      protocol,
      path,
      auth,
    ]);
    expect(service?.described_by).toEqual([`dns:_agent.${host}?type=TXT`]);
  });

  it.each([
    ["without an address", "v=aid2;p=mcp", "missing_member /0/u"],
    ["of a protocol that is none", "v=aid2;u=https://HOST/llms.txt;p=llms", "unknown_protocol /0/p"],
    ["by plain HTTP", "v=aid2;u=http://HOST/mcp;p=mcp", "address_scheme /0/u"],
    ["with a key twice", "v=aid2;u=https://HOST/a;u=https://HOST/b;p=mcp", "doubled_key /0/u"],
    [
      "with a key by both of its names",
      "v=aid2;u=https://HOST/a;uri=https://HOST/b;p=mcp",
      "doubled_key /0/uri",
    ],
    ["whose proof has no key's form", "v=aid2;u=https://HOST/mcp;p=mcp;k=notakey", "key_form /0/k"],
    ["with version 1's id of a key", `v=aid2;u=https://HOST/mcp;p=mcp;k=${KEY};i=g1`, "former_member /0/i"],
    ["of a version to come", "v=aid3;u=https://HOST/mcp;p=mcp", "unknown_version /0/v"],
  ])("%s is told, and names nothing", async (_, text, finding) => {
    const { presence, of, end } = await lookedBy(agent(text));
    await end();
    expect(of("_agent")).toMatchObject({ conforms: false, usable: false });
    expect(of("_agent")!.findings.map(({ rule, place }) => `${rule} ${place}`)).toEqual([finding]);
    expect(presence.services).toEqual([]);
  });

  it("beside another of its version is ambiguous; beside one of the version before it is the one", async () => {
    const two =
      (first: string, second: string): Zone =>
      (host) => ({
        _agent: (owner) => [first, second].map((text) => txt(owner, text.replaceAll("HOST", host))),
      });
    const one = await lookedBy(two("v=aid2;p=mcp;u=https://HOST/a", "v=aid2;p=mcp;u=https://HOST/b"));
    const other = await lookedBy(two("v=aid1;p=mcp;u=https://HOST/a", "v=aid2;p=mcp;u=https://HOST/b"));
    await Promise.all([one.end(), other.end()]);
    expect(one.of("_agent")).toMatchObject({ usable: false, findings: [{ rule: "ambiguous_record" }] });
    expect(other.of("_agent")).toMatchObject({ revision: "aid2", usable: true, findings: [] });
    expect(other.presence.services.map(({ endpoint }) => endpoint)).toEqual([`https://${other.host}/b`]);
  });

  it("that names another's endpoint makes it no service of this host", async () => {
    const { presence, of, end } = await lookedBy(agent("v=aid2;p=mcp;u=https://api.elsewhere.example/mcp"));
    await end();
    expect(of("_agent")!.findings.map(({ rule }) => rule)).toEqual(["not_its_own"]);
    expect(presence.services).toEqual([]);
  });

  it("that is none of AID's, as a wildcard's answer, is absent", async () => {
    const { of, end } = await lookedBy(agent("v=spf1 -all"));
    await end();
    expect(of("_agent")).toBeUndefined();
  });
});

describe("a service binding", () => {
  const CATALOG = "/.well-known/agent-skills/index.json";
  const bound =
    (label: string, parameters: Record<number, string>, target?: string): Zone =>
    (host, port) => ({
      [label]: (owner) => [
        svcb(owner, svcbData(1, target ?? host, { 1: "\u0002h2", 3: uint16(port), ...parameters })),
      ],
    });

  it("of DNS-AID names the index, which is read and says who named it", async () => {
    const { of, descriptor, host, end } = await lookedBy(
      bound("_index._agents", { 65409: "agent-skills/index.json" }),
      {
        [CATALOG]: { body: SKILLS },
      },
    );
    await end();
    expect(of("_index._agents")).toMatchObject({ format: "dns-aid", usable: true, findings: [] });
    expect(descriptor(CATALOG)).toMatchObject({
      found_by: "dns",
      named_by: `dns:_index._agents.${host}?type=SVCB`,
    });
  });

  it.each([
    ["without a path is of no use", { 4: "abcd" }, undefined, "no_path /0"],
    ["to another's host is that one's", { 65409: "ai-catalog.json" }, "naymme.example", "not_its_own "],
    [
      "to a name with underscores has no certificate",
      { 65409: "ai-catalog.json" },
      "_a.tea.example",
      "target_form /0",
    ],
  ])("of DNS-AID %s", async (_, parameters, target, finding) => {
    const { of, end } = await lookedBy(bound("_index._agents", parameters as never, target));
    await end();
    expect(of("_index._agents")!.findings.map(({ rule, place }) => `${rule} ${place}`)).toEqual([finding]);
  });

  it("of ARD names entries and a search", async () => {
    const { of, presence, descriptor, end } = await lookedBy(
      (host, port) => ({
        ...bound("_entries._agents", {})(host, port),
        ...bound("_search._agents", {}, `registry.${host}`)(host, port),
      }),
      { "/.well-known/ard.json": { body: { entries: [] } } },
    );
    await end();
    expect([of("_entries._agents")?.usable, of("_search._agents")?.usable]).toEqual([true, true]);
    expect(descriptor("/.well-known/ard.json")?.found_by).toBe("dns");
    expect(presence.services.map(({ protocol, level }) => [protocol, level])).toEqual([
      ["http", "published"],
    ]);
  });
});

describe("a proof in DNS", () => {
  it.each([
    ["", "mcp-registry-key", "v=MCPv1; k=ed25519; p=JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=", []],
    ["", "mcp-registry-key", "v=MCPv1; k=rsa; p=AAAA", ["key_type /0/k"]],
    ["_oasf", "oasf-key", "v=oasf1; k=ed25519; p=YWJj", []],
    ["_oasf", "oasf-key", "v=oasf1; p=abc", ["missing_member /0/k", "key_form /0/p"]],
    ["_ans-badge", "ans-badge", "v=ans-badge1; version=v1.0.0; url=https://log.example/v1/agents/1", []],
  ])("at %j (%s) is checked, and nothing that agents call: %s", async (label, format, text, findings) => {
    const { of, presence, end } = await lookedBy(() => ({
      [label]: (owner) => [txt(owner, text), txt(owner, "v=spf1 -all")],
    }));
    await end();
    expect(of(label)).toMatchObject({ format, usable: false, conforms: findings.length === 0 });
    expect(of(label)!.findings.map(({ rule, place }) => `${rule} ${place}`)).toEqual(findings);
    expect(presence.services).toEqual([]);
  });
});

describe("the questions to DNS", () => {
  it("are one a kind, and what is absent is not asked for again", async () => {
    const { asked, again, of, end } = await lookedBy(agent("v=aid2;p=a2a;u=https://HOST/a2a"));
    const owners = asked.map(({ name }) => name.toLowerCase().replace(/(?:^|\.)look-.*$/, ""));
    expect(owners.toSorted()).toEqual(RECORD_FORMATS.map(({ label }) => label).toSorted());
    const later = await again();
    expect(asked.map(({ name }) => name.toLowerCase().split(".")[0])).toEqual(["_agent"]);
    await end();
    expect(of("_agent", later)?.changed_at).toBe(of("_agent")?.changed_at);
  });

  it("are not put for a subdomain", async () => {
    const { asked, end } = await lookedBy(agent("v=aid2;p=a2a;u=https://HOST/a2a"), {}, `www.${newHost()}`);
    await end();
    expect(asked).toEqual([]);
  });

  it("that nobody answers leave what is known as it was", async () => {
    const { state, again, of, presence, host, end } = await lookedBy(
      agent("v=aid2;p=a2a;u=https://HOST/a2a"),
    );
    state.fails = true;
    const later = await again();
    await end();
    expect(of("_agent", later)).toEqual(of("_agent"));
    expect(later.presence.services).toEqual(presence.services);
    expect(Object.keys(later.presence.absent)).not.toContain(`_agent.${host}`);
  });
});

describe("records that a validating resolver refuses", () => {
  it("are told where they were known, and name nothing", async () => {
    const { state, again, of, end } = await lookedBy(agent("v=aid2;p=a2a;u=https://HOST/a2a"));
    Object.assign(state, { fails: true, bogus: true });
    const later = await again();
    await end();
    expect(of("_agent", later)).toMatchObject({ answer: "error", dnssec: "bogus", usable: false });
    expect(later.presence.services).toEqual([]);
    expect(later.presence.descriptors).toHaveLength(1);
  });
});

interface Labelled {
  zone: string;
  name: string | null;
  verdict: string;
}

const labels = dataFile("agent-web-2/dns/dns.jsonl");

describe.skipIf(!labels)("records of the corpus", () => {
  it("are judged as they are labelled", () => {
    const rows = readFileSync(labels!, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Labelled)
      .filter(({ name, verdict }) => name !== null && verdict !== "to_be_checked");
    const zone = readFileSync(dataFile("agent-web-2/dns/made.zone")!, "utf8").split("\n");
    const judged = rows.map(({ name, verdict }) => {
      const lines = zone.filter((line) => line.startsWith(`${name}. `));
      const row = RECORD_FORMATS.find(({ label }) =>
        label === "" ? !name!.startsWith("_") : name!.startsWith(`${label}.`),
      )!;
      const context = { domain: name!.slice(row.label === "" ? 0 : row.label.length + 1), now: 0 };
      const reading =
        row.type === "TXT"
          ? row.read(
              lines.map((line) => /TXT "(.*)"$/.exec(line)![1]!),
              context,
            )
          : row.read(
              lines.map((line) => ({
                priority: 1,
                target: / SVCB 1 (\S+)\. /.exec(line)![1]!,
                parameters: [],
              })),
              context,
            );
      return [name, verdict === "fail", reading?.conforms === false];
    });
    expect(judged.length).toBeGreaterThan(10);
    expect(judged.filter(([, is, told]) => is !== told)).toEqual([]);
  });
});
