import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RecordedExample } from "../../app/front/openapi.ts";
import { openAccessLog } from "../../app/processes/access-log.ts";
import { services } from "../../app/services.ts";
import { DEFAULT_BODY_LIMIT_BYTES, type OperationSpec, timeoutOf } from "../../src/rpc/contract.ts";
import { isErrorCode } from "../../src/rpc/errors.ts";
import { anyCharacter } from "../support/any-character.ts";
import { badBytes, badInputs } from "../support/bad-input.ts";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { expectProblem, expectRefused } from "../support/problems.ts";
import { type RawReply, request } from "../support/raw-http.ts";
import { startRegistry, type TestRegistry } from "../support/registry.ts";
import { startUsersBroker, type UsersBroker } from "../support/users-broker.ts";
import { createVisitor, type Visitor } from "../support/visitor.ts";
import { exampleOf, writeExamples } from "./recorded-examples.ts";

const operations = services.flatMap((service) =>
  Object.entries(service.operations).map(([name, operation]) => [name, operation] as const),
);

let registry: TestRegistry;
let users: UsersBroker;
let mail: MailServer;
let visitor: Visitor;
/** Whatever the processes logged, the access log among it. */
const lines: string[] = [];
/** Credentials that requests were sent with, or that replies issued. */
const sent = new Set<string>();
beforeAll(async () => {
  // Each role with the broker's user of its own: an operation that needs more than it may do is seen here.
  const prefix = `t${randomBytes(6).toString("hex")}`;
  users = await startUsersBroker(prefix);
  mail = await startMailServer();
  const config = {
    BRIDGE_NATS_PREFIX: prefix,
    BRIDGE_LOG_LEVEL: "trace" as const,
    BRIDGE_SMTP_URL: mail.url,
  };
  registry = await startRegistry({
    threads: true,
    world: { sites: 8, soundShare: 1, seed: 5 },
    config,
    users,
    logs: { write: (line) => void lines.push(line) },
    accessLog: openAccessLog(100, (line) => lines.push(line))!,
  });
  await registry.crawl();
  visitor = createVisitor(registry);
});
/** By operationId; written by `npm run generate -- examples`. */
const recorded: Record<string, RecordedExample> = {};
afterAll(async () => {
  if (process.env.RECORD_EXAMPLES) writeExamples(recorded);
  const violations = users?.violations();
  await registry?.stop();
  await users?.stop();
  await mail?.stop();
  expect(violations).toEqual([]);
});

/** Keys, licenses and tokens in bodies: 256 bits and more of base62 or base64url. */
const secretsIn = (...texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    [...text.matchAll(/[\w-]{43,}/g)].flatMap(([run]) =>
      /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) ? run : [],
    ),
  );

async function sendTo(
  operation: OperationSpec,
  path: string,
  body?: unknown,
  credentials?: readonly string[],
): Promise<RawReply> {
  credentials ??= await visitor.headersFor(operation);
  const json = body === undefined ? [] : ["Content-Type: application/json"];
  for (const field of credentials) sent.add(field.slice(field.lastIndexOf(" ") + 1));
  const headers = [...json, ...credentials];
  const text = body === undefined ? "" : JSON.stringify(body);
  const reply = await request(registry.url, `${operation.method} ${path}`, headers, text);
  for (const secret of secretsIn(text, reply.body)) sent.add(secret);
  return reply;
}

/** What strangers may change: tokens of the frontier, records of sites, allowances of reporters and candidates. */
async function kept() {
  const { frontier, sites, broker } = registry.runtime;
  const { tokens } = await frontier.lag();
  return { tokens, siteCount: await sites.count(), reports: await broker.buckets.gossip_reports.count() };
}

const pathPattern = (path: string): RegExp =>
  new RegExp(
    `^${path
      .replace(/[.]/g, "\\.")
      .replace("{rest}", ".+")
      .replace(/\{\w+\}/g, "[^/]+")}$`,
  );

describe.each(operations)("%s", (name, operation) => {
  const { method, paths } = operation;
  it("answers its own example as its contract says", async () => {
    const { path, body } = await visitor.exampleOf(operation);
    const reply = await sendTo(operation, path, body);
    // What a request that was taken set going must not be counted against the next ones, which are refused.
    if (method !== "GET" && !paths[0].startsWith("/api/v1/")) await registry.settled();
    expect(reply.status, reply.body.slice(0, 300)).toBe(operation.status ?? 200);
    expect(paths.some((each) => pathPattern(each).test(path.split("?")[0]!))).toBe(true);
    if (operation.contentType === "application/octet-stream") return;
    const isJson = (operation.contentType ?? "application/json") === "application/json";
    const answered = isJson ? JSON.parse(reply.body) : reply.body;
    expect(operation.reply.safeParse(answered).error).toBeUndefined();
    recorded[name] = exampleOf(operation, body, answered);
  });

  it("refuses every input that is not its contract's, and changes nothing", async () => {
    const before = await kept();
    const credentials = await visitor.headersFor(operation);
    for (const { name, path, body } of badInputs(operation, await visitor.exampleOf(operation))) {
      const problem = expectRefused(await sendTo(operation, path, body, credentials), name);
      expect(problem.errors?.length, name).toBeGreaterThan(0);
    }
    expect(await kept()).toEqual(before);
  });

  if (operation.body)
    it("refuses every body that cannot be read, and changes nothing", async () => {
      const before = await kept();
      const credentials = await visitor.headersFor(operation);
      for (const [name, body, type] of badBytes(operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES))
        expectRefused(
          await request(
            registry.url,
            `${method} ${paths[0]}`,
            [`Content-Type: ${type}`, ...credentials],
            body,
          ),
          name,
        );
      expect(await kept()).toEqual(before);
    });

  it("refuses names that it does not know, those of prototypes too, but where strangers link to it", async () => {
    const { path, body } = await visitor.exampleOf(operation);
    const join = path.includes("?") ? "&" : "?";
    const names = ["__proto__", "constructor", "prototype", "toString", "__proto__[polluted]", "unknown"];
    const odd = `${path}${join}${names.map((name) => `${encodeURIComponent(name)}=1`).join("&")}`;
    const reply = await sendTo(
      operation,
      odd,
      body && { ...body, constructor: { prototype: { polluted: 1 } }, unknown: 1 },
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    if (operation.anyQuery) return expect(reply.status).toBe(operation.status ?? 200);
    const { code, errors } = expectRefused(reply, odd);
    expect(code).toBe("unknown_parameter");
    for (const name of names) expect(errors?.map(({ pointer }) => pointer)).toContain(`/query/${name}`);
  });

  it.each(paths)("serves no other method at %s", async (path) => {
    const served = operations
      .filter(([, other]) => other.paths.includes(path))
      .map(([, other]) => other.method);
    for (const other of (["GET", "POST", "PUT", "DELETE", "PATCH"] as const).filter(
      (one) => !served.includes(one),
    )) {
      const reply = await request(registry.url, `${other} ${path}`, ["Content-Type: application/json"], "{");
      expect([reply.status, expectProblem(reply, other).code]).toEqual([405, "method_not_allowed"]);
      expect(reply.headers.allow).toContain(method);
    }
  });

  if (method === "GET")
    it("answers HEAD as GET without the body", async () => {
      const { path } = await visitor.exampleOf(operation);
      const head = await request(registry.url, `HEAD ${path}`, await visitor.headersFor(operation));
      expect([head.status, head.body]).toEqual([200, ""]);
      expect(Number(head.headers["content-length"])).toBeGreaterThan(0);
    });
});

describe("what the processes say of requests", () => {
  const PLANTED = "planted-secret";
  const MAIL = "planted.person@mail.example";

  /** A request with secrets wherever a caller could put them, by mistake too. */
  const plant = async (operation: OperationSpec): Promise<void> => {
    const path = operation.paths[0].replace(/\{\w+\}/g, `${PLANTED}.example`);
    const fields = [
      "Content-Type: application/json",
      `Authorization: Bearer ${PLANTED}`,
      `Cookie: sid=${PLANTED}`,
    ];
    const more = [`X-Bridge-Key: ${PLANTED}`, `X-Project-Key: ${PLANTED}`, `Idempotency-Key: ${PLANTED}`];
    const body = {
      email: MAIL,
      password: PLANTED,
      license_key: PLANTED,
      callback_secret: PLANTED,
      wallet: [PLANTED],
    };
    const query = `api_key=${PLANTED}&token=${PLANTED}&confirm=https%3A%2F%2Fu%3A${PLANTED}%40x.example`;
    const text = operation.method === "GET" ? "" : JSON.stringify(body);
    const reply = await request(
      registry.url,
      `${operation.method} ${path}?${query}`,
      [...fields, ...more],
      text,
    );
    expect(reply.status).toBeLessThan(500);
  };

  it("holds no credential and no mail address, whatever was sent, nor do metrics", async () => {
    for (const [, operation] of operations) await plant(operation);
    await expect
      .poll(() => lines.filter((line) => line.includes('"msg":"request"')).length)
      .toBeGreaterThan(operations.length);
    const said = [...lines, await registry.metrics.text()].join("\n");
    expect(said).not.toContain(PLANTED);
    expect(said).not.toMatch(/[\w.+-]+(?:@|%40)[a-z0-9-]+\.example/);
    expect(sent.size).toBeGreaterThan(10);
    for (const credential of sent) expect(said, credential).not.toContain(credential);
  });

  it("has no series that a stranger made", async () => {
    const series = async () =>
      (await registry.metrics.text()).split("\n").filter((line) => line.startsWith("bridge_http"));
    const ask = async (round: number): Promise<void> => {
      for (const method of ["GET", "POST", "PROPFIND", "M-SEARCH", "LOCK"])
        for (const path of [`/${round}/x`, `/api/bridge/search?q=${round}`, `/docs?${round}`, `/%ff${round}`])
          await request(registry.url, `${method} ${path}`, [
            `X-Request-Id: r${round}`,
            `User-Agent: ${round}`,
          ]);
    };
    await ask(1);
    const before = await series();
    for (let round = 2; round < 12; round++) await ask(round);
    expect((await series()).length).toBe(before.length);
  });
});

describe("ten megabytes", () => {
  const byLimit = new Map(
    operations
      .filter(([, { body }]) => body)
      .map((named) => [named[1].bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES, named]),
  );
  it.each([...byLimit.values()])(
    "are refused by %s, as by all that take as much as it",
    async (name, operation) => {
      const headers = ["Content-Type: application/json", ...(await visitor.headersFor(operation))];
      const body = Buffer.alloc(10_000_000, " ");
      const line = `${operation.method} ${operation.paths[0]}`;
      expectRefused(await request(registry.url, line, headers, body), name);
    },
  );
});

/** Any reply that a client may get for what it sent: success, or a refusal with a declared code. */
function expectAnswered(reply: RawReply, what: string): void {
  if (reply.status < 300) return;
  const { code } = expectRefused(reply, what);
  expect(isErrorCode(code)).toBe(true);
}
async function timely(ask: () => Promise<RawReply>, timeoutMs: number): Promise<RawReply> {
  const started = performance.now();
  const reply = await ask();
  expect(performance.now() - started).toBeLessThan(timeoutMs);
  return reply;
}

describe("whatever is sent", () => {
  const escaped = anyCharacter.map((each) => encodeURIComponent(each));
  /** Octets as a query string may hold them: anything but what ends the request line. */
  const anyQuery = fc.oneof(
    // What a URL may hold: `fc.webQueryParameters` takes a second to be set up.
    fc.string({
      unit: fc.oneof(escaped, fc.constantFrom(..."&=+;/?:@!$'()*,-._~aZ09".split(""))),
      maxLength: 100,
    }),
    fc.string({ unit: fc.constantFrom(..."%&=+;?/#[]{}ab01é\u0080".split("")), maxLength: 200 }),
  );
  const known = ["q", "category", "limit", "offset", "cursor", "intent", "location", "trust_ring", "siteId"];
  const knownQuery = fc
    .array(fc.tuple(fc.constantFrom(...known), fc.string({ unit: anyCharacter, maxLength: 40 })), {
      maxLength: 5,
    })
    .map((pairs) =>
      pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join("&"),
    );
  const latin1 = (text: string): string => text.replace(/[^\u0021-\u007e\u0080-\u00ff]/g, "");

  it("as a query, the answer is a success or a declared refusal, in time", async () => {
    const gets = operations.filter(([, { method }]) => method === "GET");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...gets),
        fc.oneof(anyQuery, knownQuery),
        async ([, operation], query) => {
          const target = `${operation.paths[0]}?${latin1(query)}`;
          const credentials = await visitor.headersFor(operation);
          expectAnswered(
            await timely(() => request(registry.url, `GET ${target}`, credentials), timeoutOf(operation)),
            target,
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  it("as a body, the answer is a success or a declared refusal, in time", async () => {
    const posts = operations.filter(([, { body }]) => body !== undefined);
    const members = posts.flatMap(([, { body }]) => Object.keys(body!.shape));
    const anyBody = fc.oneof(
      fc.json({ maxDepth: 6 }),
      fc.string({ unit: anyCharacter, maxLength: 200 }),
      fc
        .dictionary(fc.constantFrom(...members), fc.jsonValue({ maxDepth: 3 }))
        .map((body) => JSON.stringify(body)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...posts), anyBody, async ([, operation], body) => {
        const headers = ["Content-Type: application/json", ...(await visitor.headersFor(operation))];
        const ask = () => request(registry.url, `${operation.method} ${operation.paths[0]}`, headers, body);
        expectAnswered(await timely(ask, timeoutOf(operation)), body);
      }),
      { numRuns: 200 },
    );
  });

  it("as a path, the answer is a success or a declared refusal", async () => {
    const anyPath = fc.string({ unit: fc.constantFrom(..."/%.:{}*?ab0é\u0080".split("")), maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(anyPath, async (path) => {
        const reply = await request(registry.url, `GET /${latin1(path)}`);
        if (reply.status !== 302) expectAnswered(reply, path);
      }),
      { numRuns: 150 },
    );
  });
});
