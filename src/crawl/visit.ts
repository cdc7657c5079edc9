/**
 * One visit to one host, in order: TXT → document → verify → beacon → robots → pages. Reads strangers' data, so every
 * step is bounded and nothing here throws for what a site does. Decisions are in rules.ts.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { SiteContent, SiteRecord } from "../../schemas/site.ts";
import { parseHost } from "../domain/names/domain-name.ts";
import { parseStrictJson } from "../domain/protocols/strict-json.ts";
import { boundSerial, MAX_DOCUMENT_BYTES, verifyDocument } from "../domain/trust/manifest.ts";
import { selectRecords } from "../domain/trust/txt-record.ts";
import type { Visit } from "../egress/polite.ts";
import { type KnownRobots, robotsAllow, robotsOf } from "../egress/site-robots.ts";
import type { DnssecState, Resolver } from "../ports/dns.ts";
import type { FetchResult } from "../ports/http.ts";
import type { JournalledVisit } from "../threads/visit-journal.ts";
import { NOTHING_SEEN, type Observation, verdictOf } from "./observation.ts";
import { EvidenceCollector } from "./pages/measured.ts";
import type { HungPage, PageReading } from "./pages/page-reading.ts";
import type { SeenPage } from "./pages/seen-page.ts";
import { MAX_TEXT_CHARS } from "./pages/seen-page.ts";

const BEACON_BYTES = 64 * 1024;
const PAGE_BYTES = 2 * 1024 * 1024;
/** Names taken from one beacon. */
const MAX_NEXT = 10;

export interface CheckOptions {
  resolver: Resolver;
  /** Product token that robots.txt names, such as BridgeBot. */
  robotsToken: string;
  /** Port of https addresses that name none: 443, except on a synthetic web. */
  httpsPort: number;
  now: () => number;
  /** Runs what handles this host's bytes without giving way, so that it is known whose they are. Default: just runs it. */
  handling?: JournalledVisit["handling"];
}

export interface VisitOptions extends CheckOptions {
  pagesPerVisit: number;
  readPage: PageReading["read"];
}

export type VisitResult =
  | { kind: "seen"; observation: Observation; content: SiteContent | null; heard: string[] }
  /** A polite refusal of our own: try again at this time, nothing was learned. */
  | { kind: "not_now"; retryAt: number };

/** What the last visit left. `content` is only there where the record says that pages were read. */
export interface Previous {
  record: SiteRecord;
  content: SiteContent | undefined;
}

type Handling = JournalledVisit["handling"];
const direct: Handling = (work) => work();

interface Txt {
  outcome: ReturnType<typeof selectRecords> | { ok: false; reason: "failed" | "bogus"; detail: string };
  dnssec: DnssecState;
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

const readTxt = async (resolver: Resolver, host: string, handling: Handling): Promise<Txt> => {
  const answer = await resolver.txt(`_bridge.${host}`);
  if (answer.outcome === "failed") {
    const reason = answer.reason === "bogus" ? "bogus" : "failed";
    return {
      outcome: { ok: false, reason, detail: answer.detail },
      dnssec: reason === "bogus" ? "bogus" : "unknown",
    };
  }
  const texts = answer.outcome === "found" ? answer.records : [];
  return { outcome: handling(() => selectRecords(texts, host)), dnssec: answer.dnssec };
};

const TXT_REASONS = {
  none: "no_txt",
  invalid: "txt_invalid",
  too_many: "txt_ambiguous",
  ambiguous: "txt_ambiguous",
  revoked: "key_revoked",
  failed: "dns_failed",
  bogus: "dns_bogus",
} as const;

const fetchReason = (result: FetchResult & { ok: false }): Observation["reason"] => {
  if (result.failure === "refused_address" || result.failure === "refused_port") return "address_refused";
  if (result.failure === "dns_none" || result.failure === "dns_failed") return "dns_failed";
  if (result.failure === "body_too_large") return "document_invalid";
  return "unreachable";
};

const statusReason = (status: number): Observation["reason"] =>
  status === 429 || status >= 500 ? "unreachable" : "document_missing";

/** What the pages said. `whole` is false when one of them did not answer, so that something may be missing. */
interface PagesRead {
  title: string;
  language: string | null;
  text: string;
  whole: boolean;
  /** Why a page ended the thread that read it; no further one was asked for. */
  hung: string | undefined;
}

/** Reads one site by the rules of its robots.txt. One a visit. */
export class PageReader {
  readonly #visit: Visit;
  readonly #token: string;
  /** What the pages show beside their text. */
  readonly evidence = new EvidenceCollector();

  constructor(visit: Visit, token: string) {
    this.#visit = visit;
    this.#token = token;
  }

  robots(origin: string): Promise<KnownRobots> {
    return robotsOf(this.#visit, origin, this.#token);
  }

  async allowed(url: URL): Promise<boolean> {
    return robotsAllow(await this.robots(url.origin), url, this.#token);
  }

  /** Title, language and text of up to `limit` pages, the home page first. */
  async pages(home: URL, limit: number, readPage: PageReading["read"]): Promise<PagesRead> {
    const read: PagesRead = { title: "", language: null, text: "", whole: true, hung: undefined };
    const queue = [home];
    const seen = new Set([home.href]);
    for (let count = 0; count < limit && queue.length > 0 && read.text.length < MAX_TEXT_CHARS; count++) {
      const url = queue.shift()!;
      const robots = await this.robots(url.origin);
      if (!robots.read) read.whole = false;
      if (!robotsAllow(robots, url, this.#token)) continue;
      const page = await this.#page(url, home, robots, readPage);
      if (page === "failed") read.whole = false;
      if (typeof page === "string") continue;
      if ("hung" in page) return { ...read, whole: false, hung: `${url.href}: ${page.hung}` };
      this.evidence.add(page.evidence);
      if (!page.noindex) {
        if (count === 0) Object.assign(read, { title: page.title, language: page.language });
        read.text = `${read.text}\n${page.text}`.trim().slice(0, MAX_TEXT_CHARS);
      }
      for (const link of page.links) {
        if (seen.size >= 100 || seen.has(link)) continue;
        seen.add(link);
        queue.push(new URL(link));
      }
    }
    return read;
  }

  /** "failed": no answer, or none that says anything about the page; "none": there is no such page to read. */
  async #page(
    url: URL,
    home: URL,
    robots: KnownRobots,
    readPage: PageReading["read"],
  ): Promise<SeenPage | HungPage | "failed" | "none"> {
    const result = await this.#visit.fetch(url.href, {
      maxBodyBytes: PAGE_BYTES,
      truncate: true,
      maxRedirects: 3,
      allowRedirect: (_, to) => to.origin === url.origin && robotsAllow(robots, to, this.#token),
      headers: { accept: "text/html,application/xhtml+xml" },
    });
    if (!result.ok) return result.failure === "redirect_refused" ? "none" : "failed";
    if (result.status === 429 || result.status >= 500) return "failed";
    const contentType = result.headers["content-type"] ?? "";
    if (result.status !== 200 || !/^\s*(text\/html|application\/xhtml\+xml)/i.test(contentType))
      return "none";
    const field = (result.headers["x-robots-tag"] ?? "").toLowerCase();
    const robotsTag = field.replaceAll(`${this.#token.toLowerCase()}:`, "");
    const answer = { body: result.body, contentType, robotsTag, url: result.url.href, home: home.href };
    return (await readPage(answer)) ?? "failed";
  }
}

/** Only the names are read: what a stranger says of rings and scores is not even parsed. */
const BeaconNames = z.looseObject({
  next: z
    .array(z.looseObject({ domain: z.string().max(253) }))
    .max(1_000)
    .optional(),
});

const namesOf = (body: Uint8Array): string[] => {
  const json = parseStrictJson(body, { maxBytes: BEACON_BYTES });
  const names = json.ok ? BeaconNames.safeParse(json.value) : undefined;
  if (!names?.success) return [];
  const hosts = new Set<string>();
  for (const { domain } of names.data.next ?? []) {
    const parsed = parseHost(domain);
    if (parsed.ok && hosts.size < MAX_NEXT) hosts.add(parsed.host);
  }
  return [...hosts];
};

const readBeacon = async (visit: Visit, origin: string, handling: Handling): Promise<string[]> => {
  const result = await visit.fetch(`${origin}/.bridge`, { maxBodyBytes: BEACON_BYTES });
  if (!result.ok || result.status !== 200) return [];
  return handling(() => namesOf(result.body));
};

interface DocumentRead {
  bytes: Uint8Array;
  etag: string | null;
  address: string;
}
type DocumentResult =
  | ({ ok: true } & DocumentRead)
  | { ok: false; reason: Observation["reason"]; detail: string; address: string | null };

const readDocument = async (
  visit: Visit,
  url: string,
  previous: Previous | undefined,
): Promise<DocumentResult> => {
  const etag = previous?.record.document_etag;
  const known = etag && previous?.record.discovery_url === url ? (previous.content?.document ?? null) : null;
  const result = await visit.fetch(url, {
    maxBodyBytes: MAX_DOCUMENT_BYTES,
    headers: { accept: "application/json", ...(known !== null && { "if-none-match": etag! }) },
  });
  if (!result.ok)
    return { ok: false, reason: fetchReason(result), detail: result.detail, address: result.address ?? null };
  if (result.status === 304 && known !== null)
    return { ok: true, bytes: new TextEncoder().encode(known), etag: etag!, address: result.address };
  if (result.status !== 200)
    return {
      ok: false,
      reason: statusReason(result.status),
      detail: `${url} answered ${result.status}.`,
      address: result.address,
    };
  const tag = result.headers.etag;
  return {
    ok: true,
    bytes: result.body,
    etag: tag && tag.length <= 256 ? tag : null,
    address: result.address,
  };
};

const unsound = (
  reason: Observation["reason"],
  detail: string,
  more: Pick<Observation, "dnssec" | "txtValid" | "address">,
): Observation => ({
  ...NOTHING_SEEN,
  verdict: verdictOf(reason),
  ring: 0,
  reason,
  detail: detail.slice(0, 500),
  ...more,
});

/** A page ended the thread that read it: nothing else that this visit saw counts. */
const hungBy = ({ dnssec, txtValid, address }: Observation, page: string): Observation =>
  unsound("quarantined", `A page ended the thread that read it: ${page}.`, { dnssec, txtValid, address });

/** What DNS and the discovery document say of a host: the part of a visit that a provider's check shares. */
export type ClaimsCheck =
  | { kind: "not_now"; retryAt: number }
  /** Checked to its end: nothing that could be listed. */
  | { kind: "unsound"; observation: Observation }
  | {
      kind: "sound";
      /** As if no page was read. */
      observation: Observation;
      document: string;
      origin: string;
      home: URL;
      txtValid: boolean;
    };

/** TXT → document → verify. One DNS look-up and, where that allows it, one request (two without a TXT record: robots.txt). */
export const checkClaims = async (
  visit: Visit,
  reader: PageReader,
  host: string,
  previous: Previous | undefined,
  options: CheckOptions,
): Promise<ClaimsCheck> => {
  const { handling = direct } = options;
  const txt = await readTxt(options.resolver, host, handling);
  const ours = txt.outcome.ok ? txt.outcome : null;
  const facts = { dnssec: txt.dnssec, txtValid: ours !== null, address: null as string | null };
  const seen = (observation: Observation): ClaimsCheck => ({ kind: "unsound", observation });

  if (!txt.outcome.ok && (txt.outcome.reason === "failed" || txt.outcome.reason === "bogus"))
    return seen(unsound(TXT_REASONS[txt.outcome.reason], txt.outcome.detail, facts));

  const home = new URL(`https://${host}:${options.httpsPort}/`);
  const origin = ours?.endpoint.origin ?? home.origin;
  const url = `${origin}/.well-known/bridge.json`;
  // What DNS says (no record, a revoked key) is a fact, and more of one than why the document cannot be had.
  const unread = (reason: Observation["reason"], detail: string): ClaimsCheck => {
    if (txt.outcome.ok) return seen(unsound(reason, detail, facts));
    return seen(unsound(TXT_REASONS[txt.outcome.reason], `${txt.outcome.detail}; ${detail}`, facts));
  };
  // A TXT record is an invitation to check the manifest; without one, robots.txt speaks for the owner.
  if (!ours && !(await reader.allowed(new URL(url)))) {
    if (visit.retryAt !== undefined) return { kind: "not_now", retryAt: visit.retryAt };
    return unread("document_missing", "robots.txt does not allow the document to be read");
  }
  const read = await readDocument(visit, url, previous);
  facts.address = read.address;
  if (!read.ok) {
    if (visit.retryAt !== undefined) return { kind: "not_now", retryAt: visit.retryAt };
    return unread(read.reason, read.detail);
  }
  const context = {
    domain: host,
    txt: ours && { endpoint: ours.endpoint, keys: ours.keys },
    nowMs: options.now(),
    previousSerial: boundSerial(previous?.record, ours?.keys ?? []),
  };
  const verified = handling(() => verifyDocument(read.bytes, context));
  if (!verified.ok) return unread(verified.reason, verified.detail);
  const txtReason = txt.outcome.ok ? undefined : TXT_REASONS[txt.outcome.reason];
  return {
    kind: "sound",
    observation: {
      verdict: "sound",
      ring: verified.ring,
      reason: txtReason ?? verified.reason,
      detail: txt.outcome.ok ? "" : txt.outcome.detail.slice(0, 500),
      ...facts,
      document: verified.document,
      serial: verified.manifest?.serial ?? null,
      kid: verified.kid,
      expiresAt: verified.manifest?.expires_at ?? null,
      discoveryUrl: url,
      etag: read.etag,
      documentSha256: sha256(read.bytes),
      contentSha256: null,
      measured: null,
    },
    document: new TextDecoder().decode(read.bytes),
    origin,
    home: ours?.endpoint.hostname === host ? new URL(`${origin}/`) : home,
    txtValid: ours !== null,
  };
};

/**
 * Visits `host`.
 * @param previous what the last visit left, for conditional requests and serials
 */
export const visitHost = async (
  visit: Visit,
  host: string,
  previous: Previous | undefined,
  options: VisitOptions,
): Promise<VisitResult> => {
  const reader = new PageReader(visit, options.robotsToken);
  const checked = await checkClaims(visit, reader, host, previous, options);
  if (checked.kind === "not_now") return checked;
  if (checked.kind === "unsound")
    return { kind: "seen", observation: checked.observation, content: null, heard: [] };

  const { handling = direct } = options;
  const heard = checked.txtValid ? await readBeacon(visit, checked.origin, handling) : [];
  const pages = await reader.pages(checked.home, options.pagesPerVisit, options.readPage);
  if (pages.hung !== undefined)
    return { kind: "seen", observation: hungBy(checked.observation, pages.hung), content: null, heard };
  // Pages that did not answer have not become empty: what was read before stays.
  const kept = pages.whole ? undefined : previous?.content;
  const { title, language, text } = kept ?? pages;
  const { document: declared } = checked.observation;
  const seenText = `${title}\n${text}`;
  const measured =
    kept || !declared
      ? undefined
      : handling(() => reader.evidence.measured(declared, host, seenText, options.now()));
  const observation: Observation = {
    ...checked.observation,
    contentSha256: kept ? null : sha256(`${title}\n${language}\n${text}`),
    measured: measured ?? null,
  };
  const { document } = checked;
  return { kind: "seen", observation, content: { v: 1, document, title, language, text }, heard };
};
