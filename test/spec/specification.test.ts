import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentSha256 } from "../../src/domain/trust/manifest.ts";
import { expectProblem } from "../support/problems.ts";
import { type RawReply, request } from "../support/raw-http.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import type { Parameter } from "./operations/row.ts";
import { BEYOND_SPECIFICATION, OPERATIONS } from "./operations.ts";
import { BEACON, DISCOVERY_DOCUMENT } from "./payloads.ts";
import { fill, type Given, type Payload, type Row } from "./row.ts";
import { ACCOUNT_ROWS } from "./rows/accounts.ts";
import { ROWS } from "./rows.ts";
import { differences } from "./shape.ts";

let registry: TestRegistry;
let given: Given;
beforeAll(async () => {
  registry = await startRegistry({ world: { sites: 56, soundShare: 1, seed: 11 } });
  await registry.crawl();
  const { host, category, words } = registry.world.hosts[0]!;
  given = { host, category, word: words.description, enabled: 56, publicUrl: registry.url };
});
afterAll(() => registry?.stop());

const send = ({ request: { method = "GET", path, host, body } }: Row): Promise<RawReply> =>
  request(
    registry.url,
    `${method} ${fill(path, given)}`,
    [
      ...(host ? [`Host: ${fill(host, given)}`] : []),
      ...(body === undefined ? [] : ["Content-Type: application/json"]),
    ],
    body === undefined ? "" : fill(JSON.stringify(body), given),
  );

describe("the specification", () => {
  it.each([...ROWS, ...ACCOUNT_ROWS].map((row) => [row.name, row] as const))("%s", async (_, row) => {
    const { status, contentType, shape, code, also } = row.expect;
    const reply = await send(row);
    expect(reply.status, reply.body.slice(0, 500)).toBe(status);
    expect(reply.headers["x-bridge-enabled"]).toBe("1.0");
    if (code) expect(expectProblem(reply, row.name).code).toBe(code);
    else expect(reply.headers["content-type"]).toBe(contentType ?? "application/json; charset=utf-8");
    const body: Payload = JSON.parse(reply.body);
    expect(shape ? differences(body, shape) : []).toEqual([]);
    expect(also ? also(body, given) : true, reply.body.slice(0, 2_000)).toBe(true);
  });
});

interface Parameters {
  name: string;
  in: string;
  required: boolean;
  schema: Parameter;
}
interface OperationObject {
  parameters?: Parameters[];
  requestBody?: {
    content: {
      "application/json": { schema: { properties: Record<string, Parameter>; required?: string[] } };
    };
  };
  responses: Record<string, { content: Record<string, unknown> }>;
  security: unknown[];
}

/** What a parameter's row says, read from its schema. */
const read = (schema: Parameter, row: Parameter): Partial<Parameter> =>
  Object.fromEntries(
    Object.keys(row).map((key) => [key, schema[key as keyof Parameter]]),
  ) as Partial<Parameter>;

describe("the OpenAPI document states the specification's operations", () => {
  it.each(OPERATIONS)(
    "$method $path",
    async ({
      method,
      path,
      query = {},
      body,
      added = [],
      addedBody = [],
      status,
      contentType,
      errors = [],
    }) => {
      const document = (await registry.getJson("/openapi.json")).body;
      const operation: OperationObject = document.paths[path][method.toLowerCase()];
      const parameters = (operation.parameters ?? []).filter((one) => one.in === "query");
      expect(parameters.map(({ name }) => name).sort()).toEqual([...Object.keys(query), ...added].sort());
      for (const [name, row] of Object.entries(query)) {
        const parameter = parameters.find((one) => one.name === name)!;
        expect({
          name,
          ...read({ ...parameter.schema, ...(parameter.required && { required: true }) }, row),
        }).toEqual({
          name,
          ...row,
        });
        expect(parameter.required).toBe(row.required === true);
      }
      const named = operation.requestBody?.content["application/json"].schema;
      const { $ref } = (named ?? {}) as { $ref?: string };
      const members = $ref ? document.components.schemas[$ref.split("/").at(-1)!] : named;
      expect(Object.keys(members?.properties ?? {}).sort()).toEqual(
        [...Object.keys(body ?? {}), ...addedBody].sort(),
      );
      for (const [name, row] of Object.entries(body ?? {})) {
        const required = members!.required?.includes(name) && { required: true as const };
        expect({ name, ...read({ ...members!.properties[name]!, ...required }, row) }).toEqual({
          name,
          ...row,
        });
      }
      expect(Object.keys(operation.responses[status]!.content)).toEqual([contentType]);
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(errors.map(String)));
    },
  );

  it("and none that this table leaves out", async () => {
    const document = (await registry.getJson("/openapi.json")).body;
    const served = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const rows = OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    expect(served.sort()).toEqual([...rows, ...BEYOND_SPECIFICATION].sort());
  });
});

const manifestOf = (document: { manifest: { payload: string } }) =>
  JSON.parse(Buffer.from(document.manifest.payload, "base64url").toString());

describe("a discovery document", () => {
  it.each(["own", "crawled"])("is served as it was signed: the registry's %s", async (whose) => {
    const headers = whose === "own" ? [] : [`Host: ${given.host}`];
    const { body } = await request(registry.url, "GET /.well-known/bridge.json", headers);
    const document = JSON.parse(body);
    const manifest = manifestOf(document);
    expect(manifest.handshake).toBe("bridge-trust-handshake/1.1");
    expect(manifest.document_sha256).toBe(documentSha256(document));
    expect(manifest.domain).toBe(document.provider.domain);
    expect(Date.parse(manifest.expires_at)).toBeGreaterThan(Date.now());
  });

  it("has the same bytes at both paths, now and later", async () => {
    const first = await request(registry.url, "GET /agent-bridge.json");
    const second = await request(registry.url, "GET /.well-known/bridge.json");
    expect(second.body).toBe(first.body);
    expect(second.headers.etag).toBe(first.headers.etag);
    expect(differences(JSON.parse(first.body), DISCOVERY_DOCUMENT)).toEqual([]);
  });

  it("names every operation of the protocol by its absolute address", async () => {
    const { body } = await registry.getJson("/.well-known/bridge.json");
    const addresses = new Set(Object.values<string>(body.endpoints));
    for (const path of [
      "/api/bridge/ping",
      "/api/bridge/discover",
      "/api/bridge/search",
      "/api/registry/report",
    ])
      expect([...addresses]).toContain(registry.url + path);
  });

  it("is not sent again to a client that has it", async () => {
    const { headers } = await request(registry.url, "GET /agent-bridge.json");
    for (const known of [headers.etag!, `W/${headers.etag}`, `"other", ${headers.etag}`, "*"]) {
      const again = await request(registry.url, "GET /.well-known/bridge.json", [`If-None-Match: ${known}`]);
      expect([again.status, again.body, again.headers.etag]).toEqual([304, "", headers.etag]);
      expect(again.headers["x-request-id"]).toBeDefined();
    }
    const other = await request(registry.url, "GET /agent-bridge.json", ['If-None-Match: "other"']);
    expect(other.status).toBe(200);
  });
});

describe("every reply", () => {
  it.each(["/", "/docs", "/openapi.json", "/healthz", "/readyz", "/api/bridge/ping", "/nowhere"])(
    "has an id of its own and says that the bridge is here: %s",
    async (path) => {
      const [one, two] = [
        await request(registry.url, `GET ${path}`),
        await request(registry.url, `GET ${path}`),
      ];
      expect(one.headers["x-bridge-enabled"]).toBe("1.0");
      expect(one.headers["x-request-id"]).not.toBe(two.headers["x-request-id"]);
    },
  );

  it.each(["/", "/docs", "/openapi.json", "/healthz", "/readyz"])(
    "of a page is for GET alone: %s",
    async (path) => {
      const reply = await request(registry.url, `POST ${path}`, ["Content-Type: application/json"], "{}");
      expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD, OPTIONS"]);
      expectProblem(reply, path);
    },
  );

  it("names addresses of the registry's own, whatever Host is sent", async () => {
    const reply = await request(registry.url, "GET /api/registry/discover", ["Host: evil.example"]);
    expect(reply.body).not.toContain("evil.example");
  });
});

describe("reports", () => {
  it("are merged as candidates to verify: each new domain gets one token", async () => {
    const added = await registry.world.add("sound");
    const peer = await registry.world.add("sound");
    expect(await registry.runtime.frontier.has(added.host)).toBe(false);
    const body = {
      domain: added.host,
      gossip_peers: [{ domain: peer.host, trust_ring: 4, intent_tags: ["x"] }],
    };
    const { status } = await registry.postJson("/api/registry/report", body);
    expect(status).toBe(200);
    expect(await registry.runtime.frontier.has(added.host)).toBe(true);
    expect(await registry.runtime.frontier.has(peer.host)).toBe(true);
    await registry.settled();
    const found = await registry.getJson(`/api/bridge/search?q=${added.words.description}`);
    expect(found.body.results.map(({ siteId }: { siteId: string }) => siteId)).toEqual([added.host]);
    const listing = await registry.getJson(`/api/discovery/search?q=${peer.words.description}`);
    expect(listing.body.results[0].trust_ring).toBe(3);
  });

  it("are answered alike whether the domain is new, known or refused as a candidate", async () => {
    const answers = [];
    for (const domain of [given.host, "new-shop.example", "new-shop.example"])
      answers.push((await registry.postJson("/api/registry/report", { domain })).body);
    expect(new Set(answers.map((answer) => Object.keys(answer).join())).size).toBe(1);
    expect(new Set(answers.map(({ instructions }) => instructions)).size).toBe(1);
  });
});

describe("pages of the registry", () => {
  it("keep their entity tag while nothing in them changes, cursor included", async () => {
    const tag = async () => (await request(registry.url, "GET /api/discovery/registry?limit=9")).headers.etag;
    const first = await tag();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await tag()).toBe(first);
  });

  it("hold every site once, by cursor and by offset, in the same order", async () => {
    const collect = async (next: (body: Payload, page: number) => string | undefined): Promise<string[]> => {
      const seen: string[] = [];
      for (let page = 0, path: string | undefined = "/api/discovery/registry?limit=9"; path; page++) {
        const { body }: { body: Payload } = await registry.getJson(path);
        seen.push(...body.listings.map(({ domain }) => domain));
        path = next(body, page);
      }
      return seen;
    };
    const byCursor = await collect((body) =>
      body.next_cursor
        ? `/api/discovery/registry?limit=9&cursor=${encodeURIComponent(body.next_cursor)}`
        : undefined,
    );
    const byOffset = await collect((body, page) =>
      body.listings.length === 9 ? `/api/discovery/registry?limit=9&offset=${(page + 1) * 9}` : undefined,
    );
    expect(byCursor).toEqual(byOffset);
    expect(new Set(byCursor).size).toBe(byCursor.length);
    expect(byCursor.length).toBeGreaterThanOrEqual(given.enabled);
  });
});

describe("beacons", () => {
  it("lead from one host to the next through the registry itself", async () => {
    const own = JSON.parse((await request(registry.url, "GET /.bridge")).body);
    const visited = new Set<string>();
    let next: string = own.next[0].domain;
    for (let step = 0; step < 5; step++) {
      const beacon = JSON.parse((await request(registry.url, "GET /.bridge", [`Host: ${next}`])).body);
      expect(differences(beacon, BEACON)).toEqual([]);
      visited.add(next);
      next = beacon.next.find(({ domain }: { domain: string }) => !visited.has(domain)).domain;
    }
    expect(visited.size).toBe(5);
  });
});
