/** A batch of domains: each probed within one deadline, kept for a week, and delivered by webhook. */

import { BatchReply, type BatchResult, type DomainStatus } from "../../schemas/provider.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { iso } from "../../src/ports/time.ts";
import type { Input } from "../../src/rpc/contract.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { refuseCallback } from "./callback.ts";
import { type ProviderDeps, probeWithin } from "./context.ts";
import type { provider } from "./contract.ts";
import { reasonOf, statusOfProbe, statusOfRecord, summaryOf } from "./domain-status.ts";
import { batchUrl } from "./record-template.ts";
import { newDelivery } from "./webhook-rules.ts";

/** Characters of a batch's entry that are said back: a host name and some more. */
const MAX_ECHO = 300;

const resultOf = (asked: string, status: DomainStatus): BatchResult => ({
  asked,
  ...status,
  ...reasonOf(status),
});

/** One entry of a batch, within what is left of its time. */
const verify = async (
  deps: ProviderDeps,
  asked: string,
  agentRun: boolean,
  untilMs: number,
): Promise<BatchResult> => {
  const parsed = parsePastedDomain(asked);
  const echo = asked.slice(0, MAX_ECHO).toWellFormed();
  if (!parsed.ok)
    return { asked: echo, domain: null, state: "invalid", reason: parsed.reason, detail: parsed.detail };
  const { host } = parsed;
  const known = await knownSite(deps, host);
  if (known.isBlocked) return resultOf(echo, statusOfRecord(known, deps.now()));
  const left = Math.max(0, untilMs - deps.clock.monotonicMs());
  const probe = await probeWithin(deps, host, agentRun, left);
  // A host that rests, or is slow: what the crawl knows of it is said, and of when.
  if (probe?.kind !== "seen" && known.record && known.record.visits > 0)
    return resultOf(echo, statusOfRecord(known, deps.now()));
  if (probe?.kind !== "seen")
    return {
      asked: echo,
      domain: host,
      state: "timeout",
      reason: probe ? "host_busy" : "deadline",
      detail: probe
        ? "The host must not be asked now; ask again in a moment."
        : "Not finished within the deadline.",
    };
  const status = statusOfProbe({ host, record: probe.record, isBlocked: false }, probe.seen, probe.at);
  return { ...resultOf(echo, status), ...(probe.agentRun && { agent_run: probe.agentRun }) };
};

/** Keeps the batch and puts its webhook on its way. @returns the reply, as it is sent and delivered */
const settle = async (
  deps: ProviderDeps,
  result: BatchReply,
  secret: string | undefined,
  clientAddress: string,
): Promise<BatchReply> => {
  const { batches, webhooks, schedule } = deps;
  // In the order of the contract, so that reply and webhook are the same bytes.
  const reply = BatchReply.parse(result);
  const { request_id: id, summary, callback } = reply;
  const now = deps.now();
  const { url } = callback;
  const delivery = url === null ? null : newDelivery(url, secret !== undefined, schedule.length, now);
  await batches.put(id, { v: 1, request_id: id, created_at: iso(now), summary, delivery });
  if (url === null) return reply;
  const hook = { v: 1 as const, id, url, secret: secret ?? null, body: JSON.stringify(reply), made: 0 };
  const refused = await webhooks.send(hook, clientAddress);
  if (!refused) return reply;
  await batches.put(id, { v: 1, request_id: id, created_at: iso(now), summary, delivery: null });
  return { ...reply, callback: { ...callback, accepted: false, reason: refused } };
};

/** Checks up to fifty domains at once, and sends what came of it where the caller wants it. Without domains: just that. */
export const verifyBatch = async (
  deps: ProviderDeps,
  body: Input<(typeof provider)["operations"]["verifyBatch"]>["body"],
  clientAddress: string,
) => {
  const { domains, include_agent_run, callback_url, callback_secret } = body;
  const overMost =
    callback_url !== undefined && (await deps.limiter.refusal("callback_hosts", { clientAddress }));
  if (overMost) return overMost;
  const refused = await refuseCallback(deps, callback_url, callback_secret);
  if (refused) return refused;
  const untilMs = deps.clock.monotonicMs() + deps.deadlineMs;
  const results = await Promise.all(domains.map((asked) => verify(deps, asked, include_agent_run, untilMs)));
  const request_id = uuidv7();
  const reply: BatchReply = {
    request_id,
    summary: summaryOf(results),
    results,
    checked_at: iso(deps.now()),
    callback: {
      accepted: callback_url !== undefined,
      url: callback_url ?? null,
      status_url: batchUrl(deps.publicUrl, request_id),
      reason: callback_url === undefined ? "none_asked_for" : null,
    },
  };
  return settle(deps, reply, callback_secret, clientAddress);
};
