/** What operators decide on appeals: for the operations and the commands. */
import type { Appeal, AppealState, StoredAppeal } from "../../schemas/appeal.ts";
import { hostKey } from "../../src/domain/names/domain-name.ts";
import type { Broker } from "../../src/ports/broker.ts";
import { type Frontier, visitNow } from "../../src/ports/frontier.ts";
import { iso } from "../../src/ports/time.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import { type Appeals, shownAppeal } from "../../src/stores/appeals.ts";
import { type Block, blockKey } from "../../src/stores/block-list.ts";
import type { Operators } from "../../src/stores/operators.ts";
import { allRecords, type Records } from "../../src/stores/records.ts";
import type { ReportStore } from "../../src/stores/reports.ts";
import { decideReport } from "../gateway/bounty/decide.ts";

export interface AppealDeps {
  broker: Pick<Broker, "now">;
  appeals: Appeals;
  blocks: Records<Block>;
  reports: ReportStore;
  operators: Pick<Operators, "list">;
  frontier: Pick<Frontier, "bringForward" | "add">;
}

export interface AppealDecision {
  /** Canonical. */
  domain: string;
  appealId: string;
  state: "upheld" | "lifted";
  /** The owner and the verdict say it. */
  why: string;
  /** Name of the operator. */
  who: string;
}

/** Appeals of all sites that are in this state, the oldest first. @param state undefined: of every state */
export async function appealQueue(
  { appeals }: Pick<AppealDeps, "appeals">,
  { state, limit }: { state: AppealState | undefined; limit: number },
): Promise<{ total: number; appeals: Appeal[] }> {
  const found = (await allRecords(appeals))
    .flatMap((record) => record.appeals.map((each) => shownAppeal(record.siteId, each)))
    .filter((each) => state === undefined || each.state === state)
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  return { total: found.length, appeals: found.slice(0, limit) };
}

/** Decides an appeal once. What was lifted already is lifted again, so that nothing stays half done. */
export async function decideAppeal(
  deps: AppealDeps,
  { domain, appealId, state, why, who }: AppealDecision,
): Promise<Appeal | Failure<"not_found" | "already_decided" | "decision_refused" | "unavailable">> {
  const { appeals, broker } = deps;
  const record = (await appeals.get(hostKey(domain)))?.value;
  const appeal = record?.appeals.find((each) => each.appealId === appealId);
  if (!appeal) return fail("not_found", `${domain} has no such appeal.`);
  const refused =
    (await ownDecision(deps, appeal, who)) ?? (state === "lifted" ? unliftable(domain, appeal) : undefined);
  if (refused) return refused;
  const answer = { why, who, at: iso(broker.now()) };
  const decided = await appeals.update<StoredAppeal | Failure<"already_decided">>(
    hostKey(domain),
    (current) => {
      const known = current?.appeals.find((each) => each.appealId === appealId);
      if (known?.state === state) return { result: known };
      if (!current || known?.state !== "open")
        return { result: fail("already_decided", `The appeal is ${known?.state ?? "gone"}.`) };
      const next = { ...known, state, answer };
      const all = current.appeals.map((each) => (each.appealId === appealId ? next : each));
      return { next: { ...current, appeals: all }, result: next };
    },
  );
  if (!decided)
    return fail("unavailable", "The appeal was changed at the same time.", { retryAfterSeconds: 1 });
  if (decided instanceof Failure) return decided;
  if (state === "lifted") await lift(deps, domain, decided, { who, why });
  return shownAppeal(domain, decided);
}

/** Why an operator may not decide: it is his own decision, and another could. */
async function ownDecision(
  deps: AppealDeps,
  appeal: StoredAppeal,
  who: string,
): Promise<Failure<"decision_refused"> | undefined> {
  if ((await deciderOf(deps, appeal)) !== who) return undefined;
  const others = (await deps.operators.list()).filter(
    ({ email, role }) => email !== who && role !== "viewer",
  );
  return others.length === 0
    ? undefined
    : fail("decision_refused", "The decision was yours: another operator looks at the appeal.");
}

/** The operator who made a decision, where one did. */
async function deciderOf(
  { blocks, reports }: AppealDeps,
  { kind, decision, about }: StoredAppeal,
): Promise<string | undefined> {
  if (kind === "block") {
    const block = (await blocks.get(blockKey(about)))?.value;
    return block?.at === decision ? block.who : undefined;
  }
  if (kind === "delisting") return undefined;
  const report = (await reports.reports.get(decision))?.value;
  return report?.changes.findLast(({ by }) => by === "operator")?.who;
}

/** Why a decision cannot be lifted here. */
const unliftable = (
  domain: string,
  { kind, about }: StoredAppeal,
): Failure<"decision_refused"> | undefined =>
  kind === "block" && about !== domain
    ? fail("decision_refused", `The block is of ${about}: lift that first, then decide; or uphold it.`)
    : undefined;

/** Takes back what was decided; again, where it broke off before. */
async function lift(
  { broker, blocks, reports, frontier }: AppealDeps,
  domain: string,
  { kind, decision, about }: StoredAppeal,
  { who, why }: { who: string; why: string },
): Promise<void> {
  const now = broker.now();
  if (kind === "block") {
    const block = await blocks.get(blockKey(about));
    if (block?.value.at === decision) await blocks.removeRevision(blockKey(about), block.revision);
  }
  if (kind === "report" && (await reports.reports.get(decision))?.value.state === "triaged")
    await decideReport(reports, { id: decision, state: "not_applicable", reason: why, who }, now);
  await visitNow(frontier, domain, now, { source: "report" });
}
