/** What the overload bench asks for: one kind of operation each, and what it needs first. */
import { readConfig } from "../../../src/runtime/config.ts";
import { createOperator } from "../../support/operator.ts";
import type { Request } from "./generator.ts";

const PASSWORD = "correct horse battery";
const JSON_TYPE = { "content-type": "application/json" };

/** A registry that runs, as the kinds see it. */
export interface Target {
  origin: string;
  home: string;
  /** Of the process with the front. */
  pid: number;
  /** Those that it may use, as `taskset` names them. */
  processors: string;
}

export interface Kind {
  name: string;
  /** The operation's own (contracts). */
  deadlineMs: number;
  /** Requests a second of the first step. */
  firstRate: number;
  engine: "sqlite" | "elasticsearch";
  prepare(target: Target): Promise<Requests>;
}

export interface Requests {
  /** Of those who flood. */
  requests: Request[];
  /** Of somebody else. */
  others: Request[];
}

/** The last of several callers is somebody else. */
const apart = (callers: Request[][]): Requests => ({
  requests: callers.slice(0, -1).flat(),
  others: callers.at(-1)!,
});

/** An address of one network of its own: TEST-NET-like blocks hold too few. */
export const addressOf = (i: number): string => `100.${64 + (i % 64)}.${1 + Math.floor(i / 64)}.7`;

async function post(target: Target, path: string, body: unknown, headers: Record<string, string> = {}) {
  const reply = await fetch(target.origin + path, {
    method: "POST",
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  });
  const json = (await reply.json()) as Record<string, unknown>;
  if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(json)}`);
  return json;
}

const WORDS = ["tea", "hotel", "vegan", "bakery", "travel", "book", "shop", "music", "garden", "coffee"];

const searches = async (): Promise<Requests> =>
  apart(
    WORDS.map((word) =>
      WORDS.map((other) => ({ method: "GET", path: `/api/bridge/search?limit=10&q=${word}+${other}` })),
    ),
  );

function register(target: Target, i: number) {
  const email = `overload-${i}@shop.example`;
  return post(
    target,
    "/api/auth/register",
    { email, password: PASSWORD, name: "Overload" },
    { "x-forwarded-for": addressOf(i) },
  ).then(() => email);
}

const ACCOUNTS = 32;
/** Each account from its one address: request, account and address take turns alike. */
async function logIns(target: Target): Promise<Requests> {
  const callers: Request[][] = [];
  for (let i = 0; i < ACCOUNTS; i++) {
    const body = JSON.stringify({ email: await register(target, i), password: PASSWORD });
    callers.push([{ method: "POST", path: "/api/auth/login", headers: JSON_TYPE, body }]);
  }
  return apart(callers);
}

const CUSTOMERS = 4;
/** Of each customer: the quotas of fewer end before what a quick machine answers. */
const KEYS = 48;
const PARAGRAPHS = 60;
const page = (): string =>
  `<main>${Array.from({ length: PARAGRAPHS }, (_, i) => `<p style="color:#${(i * 37) % 10}33">Tea number ${i} ships today. Only ${i} left.</p>`).join("")}</main>`;

/** The scans of one customer, by keys that take turns: each has a quota of its own. */
async function scansOf(target: Target, customer: number): Promise<Request[]> {
  const email = await register(target, customer);
  await createOperator(readConfig({ BRIDGE_HOME: target.home })).grant(email, "enterprise");
  const { token } = await post(target, "/api/auth/login", { email, password: PASSWORD });
  const keys: string[] = [];
  // One after the other: a busy machine refuses some of many at once.
  for (let i = 0; i < KEYS; i++) {
    const asked = { plan: "BUSINESS", owner: `bench ${i}`, email };
    const { key } = await post(target, "/api/v1/keys/generate", asked, { authorization: `Bearer ${token}` });
    keys.push(String(key));
  }
  const body = JSON.stringify({ html: page() });
  return keys.map(
    (key): Request => ({
      method: "POST",
      path: "/api/v1/firewall/scan",
      headers: { ...JSON_TYPE, "x-bridge-key": key },
      body,
    }),
  );
}

async function scans(target: Target): Promise<Requests> {
  const customers: Request[][] = [];
  for (let i = 0; i < CUSTOMERS; i++) customers.push(await scansOf(target, i));
  return apart(customers);
}

export const KINDS: readonly Kind[] = [
  {
    name: "search on Elasticsearch",
    deadlineMs: 5_000,
    firstRate: 8,
    engine: "elasticsearch",
    prepare: searches,
  },
  { name: "search on SQLite", deadlineMs: 5_000, firstRate: 64, engine: "sqlite", prepare: searches },
  { name: "gateway scan", deadlineMs: 15_000, firstRate: 16, engine: "sqlite", prepare: scans },
  { name: "log-in", deadlineMs: 10_000, firstRate: 8, engine: "sqlite", prepare: logIns },
];
