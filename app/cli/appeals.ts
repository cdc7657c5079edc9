/** Operator commands for appeals of sites' owners: what waits, and what is decided. */
import { userInfo } from "node:os";
import { z } from "zod";
import { type Appeal, AppealState } from "../../schemas/appeal.ts";
import { MAX_DECISION_REASON } from "../../schemas/bounty.ts";
import { Failure } from "../../src/rpc/errors.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openAppeals } from "../../src/stores/appeals.ts";
import { openOperators } from "../../src/stores/operators.ts";
import { openReports } from "../../src/stores/reports.ts";
import { appealQueue, decideAppeal } from "../../workers/operators/appeals.ts";
import { actOn, hostOf, withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

export const linesOf = ({
  appeal_id,
  domain,
  kind,
  about,
  since,
  why,
  reason,
  at,
  state,
  answer,
}: Appeal): string[] => [
  `${appeal_id}  ${at}  ${state}  ${domain}`,
  `  ${kind} of ${since}, about ${about}${why === "" ? "" : `: ${why}`}`,
  `  the owner: ${reason}`,
  ...(answer ? [`  answered ${answer.at}: ${answer.why}`] : []),
];

/** Lists appeals, the oldest first. @param state open by default, or all @returns how many there are */
export const listAppeals = (
  config: Config,
  { state = "open", limit, json }: { state?: string; limit: number; json: boolean },
): Promise<number> => {
  const wanted = state === "all" ? undefined : AppealState.safeParse(state).data;
  if (state !== "all" && !wanted)
    throw new CommandError(`${printable(state)} is no state: all, ${AppealState.options.join(", ")}.`, 2);
  return withRuntime(config, async ({ broker }) => {
    const appeals = openAppeals(broker.buckets.appeals);
    const found = await appealQueue({ appeals }, { state: wanted, limit });
    if (json) print(JSON.stringify(found.appeals));
    else for (const each of found.appeals) print(linesOf(each).map(printable).join("\n"));
    if (found.total > found.appeals.length) say(`${found.total - found.appeals.length} more: raise --limit.`);
    if (found.total === 0 && !json) say("No appeals.");
    return found.total;
  });
};

/** Decides an appeal: its owner and the verdict say state and reason. */
export const decideAppealOf = async (
  config: Config,
  input: string,
  appealId: string,
  decision: string,
  { why, as }: { why: string; as?: string },
): Promise<void> => {
  if (decision !== "upheld" && decision !== "lifted")
    throw new CommandError(`${printable(decision)} is no decision: upheld, lifted.`, 2);
  if (why.trim() === "" || why.length > MAX_DECISION_REASON)
    throw new CommandError(`Give a reason of 1 to ${MAX_DECISION_REASON} characters with --why.`, 2);
  const domain = hostOf(input);
  if (!z.uuid().safeParse(appealId).success)
    throw new CommandError(`There is no appeal ${printable(appealId)}.`, 4);
  const who = as ?? userInfo().username;
  const asked = { domain, appealId, state: decision, why: why.trim() } as const;
  await actOn(
    config,
    "decide-appeal",
    asked,
    async ({ broker, blocks, frontier }) => {
      const decided = await decideAppeal(
        {
          ...{ broker, blocks, frontier },
          appeals: openAppeals(broker.buckets.appeals),
          reports: openReports(broker.buckets, frontier, broker.now),
          operators: openOperators(broker.buckets, broker.now),
        },
        { ...asked, who },
      );
      if (decided instanceof Failure)
        throw new CommandError(decided.detail, decided.code === "not_found" ? 4 : 1);
      print(`${domain}: ${decided.kind} ${decided.state}.`);
    },
    who,
  );
};
