/** One site under a test's own hands: real DNS, HTTPS, client and gate, and a handler that answers as the test says. */

import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/adapters/clock/system-clock.ts";
import { createResolver } from "../../../src/adapters/dns/client.ts";
import type { NatsBroker } from "../../../src/adapters/nats/nats-broker.ts";
import { afterVisit } from "../../../src/crawl/judgement.ts";
import { openPageReading } from "../../../src/crawl/pages/page-reading.ts";
import type { Previous } from "../../../src/crawl/stages/context.ts";
import { type VisitResult, visitHost } from "../../../src/crawl/visit.ts";
import { generateKey, type KeyPair } from "../../../src/domain/trust/ed25519.ts";
import { signDocument } from "../../../src/domain/trust/manifest.ts";
import { formatTxtRecord } from "../../../src/domain/trust/txt-record.ts";
import { createPolite } from "../../../src/egress/polite.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";
import { startDnsServer } from "../../../world/dns-server.ts";
import { authorityPem, fetcherFor, serveHttps } from "../../adapters/http/support.ts";
import { gateOn } from "../../support/gate.ts";
import { documentOf } from "./observations.ts";

let made = 0;
/** Its thread ends with the process. */
const reading = openPageReading(8);

/** Paths (with their query) that need no handler of the test's own. */
export type Answers = Record<string, (request: IncomingMessage, response: ServerResponse) => void>;

export const html =
  (body: string, head = "", fields: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response
      .writeHead(200, { "content-type": "text/html; charset=utf-8", ...fields })
      .end(`<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`);

export const status =
  (code: number, fields: Record<string, string> = {}) =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(code, fields).end();

export const text =
  (body: string, type = "text/plain") =>
  (_: IncomingMessage, response: ServerResponse): void =>
    void response.writeHead(200, { "content-type": type }).end(body);

export interface OneSite {
  readonly host: string;
  readonly origin: string;
  readonly address: string;
  /** What is answered; others are 404. May be changed at any time. */
  readonly answers: Answers;
  /** Paths asked for so far, in order. */
  readonly asked: string[];
  /** Takes the TXT record out of the zone, or puts it back. */
  published: boolean;
  /** Signs and serves a document with this serial. */
  publish(serial: number, description?: string): void;
  /** The key in its TXT record. */
  readonly key: KeyPair;
  /** Visits once. `pages` at most are read; `maxWaitMs` is the patience with the gate; `now`: another time than the broker's. */
  visit(options?: {
    previous?: Previous;
    pages?: number;
    maxWaitMs?: number;
    now?: () => number;
  }): Promise<VisitResult>;
}

/** A signed, published site. */
export async function oneSite(broker: NatsBroker): Promise<OneSite> {
  const host = `site-${process.pid}-${++made}.test`;
  const asked: string[] = [];
  const answers: Answers = {};
  const server = await serveHttps([host, `www.${host}`], (request, response) => {
    asked.push(request.url ?? "");
    (answers[request.url ?? ""] ?? status(404))(request, response);
  });
  const origin = `https://${host}:${server.port}`;
  const key = generateKey();
  const site = { published: true };
  const dns = await startDnsServer({
    zone: "test",
    lookup: (name) => {
      if (name === host || name === `www.${host}`) return { a: [server.address] };
      if (name !== `_bridge.${host}` || !site.published) return undefined;
      return { txt: [[formatTxtRecord({ publicKey: key.publicKey, endpoint: origin })]] };
    },
    ttlSeconds: 0,
    negativeTtlSeconds: 0,
  });
  onTestFinished(() => dns.close());
  const publish = (serial: number, description = "Kettles."): void => {
    const now = Date.now();
    const provider = { name: "Shop", domain: host, category: "retail", description };
    const document = signDocument(documentOf({ provider }), key, {
      endpoint: origin,
      issuedAt: iso(now - 60_000),
      expiresAt: iso(now + 30 * DAY_MS),
      serial,
      trustProfile: { capabilities: [], constraints: [], ttl_seconds: 3_600 },
    });
    answers["/.well-known/bridge.json"] = text(JSON.stringify(document), "application/json");
  };
  publish(1);
  const visit: OneSite["visit"] = async ({
    previous,
    pages = 3,
    maxWaitMs = 2_000,
    now = broker.now,
  } = {}) => {
    const resolver = createResolver({
      servers: [{ address: dns.address, port: dns.port }],
      validating: false,
      clock: systemClock,
    });
    const polite = createPolite({
      gate: gateOn(broker, "visitor"),
      leaseMs: 20_000,
      fetcher: fetcherFor({}, { resolver, ca: [authorityPem] }),
      now: broker.now,
      clockErrorMs: broker.clockErrorMs,
      clock: systemClock,
      hostDelayMs: 0,
      ipDelayMs: 0,
    });
    const entry = await polite.open(host, maxWaitMs);
    if (!entry.ok) throw new Error("the test's own host is taken");
    try {
      return await visitHost(entry.visit, host, previous, {
        resolver,
        robotsToken: "BridgeBot",
        pagesPerVisit: pages,
        httpsPort: server.port,
        now,
        readPage: reading.read,
      });
    } finally {
      await entry.visit.close();
      resolver.close();
    }
  };
  return Object.assign(site, { host, origin, key, address: server.address, answers, asked, publish, visit });
}

/** What the crawl would have stored after a visit. @throws when the visit saw nothing */
export function stored(site: OneSite, result: VisitResult, previous?: Previous): Previous {
  if (result.kind !== "seen") throw new Error("the visit was put off");
  const { record } = afterVisit(previous?.record, site.host, result.seen, Date.now(), Date.now());
  const pages = result.seen.measured?.pages ?? previous?.pages;
  return { record, content: result.content ?? previous?.content, pages };
}
