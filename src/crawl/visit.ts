/**
 * One visit to one host: the stages of stages/table.ts, and what they found as one observation. Reads strangers' data, so
 * every step is bounded and nothing here throws for what a site does. What it means for the site is in judgement.ts.
 */
import { createHash } from "node:crypto";
import type { SiteContent } from "../../schemas/site.ts";
import type { DomainKeys } from "../egress/domain-keys.ts";
import type { Visit } from "../egress/polite.ts";
import { NOTHING_SEEN, type Observation, visitVerdict } from "./observation.ts";
import { measure } from "./pages/measured.ts";
import { textAfter } from "./pages/site-text.ts";
import { type CheckOptions, contextOf, type PageOptions, type Previous } from "./stages/context.ts";
import type { StageReport, StageStop } from "./stages/stage.ts";
import { type Claims, claimStages, visitStages } from "./stages/table.ts";

/** A polite refusal of our own: try again at this time, nothing was learned. */
interface NotNow {
  kind: "not_now";
  retryAt: number;
}

export type VisitResult =
  | {
      kind: "seen";
      observation: Observation;
      content: SiteContent | null;
      /** Hosts that the site's beacon names. */
      discoveredHosts: string[];
    }
  | NotNow;

/** What DNS and the discovery document say of a host: the part of a visit that a provider's probe shares. */
export type ClaimsCheck =
  | {
      kind: "seen";
      /** As if no page was read. */
      observation: Observation;
      /** What was found; undefined where a stage stopped, so that nothing could be listed. */
      claims: Claims | undefined;
    }
  | NotNow;

/** As SiteRecord.detail allows. */
const MAX_DETAIL_CHARS = 500;

/** Why a visit stopped, as its record says it. */
type Cause = Pick<StageStop, "reason" | "detail">;

/** What DNS alone says of a host without a usable key: nothing of its document was looked at. */
export function withoutKey(txt: DomainKeys & { ok: false }): Observation {
  const { reason, detail } = txt;
  const checks = claimStages.list.map(({ name }, i) =>
    i === 0
      ? { name, outcome: "fail" as const, reason, detail }
      : { name, outcome: "skipped" as const, reason: "not_reached", detail: "" },
  );
  return unsound({ txt }, { reason, detail }, checks);
}

function unsound(
  { txt, address }: Partial<Claims>,
  stop: Cause,
  checks: readonly StageReport[],
): Observation {
  const { reason, detail } = causeOf(txt, stop);
  return {
    ...NOTHING_SEEN,
    verdict: visitVerdict(reason),
    ring: 0,
    reason,
    detail: detail.slice(0, MAX_DETAIL_CHARS),
    dnssec: txt?.dnssec ?? "unknown",
    txtValid: txt?.ok ?? false,
    address: address ?? null,
    checks,
  };
}

function causeOf(txt: Partial<Claims>["txt"], { reason, detail }: Cause): Cause {
  // What DNS says (no record, a revoked key) is a fact, and more of one than why the document cannot be had.
  const isFact = txt?.ok === false && txt.reason !== "dns_failed" && txt.reason !== "dns_bogus";
  if (!isFact || reason === "quarantined" || reason === txt.reason) return { reason, detail };
  return { reason: txt.reason, detail: `${txt.detail}; ${detail}` };
}

/**
 * Checks what `host` claims. One DNS look-up and, where that allows it, one request (two without a TXT record: robots.txt).
 * @param previous what the last visit left, for conditional requests and serials
 */
export async function checkClaims(
  visit: Visit,
  host: string,
  previous: Previous | undefined,
  options: CheckOptions,
): Promise<ClaimsCheck> {
  const run = await claimStages.run(contextOf(visit, host, previous, options));
  if (run.kind === "not_now") return run;
  const { checks } = run;
  return run.kind === "done"
    ? { kind: "seen", observation: sound(run.found, checks), claims: run.found }
    : { kind: "seen", observation: unsound(run.found, run.stop, checks), claims: undefined };
}

/** As if no page was read. */
const sound = (
  { txt, signed, manifest, document, bytes, etag, url, address }: Claims,
  checks: readonly StageReport[],
): Observation => ({
  verdict: "sound",
  ring: manifest ? 3 : txt.ok ? 2 : 1,
  reason: txt.ok ? (manifest ? "verified" : "unsigned") : txt.reason,
  detail: txt.ok ? "" : txt.detail.slice(0, MAX_DETAIL_CHARS),
  dnssec: txt.dnssec,
  txtValid: txt.ok,
  address,
  document,
  serial: manifest?.serial ?? null,
  kid: signed?.kid ?? null,
  expiresAt: manifest?.expires_at ?? null,
  discoveryUrl: url,
  etag,
  documentSha256: sha256(bytes),
  contentSha256: null,
  measured: null,
  checks,
});

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

/**
 * Visits `host`.
 * @param previous what the last visit left, for conditional requests and serials
 */
export async function visitHost(
  visit: Visit,
  host: string,
  previous: Previous | undefined,
  options: CheckOptions & PageOptions,
): Promise<VisitResult> {
  const run = await visitStages.run(contextOf(visit, host, previous, options));
  if (run.kind === "not_now") return run;
  const { found, checks } = run;
  const { discoveredHosts = [] } = found;
  if (run.kind === "stopped")
    return { kind: "seen", observation: unsound(found, run.stop, checks), content: null, discoveredHosts };

  const { pages, bytes, document, home } = run.found;
  // Pages that did not answer have not become empty: what was read before stays.
  const kept = pages.whole ? undefined : previous?.content;
  const words = kept ?? { ...pages, ...textAfter(previous?.content, pages, pages.closed) };
  const { title, language, text } = words;
  const measured = run.found.handling(() =>
    measure({
      document,
      host,
      home,
      text: `${title}\n${text}`,
      known: previous?.pages,
      visit: pages,
      now: run.found.now(),
    }),
  );
  const observation: Observation = {
    ...sound(run.found, checks),
    contentSha256: kept ? null : sha256(`${title}\n${language}\n${text}`),
    measured: measured ?? null,
  };
  const content: SiteContent = { v: 1, document: new TextDecoder().decode(bytes), title, language, text };
  if (words.pages) content.pages = words.pages;
  return { kind: "seen", observation, content, discoveredHosts };
}
