/** Proof of a domain: a TXT record whose value only this registry can have given out. */
import type { DnsAnswer, Resolver } from "../../src/ports/dns.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { FRESH_DNS_MS, OWNER_TAG, ownerNames } from "./rules.ts";

/** Values of other accounts that are looked at. */
const MOST_OTHERS = 16;

export interface Proof {
  /** What is missing; undefined where the value is published. */
  missing: Failure<"proof_required" | "unavailable"> | undefined;
  /** Whether DNS said for certain that the value is not there. */
  isAbsent: boolean;
  /** Values of other accounts that are published beside it. */
  others: string[];
}

/** @returns undefined where the value is published */
export const missingProof = async (
  ...asked: Parameters<typeof proofIn>
): Promise<Failure<"proof_required" | "unavailable"> | undefined> => (await proofIn(...asked)).missing;

/**
 * Asks DNS for a value at the names that may carry it.
 * @param pointer the request member that names the host
 */
export async function proofIn(
  resolver: Pick<Resolver, "txt">,
  host: string,
  value: string,
  pointer: string,
): Promise<Proof> {
  const answers = await Promise.all(
    ownerNames(host).map((name) => resolver.txt(name, undefined, FRESH_DNS_MS)),
  );
  const texts = new Set(answers.flatMap((answer) => (answer.outcome === "found" ? answer.records : [])));
  const others = [...texts].filter((text) => text.startsWith(OWNER_TAG) && text !== value);
  const missing = texts.has(value) ? undefined : failureOf(answers, host, value, pointer);
  return { missing, isAbsent: missing?.code === "proof_required", others: others.slice(0, MOST_OTHERS) };
}

function failureOf(
  answers: readonly DnsAnswer<string>[],
  host: string,
  value: string,
  pointer: string,
): Failure<"proof_required" | "unavailable"> {
  const failed = answers.find((answer) => answer.outcome === "failed");
  if (failed && failed.reason !== "bogus")
    return fail("unavailable", `DNS does not answer for ${host}: ${failed.reason}.`, {
      retryAfterSeconds: 10,
    });
  const why = failed ? " Its DNSSEC signatures are not valid." : "";
  const message = `Publish a TXT record ${value} at ${ownerNames(host).join(" or ")}.`;
  // An earlier retry gets the same answers.
  const freshSeconds = FRESH_DNS_MS / 1_000;
  const rememberedSeconds = Math.min(
    freshSeconds,
    Math.max(0, ...answers.map((answer) => (answer.outcome === "failed" ? freshSeconds : answer.ttlSeconds))),
  );
  return fail("proof_required", `DNS does not prove that you own ${host}.${why} ${message}`, {
    errors: [{ pointer, code: "txt_missing", message }],
    ...(rememberedSeconds > 0 && { retryAfterSeconds: rememberedSeconds }),
  });
}
