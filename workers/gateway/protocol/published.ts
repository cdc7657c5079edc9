/** A domain's discovery document and TXT records as they are published now, fetched as the crawl would. */
import { stopAfter } from "../../../src/concurrency/stop-after.ts";
import { MAX_DOCUMENT_BYTES } from "../../../src/domain/trust/manifest.ts";
import { selectRecords } from "../../../src/domain/trust/txt-record.ts";
import type { Polite } from "../../../src/egress/polite.ts";
import type { Resolver } from "../../../src/ports/dns.ts";
import type { FetchResult } from "../../../src/ports/http.ts";

export interface PublishedFile {
  url: string;
  /** Undefined when it did not answer 200. */
  body: Uint8Array | undefined;
  /** Why there is no body. */
  why: string;
}

export interface PublishedSite {
  /** TXT records of `_bridge.<domain>`; undefined when DNS gave no answer. */
  txt: string[] | undefined;
  txtWhy: string;
  dnssec: string;
  wellKnown: PublishedFile;
  /** The other path, /agent-bridge.json. */
  root: PublishedFile;
}

const MAX_WAIT_MS = 2_000;

export interface PublishedDeps {
  polite: Polite;
  resolver: Resolver;
  /** Port of every site but a synthetic web's: 443. */
  httpsPort: number;
}

/**
 * @param host canonical
 * @returns "busy" when another visit holds the host for longer than this may wait
 */
export async function readPublished(
  { polite, resolver, httpsPort }: PublishedDeps,
  host: string,
  timeoutMs: number,
  gone?: AbortSignal,
): Promise<PublishedSite | "busy"> {
  const signal = stopAfter(timeoutMs, gone);
  const answer = await resolver.txt(`_bridge.${host}`, signal);
  const records = answer.outcome === "found" ? answer.records : [];
  const selected = selectRecords(records, host);
  const origin = selected.ok ? selected.endpoint.origin : new URL(`https://${host}:${httpsPort}`).origin;
  const entry = await polite.open(host, MAX_WAIT_MS, signal, { asker: "gateway" });
  if (!entry.ok) return "busy";
  await using visit = entry.visit;
  const read = async (path: string): Promise<PublishedFile> => {
    const url = origin + path;
    const options = { maxBodyBytes: MAX_DOCUMENT_BYTES, headers: { accept: "application/json" }, signal };
    return fileOf(url, await visit.fetch(url, options));
  };
  const wellKnown = await read("/.well-known/bridge.json");
  const root = await read("/agent-bridge.json");
  const failed = answer.outcome === "failed";
  return {
    txt: failed ? undefined : records,
    txtWhy: failed ? `${answer.reason}: ${answer.detail}` : "",
    dnssec: failed ? "unknown" : answer.dnssec,
    wellKnown,
    root,
  };
}

function fileOf(url: string, result: FetchResult): PublishedFile {
  if (!result.ok) return { url, body: undefined, why: `${result.failure}: ${result.detail}`.slice(0, 200) };
  if (result.status !== 200) return { url, body: undefined, why: `the server answered ${result.status}` };
  return { url, body: result.body, why: "" };
}
