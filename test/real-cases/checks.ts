/** Runs one check of a case against a registry, and says what does not hold. */
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { makeLicense } from "../support/license.ts";
import type { TestRegistry } from "../support/registry.ts";
import type { Check, Expectation } from "./cases.ts";
import type { CaseWeb } from "./web.ts";

export interface CheckContext {
  registry: TestRegistry;
  web: CaseWeb;
  /** A gateway key of the highest plan. */
  key: string;
}

const WEBHOOK_ENDS = new Set(["delivered", "failed"]);
const WEBHOOK_LOOKS = 150;
const LOOK_EVERY_MS = 100;

/** The value at a JSON pointer (RFC 6901); `length` of an array is its length. */
const valueAt = (document: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<any>((value, part) => value?.[part], document);

function seen({ at, where, get }: Expectation, body: unknown): unknown {
  let value: any = valueAt(body, at);
  if (where)
    value = Array.isArray(value)
      ? value.find((entry) => Object.entries(where).every(([name, wanted]) => entry?.[name] === wanted))
      : undefined;
  return get === undefined ? value : value?.[get];
}

const faultsOf = (expectations: readonly Expectation[], body: unknown): string[] =>
  expectations.flatMap((expectation) => {
    const value = seen(expectation, body);
    const { at, is, isNot, notMatches } = expectation;
    const said = `${at} is ${JSON.stringify(value)}`;
    if ("is" in expectation && !isDeepStrictEqual(value ?? null, is ?? null))
      return [`${said}, not ${JSON.stringify(is)}`];
    if ("isNot" in expectation && isDeepStrictEqual(value, isNot)) return [said];
    return notMatches !== undefined && new RegExp(notMatches).test(String(value)) ? [said] : [];
  });

async function askApi({ registry, key }: CheckContext, check: Extract<Check, { kind: "api" }>) {
  const reply = await fetch(registry.url + check.path, {
    method: check.method,
    headers: { "x-bridge-key": key, "content-type": "application/json", ...check.headers },
    ...(check.json !== undefined && { body: JSON.stringify(check.json) }),
  });
  const text = await reply.text();
  const faults: string[] = [];
  if (check.status && !check.status.includes(reply.status)) faults.push(`status ${reply.status}: ${text}`);
  if (check.bodyNotMatches && new RegExp(check.bodyNotMatches).test(text))
    faults.push(`the body matches ${check.bodyNotMatches}`);
  const body = check.expect.length > 0 ? JSON.parse(text) : undefined;
  const found = faultsOf(check.expect, body);
  return [...faults, ...(found.length > 0 ? [...found, text.slice(0, 600)] : [])];
}

async function act(
  { registry }: CheckContext,
  { host, page, action, expect }: Extract<Check, { kind: "session" }>,
) {
  const { key: licenseKey } = await makeLicense(registry.runtime.broker, host, {
    permissions: { readContent: true, navigate: true, fillForms: true, click: true },
  });
  const opened = await registry.postJson("/api/bridge/authenticate", {
    licenseKey,
    agentId: "case",
    agentName: "Case",
  });
  const send = async (command: object) => {
    const reply = await fetch(`${registry.url}/api/bridge/execute`, {
      method: "POST",
      headers: { authorization: `Bearer ${opened.body.session.token}`, "content-type": "application/json" },
      body: JSON.stringify(command),
    });
    return (await reply.json()) as unknown;
  };
  await send({ action: "navigate", target: page });
  const body = await send(action);
  const found = faultsOf(expect, body);
  return found.length > 0 ? [...found, JSON.stringify(body).slice(0, 600)] : [];
}

async function deliver(
  { registry, web }: CheckContext,
  { host, expect }: Extract<Check, { kind: "webhook" }>,
) {
  const asked = await registry.postJson("/api/discovery/provider/verify-batch", {
    domains: [web.hosts[0]],
    callback_url: `https://${host}/hook`,
  });
  const path = `/api/discovery/provider/batches/${asked.body.request_id}`;
  let last: unknown = asked.body;
  for (let look = 0; look < WEBHOOK_LOOKS; look++) {
    const { body } = await registry.getJson(path);
    last = body;
    if (WEBHOOK_ENDS.has(body.delivery?.state)) return faultsOf(expect, body.delivery);
    await wait(LOOK_EVERY_MS);
  }
  return [`the webhook has not ended: ${JSON.stringify(last)}`];
}

function wasRequested({ web }: CheckContext, { host, never, always }: Extract<Check, { kind: "requested" }>) {
  const targets = web.requested(host);
  return [
    ...never.filter((path) => targets.includes(path)).map((path) => `${path} was requested`),
    ...always
      .filter((path) => !targets.includes(path))
      .map((path) => `${path} was not requested of ${targets}`),
  ];
}

/** @returns what does not hold; empty: all does */
export async function runCheck(context: CheckContext, check: Check): Promise<string[]> {
  const { registry } = context;
  switch (check.kind) {
    case "api":
      return askApi(context, check);
    case "session":
      return act(context, check);
    case "site":
      return faultsOf(check.expect, (await registry.getJson(`/api/registry/sites/${check.host}`)).body);
    case "verify": {
      const { body } = await registry.postJson("/api/discovery/provider/verify-batch", {
        domains: [check.host],
      });
      const [result] = body?.results ?? [];
      const found = faultsOf(check.expect, result);
      return found.length > 0 ? [...found, JSON.stringify(result)?.slice(0, 600)] : [];
    }
    case "webhook":
      return deliver(context, check);
    case "requested":
      return wasRequested(context, check);
  }
}
