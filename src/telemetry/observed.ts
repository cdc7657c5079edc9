/** Ports that are measured and traced: the same port, with a span and a time for each call. */
import type { Gate } from "../egress/gate.ts";
import type { DnsAnswer, FullResolver } from "../ports/dns.ts";
import type { Fetcher } from "../ports/http.ts";
import {
  type IndexReads,
  IndexUnavailable,
  type ReadOptions,
  readsBy,
  type SiteIndex,
} from "../ports/index.ts";
import { dnsSeconds, fetchSeconds, gateSeconds, indexSeconds, secondsSince } from "./instruments.ts";
import { traced } from "./tracing.ts";

type DnsType = "TXT" | "ADDRESS" | "CAA" | "CNAME" | "NS" | "SVCB" | "SIGNED";

/** A resolver whose look-ups are seen. */
export function observedResolver(resolver: FullResolver): FullResolver {
  const lookUp = <T>(type: DnsType, name: string, ask: () => Promise<DnsAnswer<T>>): Promise<DnsAnswer<T>> =>
    traced(
      `dns ${type}`,
      { kind: "client", attributes: { "dns.question.name": name.slice(0, 253) } },
      async (span) => {
        const startedMs = performance.now();
        const answer = await ask();
        const outcome = answer.outcome === "failed" ? answer.reason : answer.outcome;
        dnsSeconds.observe({ type, outcome }, secondsSince(startedMs));
        span.set({ "dns.outcome": outcome });
        if (answer.outcome === "failed") span.fail(outcome);
        return answer;
      },
    );
  return {
    txt: (name, signal, maxAgeMs) => lookUp("TXT", name, () => resolver.txt(name, signal, maxAgeMs)),
    addresses: (name, signal) => lookUp("ADDRESS", name, () => resolver.addresses(name, signal)),
    caa: (name, signal) => lookUp("CAA", name, () => resolver.caa(name, signal)),
    nameServers: (name, signal) => lookUp("NS", name, () => resolver.nameServers(name, signal)),
    serviceBindings: (name, signal) => lookUp("SVCB", name, () => resolver.serviceBindings(name, signal)),
    signedSets: (name, type, signal) => lookUp("SIGNED", name, () => resolver.signedSets(name, type, signal)),
    close: () => resolver.close(),
  };
}

/** A fetcher whose exchanges are seen; the gate's waits are part of their time. */
export const observedFetcher = (fetcher: Fetcher): Fetcher => ({
  fetch: (url, options = {}) => {
    const method = options.method ?? "GET";
    const host = URL.parse(url)?.hostname ?? "";
    return traced(
      `fetch ${method}`,
      { kind: "client", attributes: { "http.request.method": method, "server.address": host } },
      async (span) => {
        const startedMs = performance.now();
        const result = await fetcher.fetch(url, options);
        const outcome = result.ok ? `${Math.floor(result.status / 100)}xx` : result.failure;
        fetchSeconds.observe({ outcome }, secondsSince(startedMs));
        if (result.ok) span.set({ "http.response.status_code": result.status });
        else span.fail(result.failure);
        return result;
      },
    );
  },
  close: () => fetcher.close(),
});

/** A gate whose waits are seen. */
export const observedGate = (gate: Gate): Gate => ({
  enter: (key, maxWaitMs, signal) => {
    const kind = key.startsWith("i/") ? "address" : "host";
    return traced(`gate ${kind}`, {}, async (span) => {
      const startedMs = performance.now();
      let outcome = "failed";
      try {
        const entry = await gate.enter(key, maxWaitMs, signal);
        outcome = entry.ok ? "entered" : "refused";
        return entry;
      } finally {
        gateSeconds.observe({ kind, outcome }, secondsSince(startedMs));
        span.set({ "gate.outcome": outcome });
      }
    });
  },
});

/** An index whose reads and writes are seen. */
export function observedIndex(index: SiteIndex): SiteIndex {
  // The type of one method is lost among all of them: each is called with its own arguments.
  const read = (method: keyof IndexReads) => (query?: unknown, options?: ReadOptions) =>
    indexCall(method, () =>
      (index[method] as (query: unknown, options?: ReadOptions) => Promise<unknown>)(query, options),
    );
  return {
    get id() {
      return index.id;
    },
    ...readsBy(read as never),
    apply: (writes) => indexCall("apply", () => index.apply(writes)),
    markFilled: () => index.markFilled(),
    close: () => index.close(),
  };
}

const indexCall = <T>(call: string, work: () => Promise<T>): Promise<T> =>
  traced(`index ${call}`, { kind: "client" }, async () => {
    const startedMs = performance.now();
    let outcome = "ok";
    try {
      return await work();
    } catch (error) {
      outcome = error instanceof IndexUnavailable ? "refused" : "failed";
      throw error;
    } finally {
      indexSeconds.observe({ call, outcome }, secondsSince(startedMs));
    }
  });
