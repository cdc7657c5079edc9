/**
 * One visit to one host: the stages of stages/table.ts, and what they saw. Reads strangers' data, so every step is bounded and
 * nothing here throws for what a site does. What it means for the site is in judgement.ts.
 */
import { createHash } from "node:crypto";
import type { SiteContent } from "../../schemas/site.ts";
import type { Visit } from "../egress/polite.ts";
import { measure } from "./pages/measured.ts";
import { textAfter } from "./pages/site-text.ts";
import { type CheckOptions, contextOf, type PageOptions, type Previous } from "./stages/context.ts";
import { type Claims, claimStages, visitStages } from "./stages/table.ts";
import { seenBy, type VisitFindings } from "./visit-findings.ts";

/** A polite refusal of our own: try again at this time, nothing was learned. */
interface NotNow {
  kind: "not_now";
  retryAt: number;
}

export type VisitResult =
  | {
      kind: "seen";
      seen: VisitFindings;
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
      seen: VisitFindings;
      /** What was found; undefined where a stage stopped, so that nothing could be listed. */
      claims: Claims | undefined;
    }
  | NotNow;

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
  return { kind: "seen", seen: seenBy(run), claims: run.kind === "done" ? run.found : undefined };
}

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
  const seen = seenBy(run);
  const { discoveredHosts = [] } = run.found;
  if (run.kind === "stopped") return { kind: "seen", seen, content: null, discoveredHosts };

  const { pages, bytes, document, home, handling, now } = run.found;
  // Pages that did not answer have not become empty: what was read before stays.
  const kept = pages.whole ? undefined : previous?.content;
  const words = kept ?? { ...pages, ...textAfter(previous?.content, pages, pages.closed) };
  const { title, language, text } = words;
  if (!kept) seen.facts.content_sha256 = sha256(`${title}\n${language}\n${text}`);
  seen.measured = handling(() =>
    measure({
      document,
      host,
      home,
      text: `${title}\n${text}`,
      known: previous?.pages,
      visit: pages,
      now: now(),
    }),
  );
  const content: SiteContent = { v: 1, document: new TextDecoder().decode(bytes), title, language, text };
  if (words.pages) content.pages = words.pages;
  return { kind: "seen", seen, content, discoveredHosts };
}

const sha256 = (data: string): string => createHash("sha256").update(data).digest("hex");
