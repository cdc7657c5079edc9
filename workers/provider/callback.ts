/** Which receivers a batch's webhook may have. */
import { checkAddresses, notPublic } from "../../src/domain/names/target.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { INTERACTIVE_LOOKUP_MS, type ProviderDeps } from "./context.ts";
import { parseCallback, secretBytes } from "./webhook-rules.ts";

/** Refuses a receiver that is visibly none; DNS is asked, and asked again by the guarded client when it is sent to. */
export async function refuseCallback(
  { allow, resolver }: Pick<ProviderDeps, "allow"> & { resolver: Pick<Resolver, "addresses"> },
  url: string | undefined,
  secret: string | undefined,
  member = "callback_url",
): Promise<Failure<"invalid_callback"> | undefined> {
  if (url === undefined)
    return secret === undefined ? undefined : badCallback("callback_secret", "needs a callback_url");
  if (secret !== undefined && !secretBytes(secret))
    return badCallback("callback_secret", "is not base64 after whsec_");
  const parsed = parseCallback(url, allow);
  if (!parsed.ok) return badCallback(member, parsed.reason);
  const port = Number(parsed.url.port) || (parsed.url.protocol === "https:" ? 443 : 80);
  const host = parsed.url.hostname.replace(/\.$/, "");
  const answer = await resolver.addresses(host, AbortSignal.timeout(INTERACTIVE_LOOKUP_MS));
  if (answer.outcome === "failed") return undefined;
  // A name that is known inside alone gets the answer of one that nobody knows.
  const records = answer.outcome === "found" ? answer.records : [];
  const refused = records.length === 0 ? notPublic() : checkAddresses(records, port, allow);
  return refused && badCallback(member, `cannot be sent to: ${refused.detail}`);
}

const badCallback = (member: string, reason: string): Failure<"invalid_callback"> =>
  fail("invalid_callback", `${member} ${reason}.`, {
    errors: [{ pointer: `/body/${member}`, code: "invalid_callback", message: reason }],
  });
