/** `bridge publish` and `bridge renew`: the signed file of a site, made, kept in force, and looked at as a registry does. */
import { renameSync, writeFileSync } from "node:fs";
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { DomainStatus } from "../../schemas/provider.ts";
import { openPageReading } from "../../src/crawl/pages/page-reading.ts";
import type { Config } from "../../src/runtime/config.ts";
import { askRegistry } from "./ask.ts";
import { printReport, reportOn } from "./check.ts";
import { readDocumentFile, readKeyPair, type SignOptions, signedDocument } from "./keys.ts";
import { print, say } from "./terminal.ts";

export interface PublishOptions extends SignOptions {
  key: string;
  out: string;
  registry?: string;
}

export interface RenewOptions extends SignOptions {
  key: string;
  /** Milliseconds: what holds for longer is left as it is. */
  ifExpiring?: number;
}

/** What a timer runs: says one line, and does nothing while the signature holds for long enough. */
export function renew(path: string, options: RenewOptions): void {
  const { isRenewed, expiresAt } = renewFile(path, options, Date.now());
  print(
    isRenewed
      ? `${path} is signed again, and holds until ${expiresAt}.`
      : `${path} holds until ${expiresAt}.`,
  );
}

/**
 * Signs a published file again, in its place.
 * @param now milliseconds
 * @returns until when it holds, and whether it was signed for that now
 * @throws CommandError for a file that is no document, or a key that is none
 */
export function renewFile(
  path: string,
  { ifExpiring, ...options }: RenewOptions,
  now: number,
): { isRenewed: boolean; expiresAt: string } {
  const document = readDocumentFile(path);
  const { expires_at } = document;
  const isSigned = document.manifest !== undefined && expires_at !== undefined;
  if (isSigned && ifExpiring !== undefined && Date.parse(expires_at) - now > ifExpiring)
    return { isRenewed: false, expiresAt: expires_at };
  const endpoint = options.endpoint ?? endpointSigned(document);
  const text = signedDocument(document, readKeyPair(options.key), { ...options, endpoint }, now);
  replaceFile(path, text);
  return { isRenewed: true, expiresAt: (JSON.parse(text) as { expires_at: string }).expires_at };
}

/** The endpoint that a document was signed for; undefined of one that is not signed. */
function endpointSigned({ manifest }: DiscoveryDocument): string | undefined {
  if (!manifest) return undefined;
  try {
    const payload: unknown = JSON.parse(Buffer.from(manifest.payload, "base64url").toString("utf8"));
    const { endpoint } = payload as { endpoint?: unknown };
    return typeof endpoint === "string" ? endpoint : undefined;
  } catch {
    return undefined;
  }
}

/** A web server that reads the file at any moment reads the old one or the new one. */
function replaceFile(path: string, text: string): void {
  const next = `${path}.next`;
  writeFileSync(next, text);
  renameSync(next, path);
}

/** Signs a document into its place, and visits the site as the crawl does. @returns 0 where it would be listed, else 1 */
export async function publish(config: Config, path: string, options: PublishOptions): Promise<number> {
  const { key, out, registry } = options;
  const document = readDocumentFile(path);
  const { domain } = document.provider;
  replaceFile(out, signedDocument(document, readKeyPair(key), options, Date.now()));
  say(`Signed into ${out}. Looking at ${domain} as a registry does:`);
  const pages = openPageReading(1);
  const report = await reportOn(config, domain, { deep: false, pages }).finally(pages.close);
  printReport(report);
  if (registry !== undefined) {
    // A registry that finds a sound site by a status visits it next.
    const path = `/api/discovery/provider/status?domain=${encodeURIComponent(domain)}`;
    const { state, verdict } = await askRegistry<DomainStatus>(registry, path);
    print(`${registry}: ${state}, ${verdict.listed ? "listed" : "not listed yet"}`);
  }
  return report.listed ? 0 : 1;
}
