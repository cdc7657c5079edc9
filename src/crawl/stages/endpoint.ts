import type { VisitReason } from "../../../schemas/site.ts";
import { MAX_DOCUMENT_BYTES } from "../../domain/trust/manifest.ts";
import { robotsAllow, robotsOf } from "../../egress/site-robots.ts";
import type { FetchResult } from "../../ports/http.ts";
import { heldBack, type Previous, type VisitContext } from "./context.ts";
import type { TxtFound } from "./dns.ts";
import { passStage, type Stage, type StageResult, stopVisit } from "./stage.ts";

export interface EndpointFound {
  /** Origin that the TXT record names, else the host's own. */
  origin: string;
  /** The discovery document's address. */
  url: string;
  /** Where pages are read from: the host's own home page. */
  home: URL;
  /** What the endpoint answered. `known`: the document as it was last read, where it was asked for by its ETag. */
  answer: { status: number; body: Uint8Array; etag: string | undefined; known: KnownDocument | undefined };
}

interface KnownDocument {
  text: string;
  etag: string;
}

/** Asks for the discovery document: one request, two without a TXT record (robots.txt). */
export const endpoint: Stage<VisitContext & TxtFound, EndpointFound, "endpoint"> = {
  name: "endpoint",
  reasons: ["unreachable", "address_refused"],
  run: async (context) => {
    const { host, httpsPort, txt, visit, previous } = context;
    const ownHome = new URL(`https://${host}:${httpsPort}/`);
    const origin = txt.ok ? txt.endpoint.origin : ownHome.origin;
    const url = `${origin}/.well-known/bridge.json`;
    const refused = await refusal(context, url);
    if (refused) return refused;
    const known = knownDocument(previous, url);
    const result = await visit.fetch(url, {
      maxBodyBytes: MAX_DOCUMENT_BYTES,
      headers: { accept: "application/json", ...(known && { "if-none-match": known.etag }) },
    });
    const { address } = result;
    const facts = address === undefined ? {} : { address };
    if (!result.ok) return heldBack(visit) ?? stopVisit(fetchReason(result), result.detail, {}, facts);
    const { status, body, headers } = result;
    if (status === 429 || status >= 500)
      return heldBack(visit) ?? stopVisit("unreachable", `${url} answered ${status}.`, {}, facts);
    const home = txt.ok && txt.endpoint.hostname === host ? new URL(`${origin}/`) : ownHome;
    const answer = { status, body, etag: headers.etag, known };
    const found = { origin, url, home, answer };
    return passStage(found, "answered", `${url}: ${status} from ${address}`, {
      ...facts,
      discovery_url: url,
    });
  },
};

/**
 * Why the document may not be read; undefined where it may. A TXT record is an invitation to check the manifest;
 * without one, robots.txt speaks for the owner.
 */
async function refusal(
  { txt, visit, robotsToken }: VisitContext & TxtFound,
  url: string,
): Promise<StageResult<never> | undefined> {
  if (txt.ok) return undefined;
  const target = new URL(url);
  const robots = await robotsOf(visit, target.origin, robotsToken);
  if (robotsAllow(robots, target, robotsToken)) return undefined;
  return (
    heldBack(visit) ??
    (robots.read
      ? stopVisit("document_missing", "robots.txt does not allow the document to be read")
      : stopVisit("unreachable", `${target.origin}/robots.txt cannot be read: ${robots.detail}`))
  );
}

function knownDocument(previous: Previous | undefined, url: string): KnownDocument | undefined {
  const etag = previous?.record.document_etag;
  const text = previous?.content?.document;
  return etag && text && previous.record.discovery_url === url ? { text, etag } : undefined;
}

function fetchReason({ failure }: FetchResult & { ok: false }): VisitReason {
  if (failure === "refused_address" || failure === "refused_port") return "address_refused";
  if (failure === "dns_none" || failure === "dns_failed") return "dns_failed";
  if (failure === "body_too_large") return "document_invalid";
  return "unreachable";
}
