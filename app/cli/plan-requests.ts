/** Plans that accounts ask for: listed, approved, refused. What the operators' API does, without its listener. */
import { emailIdentity } from "../../src/domain/names/email.ts";
import { Failure } from "../../src/rpc/errors.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openAccountStore } from "../../src/stores/accounts.ts";
import { openPlanRequests } from "../../src/stores/plan-requests.ts";
import { decidePlan, waitingPlans } from "../../workers/accounts/holders/handlers.ts";
import { openMailbox } from "../../workers/accounts/mail/outbox.ts";
import type { OpenedRuntime } from "../processes/runtime.ts";
import { actOn, withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

const MOST_LISTED = 1_000;
const MOST_REASON = 300;

const storesOf = ({ broker }: OpenedRuntime) => ({
  store: openAccountStore(broker),
  planRequests: openPlanRequests(broker.buckets.plans),
});

/** Without a mail server nobody would send what is accepted. */
const mailboxOf = async ({ broker, clock, config, limiter }: OpenedRuntime) =>
  config.BRIDGE_SMTP_URL ? openMailbox({ broker, clock, limiter }) : { post: async () => false };

/** Lists who waits for which plan, the oldest first. @returns how many wait */
export const listPlanRequests = (config: Config, { json }: { json: boolean }): Promise<number> =>
  withRuntime(config, async (runtime) => {
    const { total, requests } = await waitingPlans(storesOf(runtime), MOST_LISTED);
    if (json) print(JSON.stringify(requests));
    else
      for (const { user, request } of requests)
        print(
          printable(
            `${user.email}  ${user.tier} -> ${request.tier}, since ${request.at}${request.note === "" ? "" : `: ${request.note}`}`,
          ),
        );
    if (total === 0 && !json) say("Nobody waits for a plan.");
    return total;
  });

/** Approves or refuses what an account asks for; its holder is mailed. */
export const decidePlanOf = async (
  config: Config,
  email: string,
  decision: string,
  { why }: { why: string },
): Promise<void> => {
  if (decision !== "approve" && decision !== "refuse")
    throw new CommandError(`${printable(decision)} is no decision: approve, refuse.`, 2);
  if (why.trim() === "" || why.length > MOST_REASON)
    throw new CommandError(`Give a reason of 1 to ${MOST_REASON} characters: it is mailed.`, 2);
  await actOn(config, "decide-plan", { email, decision, why }, async (runtime) => {
    const { broker, publicUrl } = runtime;
    const outbox = await mailboxOf(runtime);
    const deps = { ...storesOf(runtime), ...{ outbox, publicUrl, now: broker.now } };
    const identity = emailIdentity(email);
    const account = identity === undefined ? undefined : (await deps.store.byEmail(identity))?.value;
    const request = account && (await deps.planRequests.of(account.accountId));
    if (!account || request?.state !== "waiting")
      throw new CommandError(`${printable(email)} waits for no plan.`, 4);
    const decided = await decidePlan(deps, account.accountId, {
      ...{ tier: request.tier, approve: decision === "approve", why: why.trim() },
    });
    if (decided instanceof Failure) throw new CommandError(decided.detail);
    const said = decision === "approve" ? `has the plan ${request.tier}` : `is refused ${request.tier}`;
    print(`${printable(account.email)} ${said}.`);
  });
};
