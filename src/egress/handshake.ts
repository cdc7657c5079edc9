/**
 * The trust handshake, bridge-trust-handshake/1.1 (specification 5.6), as an agent makes it: eight steps, each done,
 * skipped or failed with a stable code. The library and `bridge handshake` are this one function.
 */

import { z } from "zod";
import type { ManifestPayload, TrustProfile } from "../../schemas/manifest.ts";
import { type Invariant, Invariants } from "../../schemas/ring4.ts";
import { parseStrictJson } from "../domain/protocols/strict-json.ts";
import { invariantsSha256 } from "../domain/trust/invariants.ts";
import { MAX_DOCUMENT_BYTES, verifyDocument } from "../domain/trust/manifest.ts";
import { trustHeaders } from "../domain/trust/trust-headers.ts";
import type { Resolver } from "../ports/dns.ts";
import type { Fetcher, FetchResult } from "../ports/http.ts";
import { iso } from "../ports/time.ts";
import { recentlyUsed } from "../stores/recently-used.ts";
import { type DomainKeys, keysOfDomain } from "./domain-keys.ts";

export const HANDSHAKE_STEPS = [
  "dns",
  "document",
  "signature",
  "trust_profile",
  "invariants",
  "trust_headers",
  "log",
  "expiry",
] as const;
export type StepName = (typeof HANDSHAKE_STEPS)[number];

export interface HandshakeStep {
  /** 1 to 8. */
  number: number;
  step: StepName;
  state: "done" | "skipped" | "failed";
  /** Stable; match on this. "done" or "skipped", or what failed. */
  code: string;
  /** For people; may quote the site. */
  detail: string;
}

/** What an agent holds after a handshake, until `usableUntilMs`. */
export interface Trust {
  endpoint: string;
  /** Thumbprint of the key that signed the manifest. */
  kid: string;
  serial: number;
  profile: TrustProfile;
  /** Held above whatever the profile allows. */
  invariants: Invariant[];
  /** The least of the TXT record's TTL, the profile's ttl_seconds and expires_at, milliseconds. */
  usableUntilMs: number;
  expiresAtMs: number;
}

export interface HandshakeResult {
  domain: string;
  steps: HandshakeStep[];
  /** Undefined when a step failed that trust rests on (1 to 5, or 8). */
  trust: Trust | undefined;
}

export interface HandshakePorts {
  resolver: Pick<Resolver, "txt">;
  /** Reaches the site. */
  fetcher: Pick<Fetcher, "fetch">;
  /** Reaches the registry that the agent chose. */
  registry: Pick<Fetcher, "fetch">;
  /** Wall clock, milliseconds. */
  now: () => number;
}

export interface HandshakeOptions {
  /** Origin of the registry whose invariants are bound and whose log is written. */
  registryUrl: string;
  /** Who the agent is, for the trust headers. */
  agent?: { domain: string; privateKey: string };
  /** Where the agent logs. */
  project?: { id: string; key: string };
  /** Serial of the manifest that the agent believed last; a lower one is an old manifest brought back. */
  previousSerial?: number;
}

const MAX_REPLY_BYTES = 65_536;

/** Ends the handshake: a step that trust rests on failed. */
class Broken extends Error {}

const reasonOf = (result: FetchResult): string =>
  result.ok ? `answered ${result.status}` : `${result.failure} (${result.detail})`;

const LoggedReply = z.looseObject({ leaf_index: z.int() });
const ProblemReply = z.looseObject({ code: z.string().max(64) });

/** One handshake under way: its steps in order, each noted as it ends. */
class Run {
  readonly steps: HandshakeStep[] = [];
  readonly #domain: string;
  readonly #ports: HandshakePorts;
  readonly #options: HandshakeOptions;

  constructor(domain: string, ports: HandshakePorts, options: HandshakeOptions) {
    this.#domain = domain;
    this.#ports = ports;
    this.#options = options;
  }

  #note(step: StepName, state: HandshakeStep["state"], code: string, detail: string): void {
    this.steps.push({ number: HANDSHAKE_STEPS.indexOf(step) + 1, step, state, code, detail });
  }

  #done(step: StepName, detail: string): void {
    this.#note(step, "done", "done", detail);
  }

  #fail(step: StepName, code: string, detail: string): never {
    this.#note(step, "failed", code, detail);
    throw new Broken(code);
  }

  async trust(): Promise<Trust> {
    const txt = await this.#dns();
    const bytes = await this.#document(txt.endpoint);
    const { manifest, kid } = this.#signature(bytes, txt);
    const { trust_profile: profile } = manifest;
    const { capabilities, constraints, ttl_seconds } = profile;
    this.#done(
      "trust_profile",
      `capabilities ${capabilities.join(", ") || "none"}; constraints ${constraints.join(", ") || "none"}; ${ttl_seconds} s`,
    );
    const invariants = await this.#invariants(manifest.invariants_sha256);
    const expiresAtMs = Date.parse(manifest.expires_at);
    const now = this.#ports.now();
    const usableUntilMs = Math.min(now + txt.ttlSeconds * 1_000, now + ttl_seconds * 1_000, expiresAtMs);
    const endpoint = txt.endpoint.origin;
    return { endpoint, kid, serial: manifest.serial, profile, invariants, usableUntilMs, expiresAtMs };
  }

  async #dns(): Promise<DomainKeys & { ok: true }> {
    const keys = await keysOfDomain(this.#ports.resolver, this.#domain);
    if (!keys.ok) this.#fail("dns", keys.reason, `_bridge.${this.#domain}: ${keys.detail}`);
    const kids = keys.keys.map(({ kid }) => kid).join(", ");
    this.#done(
      "dns",
      `_bridge.${this.#domain}: endpoint ${keys.endpoint.origin}, key ${kids}, DNSSEC ${keys.dnssec}`,
    );
    return keys;
  }

  async #document(endpoint: URL): Promise<Uint8Array> {
    const url = `${endpoint.origin}/.well-known/bridge.json`;
    const result = await this.#ports.fetcher.fetch(url, { maxBodyBytes: MAX_DOCUMENT_BYTES });
    if (!result.ok) this.#fail("document", "document_unreachable", `${url}: ${reasonOf(result)}`);
    if (result.status !== 200) this.#fail("document", "document_missing", `${url}: ${reasonOf(result)}`);
    this.#done("document", `${url}: ${result.body.length} bytes`);
    return result.body;
  }

  #signature(bytes: Uint8Array, txt: DomainKeys & { ok: true }): { manifest: ManifestPayload; kid: string } {
    const verified = verifyDocument(bytes, {
      domain: this.#domain,
      txt: { endpoint: txt.endpoint, keys: txt.keys },
      nowMs: this.#ports.now(),
      previousSerial: this.#options.previousSerial ?? null,
    });
    if (!verified.ok) this.#fail("signature", verified.reason, verified.detail);
    if (verified.ring !== 3) this.#fail("signature", "unsigned", "the document carries no signed manifest");
    const { manifest, kid } = verified;
    this.#done("signature", `signed by ${kid}, serial ${manifest.serial}`);
    return { manifest, kid };
  }

  async #invariants(named: string | undefined): Promise<Invariant[]> {
    const url = `${this.#options.registryUrl}/api/ring4/invariants`;
    const result = await this.#ports.registry.fetch(url, { maxBodyBytes: MAX_REPLY_BYTES });
    if (!result.ok || result.status !== 200)
      this.#fail("invariants", "invariants_unreachable", `${url}: ${reasonOf(result)}`);
    const json = parseStrictJson(result.body, { maxBytes: MAX_REPLY_BYTES });
    const read = json.ok ? Invariants.safeParse(json.value) : undefined;
    if (!read?.success || invariantsSha256(read.data) !== read.data.sha256)
      this.#fail("invariants", "invariants_invalid", `${url}: not what its own hash names`);
    const { version, sha256, invariants } = read.data;
    if (named !== undefined && named !== sha256)
      this.#fail(
        "invariants",
        "invariants_mismatch",
        `the manifest names ${named}, the registry serves ${sha256}`,
      );
    this.#done(
      "invariants",
      `version ${version}, ${invariants.length} bound, ${named ? "as the manifest names" : "the manifest names none"}`,
    );
    return invariants;
  }

  /** A request to the site that says who asks: a site that checks and refuses is not believed to have let the agent in. */
  async trustHeaders(endpoint: string): Promise<void> {
    const { agent } = this.#options;
    if (!agent)
      return this.#note("trust_headers", "skipped", "skipped", "no domain and key of the agent's own");
    const url = `${endpoint}/.bridge`;
    const request = {
      method: "GET",
      authority: new URL(url).host,
      target: "/.bridge",
      body: new Uint8Array(),
    };
    const headers = trustHeaders(request, agent, this.#ports.now());
    const result = await this.#ports.fetcher.fetch(url, {
      headers,
      maxBodyBytes: MAX_REPLY_BYTES,
      truncate: true,
    });
    if (!result.ok)
      return this.#note("trust_headers", "failed", "site_unreachable", `${url}: ${reasonOf(result)}`);
    if (result.status === 401) {
      const code = problemCode(result.body) ?? "trust_headers_refused";
      return this.#note("trust_headers", "failed", code, `${url}: ${reasonOf(result)}`);
    }
    const enabled = result.headers["x-bridge-enabled"];
    this.#done(
      "trust_headers",
      `${url}: ${reasonOf(result)}${enabled ? `, X-BRIDGE-Enabled ${enabled}` : ""}`,
    );
  }

  /** What came of it, also when it came to nothing: the log is truthful. */
  async log(recognized: boolean): Promise<void> {
    const { project, registryUrl } = this.#options;
    if (!project) return this.#note("log", "skipped", "skipped", "no project to log for");
    const event = recognized
      ? { event_type: "recognize", outcome: "success" }
      : { event_type: "refuse", outcome: "refused" };
    const result = await this.#ports.registry.fetch(`${registryUrl}/api/ring4/log`, {
      method: "POST",
      headers: { authorization: `Bearer ${project.key}`, "content-type": "application/json" },
      body: JSON.stringify({ project_id: project.id, domain: this.#domain, ...event }),
      maxBodyBytes: MAX_REPLY_BYTES,
    });
    const code = result.ok ? problemCode(result.body) : undefined;
    if (!result.ok || result.status !== 200)
      return this.#note(
        "log",
        "failed",
        code ?? "log_unreachable",
        `${registryUrl}/api/ring4/log: ${reasonOf(result)}`,
      );
    const json = parseStrictJson(result.body, { maxBytes: MAX_REPLY_BYTES });
    const logged = json.ok ? LoggedReply.safeParse(json.value) : undefined;
    if (!logged?.success) return this.#note("log", "failed", "log_invalid", "the reply names no leaf");
    this.#done("log", `${event.event_type}, ${event.outcome}: leaf ${logged.data.leaf_index}`);
  }

  /** @returns whether the manifest still holds now that the other steps are done */
  expiry({ usableUntilMs, expiresAtMs }: Trust): boolean {
    const current = this.#ports.now() <= expiresAtMs;
    const until = iso(usableUntilMs);
    if (current) this.#done("expiry", `usable until ${until}; then again from step 1`);
    else this.#note("expiry", "failed", "manifest_expired", "expired meanwhile; again from step 1");
    return current;
  }
}

const MAX_REMEMBERED = 1_000;

export interface Handshakes {
  /** The trust in a domain: of a handshake that still holds, else of a new one from step 1. */
  with(domain: string): Promise<HandshakeResult>;
}

/** Handshakes of one agent, remembered for as long as each holds; serials are remembered longer, so that none goes back. */
export function rememberHandshakes(ports: HandshakePorts, options: HandshakeOptions): Handshakes {
  const current = recentlyUsed<HandshakeResult>(MAX_REMEMBERED);
  const serials = recentlyUsed<number>(MAX_REMEMBERED * 10);
  return {
    with: async (domain) => {
      const known = current.get(domain);
      if (known?.trust && ports.now() < known.trust.usableUntilMs) return known;
      current.delete(domain);
      const previousSerial = serials.get(domain) ?? options.previousSerial;
      const result = await makeHandshake(domain, ports, {
        ...options,
        ...(previousSerial !== undefined && { previousSerial }),
      });
      if (result.trust) {
        current.set(domain, result);
        serials.set(domain, result.trust.serial);
      }
      return result;
    },
  };
}

/**
 * Makes one handshake. Never throws for what a site or registry does.
 * @param domain canonical host
 */
export async function makeHandshake(
  domain: string,
  ports: HandshakePorts,
  options: HandshakeOptions,
): Promise<HandshakeResult> {
  const run = new Run(domain, ports, options);
  let trust: Trust | undefined;
  try {
    trust = await run.trust();
    await run.trustHeaders(trust.endpoint);
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
  }
  await run.log(trust !== undefined);
  const holds = trust !== undefined && run.expiry(trust);
  return { domain, steps: run.steps, trust: holds ? trust : undefined };
}

/** The code of a refusal, if the reply is a problem document. */
function problemCode(body: Uint8Array): string | undefined {
  const json = parseStrictJson(body, { maxBytes: MAX_REPLY_BYTES });
  const problem = json.ok ? ProblemReply.safeParse(json.value) : undefined;
  return problem?.success ? problem.data.code : undefined;
}
