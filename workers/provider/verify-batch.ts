/** A batch of domains: each probed within one deadline, kept for a week, and delivered by webhook. */

import { BatchReply, type BatchResult, type DomainStatus } from "../../schemas/provider.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import { iso } from "../../src/ports/time.ts";
import type { Input } from "../../src/rpc/contract.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import { domainAnswer } from "./answers.ts";
import { refuseCallback } from "./callback.ts";
import type { ProviderDeps } from "./context.ts";
import type { provider } from "./contract.ts";
import { batchSummary, checksOfKeys, reasonOf } from "./domain-status.ts";
import { FOLLOW_UP_MS, type Rest } from "./follow-ups.ts";
import { batchUrl } from "./record-template.ts";
import { newDelivery } from "./webhook-rules.ts";

/** Characters of a batch's entry that are said back: a host name and some more. */
const MAX_ECHO = 300;

interface Batch {
  agentRun: boolean;
  secret: string | undefined;
  clientAddress: string;
}

/** Checks up to fifty domains at once, and sends what came of it where the caller wants it. Without domains: just that. */
export async function verifyBatch(
  deps: ProviderDeps,
  body: Input<(typeof provider)["operations"]["verifyBatch"]>["body"],
  clientAddress: string,
) {
  const { domains, include_agent_run, callback_url, callback_secret } = body;
  const overMost = callback_url !== undefined && (await deps.limiter.refusal("dns_names", { clientAddress }));
  if (overMost) return overMost;
  const refused = await refuseCallback(deps, callback_url, callback_secret);
  if (refused) return refused;
  const untilMs = deps.clock.monotonicMs() + deps.deadlineMs;
  const results = await Promise.all(domains.map((asked) => verify(deps, asked, include_agent_run, untilMs)));
  const request_id = uuidv7();
  const reply: BatchReply = {
    request_id,
    summary: batchSummary(results),
    results,
    checked_at: iso(deps.now()),
    callback: {
      accepted: callback_url !== undefined,
      url: callback_url ?? null,
      status_url: batchUrl(deps.publicUrl, request_id),
      reason: callback_url === undefined ? "none_asked_for" : null,
    },
  };
  return settle(deps, reply, { agentRun: include_agent_run, secret: callback_secret, clientAddress });
}

/** One entry of a batch, within what is left of its time. */
async function verify(
  deps: ProviderDeps,
  asked: string,
  agentRun: boolean,
  untilMs: number,
): Promise<BatchResult> {
  const parsed = parsePastedDomain(asked);
  const echo = asked.slice(0, MAX_ECHO).toWellFormed();
  if (!parsed.ok)
    return { asked: echo, domain: null, state: "invalid", reason: parsed.reason, detail: parsed.detail };
  const { host } = parsed;
  const patienceMs = Math.max(0, untilMs - deps.clock.monotonicMs());
  const answer = await domainAnswer(deps, host, { agentRun, patienceMs, isBatch: true });
  if (answer.kind === "known")
    return { ...resultOf(echo, answer.status), ...(answer.agentRun && { agent_run: answer.agentRun }) };
  return {
    asked: echo,
    domain: host,
    state: "pending",
    reason: answer.why,
    detail: `${answer.keys.ok ? "Its TXT record is usable" : "DNS did not answer in time"}; ${
      answer.why === "host_busy"
        ? "its host must not be asked at this moment."
        : "its document is read as soon as its address may be asked."
    }`,
    dnssec: answer.keys.dnssec,
    checks: checksOfKeys(answer.keys),
    ask_again_at: iso(answer.askAgainAt),
  };
}

const resultOf = (asked: string, status: DomainStatus): BatchResult => ({
  asked,
  ...status,
  ...reasonOf(status),
});

/** Keeps the batch and puts its webhook on its way. @returns the reply, as it is sent and delivered */
async function settle(deps: ProviderDeps, result: BatchReply, batch: Batch): Promise<BatchReply> {
  // In the order of the contract, so that reply and webhook are the same bytes.
  const reply = BatchReply.parse(result);
  const { request_id: id, summary, callback } = reply;
  const goesOn = callback.url !== null && summary.pending > 0 && deps.followUps.hasRoom;
  const running = goesOn ? { running: deps.now() + FOLLOW_UP_MS } : {};
  const refused = await deliver(deps, id, reply, { ...batch, ...running });
  if (refused) return { ...reply, callback: { ...callback, accepted: false, reason: refused } };
  if (goesOn) deps.followUps.start((rest) => followUp(deps, reply, batch, rest));
  return reply;
}

/** Puts a batch's webhook on its way. @returns why it was not accepted */
async function deliver(
  { batches, webhooks, schedule, now }: ProviderDeps,
  id: string,
  reply: BatchReply,
  { secret, clientAddress, running }: { secret: string | undefined; clientAddress: string; running?: number },
) {
  const { summary, callback } = reply;
  const { url } = callback;
  const delivery = url === null ? null : newDelivery(url, secret !== undefined, schedule.length, now());
  const record = {
    v: 1 as const,
    request_id: id,
    created_at: iso(now()),
    summary,
    ...(running !== undefined && { running_until: running }),
  };
  await batches.put(id, { ...record, delivery });
  if (url === null) return undefined;
  const hook = { v: 1 as const, id, url, secret: secret ?? null, body: JSON.stringify(reply), made: 0 };
  const refused = await webhooks.send(hook, clientAddress);
  if (refused) await batches.put(id, { ...record, delivery: null });
  return refused;
}

/** Looks at what was pending to its end, and tells the receiver of the whole batch. */
async function followUp(
  deps: ProviderDeps,
  reply: BatchReply,
  { agentRun, secret, clientAddress }: Batch,
  rest: Rest,
): Promise<void> {
  const { clock, batches, now } = deps;
  const untilMs = clock.monotonicMs() + FOLLOW_UP_MS;
  const settled = async (result: BatchResult): Promise<BatchResult> => {
    let last = result;
    while (last.state === "pending" && (await rest(untilMs)))
      last = await verify(deps, last.asked, agentRun, untilMs);
    return last;
  };
  const results = await Promise.all(reply.results.map(settled));
  const whole = { ...reply, results, summary: batchSummary(results), checked_at: iso(now()) };
  await deliver(deps, `${reply.request_id}-2`, BatchReply.parse(whole), { secret, clientAddress });
  await batches.update(reply.request_id, (before) => {
    if (!before) return { result: false };
    const { running_until: _, ...kept } = before;
    return { next: { ...kept, summary: whole.summary }, result: true };
  });
}
