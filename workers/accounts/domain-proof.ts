/** Proof of a domain: a TXT record whose value only this registry can have given out. */
import type { Resolver } from "../../src/ports/dns.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { FRESH_DNS_MS, ownerNames } from "./rules.ts";

/**
 * Asks DNS for a value at the names that may carry it.
 * @param pointer the request member that names the host
 * @returns undefined where it is published
 */
export const missingProof = async (
  resolver: Pick<Resolver, "txt">,
  host: string,
  value: string,
  pointer: string,
): Promise<Failure<"proof_required" | "unavailable"> | undefined> => {
  const answers = await Promise.all(
    ownerNames(host).map((name) => resolver.txt(name, undefined, FRESH_DNS_MS)),
  );
  if (answers.some((answer) => answer.outcome === "found" && answer.records.includes(value)))
    return undefined;
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
};
