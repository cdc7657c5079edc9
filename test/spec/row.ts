/** One row: what a client asks and what it gets. */
import { PROBLEM } from "./payloads.ts";
import type { Shape } from "./shape.ts";

/** What the world of the test holds, and where the registry says it is. "$host" in a request stands for the member. */
export interface Given {
  /** An enabled host, its category and a word of its description alone. */
  host: string;
  category: string;
  word: string;
  /** How many enabled sites there are: more than any default limit. */
  enabled: number;
  publicUrl: string;
}

/** The members that rows look at beyond the shape, which is checked before: each is in the replies that have it. */
export interface Payload {
  status: string;
  bridge_version: string;
  provider: { domain: string };
  endpoints: Record<string, string>;
  query: string;
  total: number;
  results: { siteId: string }[];
  category: string;
  limit: number;
  offset: number;
  next_cursor: string | null;
  listings: {
    domain: string;
    category: string;
    neutrality_score: number;
    trust_score: number;
    trust_reasons: Record<string, number>;
  }[];
  count: number;
  peers: { trust_ring: number; intent_tags: string[] }[];
  instructions: string;
  bridge_meta: { trust_ring: number; registry: string; spider_report: string };
  domain: string;
  trust_ring: number;
  score: number;
  intent_tags: string[];
  next: { domain: string; url: string }[];
  errors: { pointer: string; message: string }[];
  plans: { tier: string; features: string }[];
  token: string;
  state: string;
  record: { host: string; host_fqdn: string; value: string };
  ready: boolean;
  request: { domain: string; action: string; endpoint: string };
  steps: { operation: { action: string } }[];
  rollback: { steps: { operation: { action: string } }[] };
  checks: Record<string, { state: string; reason: string }>;
  summary: Record<string, number>;
  callback: { accepted: boolean };
}

/** A request's text with its `$names` filled in; "$HOST" is the host in upper case, "$last" the number of the last site. */
export const fill = (text: string, given: Given): string =>
  text
    .replaceAll("$HOST", given.host.toUpperCase())
    .replaceAll("$host", given.host)
    .replaceAll("$category", given.category)
    .replaceAll("$word", given.word)
    .replaceAll("$last", String(given.enabled - 1));

export interface Row {
  name: string;
  request: {
    method?: "GET" | "POST";
    path: string;
    /** Default: the registry's own. */
    host?: string;
    body?: unknown;
  };
  expect: {
    status: number;
    /** Default: application/json, or application/problem+json for a failure. */
    contentType?: string;
    shape?: Shape;
    /** The stable code of a failure. */
    code?: string;
    /** What a table of types cannot say; returns what is wrong. */
    also?: (body: Payload, given: Given) => boolean;
  };
}

export const ok = (shape: Shape, also?: Row["expect"]["also"]): Row["expect"] => ({
  status: 200,
  shape,
  ...(also && { also }),
});
export const refused = (status: number, code: string, also?: Row["expect"]["also"]): Row["expect"] => ({
  status,
  code,
  shape: PROBLEM,
  ...(also && { also }),
});

/** The allowed range stands in the refusal, with a pointer to the parameter. */
export const names =
  (pointer: string, ...texts: string[]) =>
  (body: Payload): boolean =>
    body.errors.some(
      (fault) => fault.pointer === pointer && texts.every((text) => fault.message.includes(text)),
    );
