/** One attempt at a command: on the session's record as it is now, planned, carried out and stored. */
import type { SiteConfiguration } from "../../../schemas/license.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import type { BuiltIn, Change, Command, CommandFailure, Plan } from "../../../src/browser/plan.ts";
import { refusalOf } from "../../../src/domain/listing/site-configuration.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import type { Stored } from "../../../src/stores/records.ts";
import { refusalsOf } from "../pages/fetch-page.ts";
import { dryRunOf } from "./dry-run.ts";
import { navigate } from "./navigate.ts";
import { type Planned, planCommand } from "./plan-command.ts";
import { denied, done, type Executed } from "./result.ts";
import { runScript } from "./site-script.ts";
import { closedTo, permissionsOfAction, type Turn } from "./turn.ts";

/** Commands that leave a page, or leave it alone: they stay allowed on a page that its owner closed meanwhile. */
const LEAVING: ReadonlySet<string> = new Set<BuiltIn>(["navigate", "back", "wait"]);

/** Why the owner of the open page forbids a command on it, or undefined. */
const refusalHere = (here: SiteConfiguration, { action }: Command, page: URL): string | undefined =>
  LEAVING.has(action)
    ? undefined
    : refusalOf(here, { command: action, permissions: permissionsOfAction(action), path: page.pathname });

/** Stores a change that no request was needed for. @returns false when another writer was first */
const store = async (
  { deps }: Turn,
  { value, revision }: Stored<SessionRecord>,
  { fields, offset, url }: Change,
): Promise<boolean> => {
  // Compare-and-set, not update: the plan was made on this very revision and would have to be made anew.
  if (!fields && offset === undefined && !url && !value.busy) return true;
  const next: SessionRecord = {
    ...value,
    busy: null,
    ...(fields && { fields: fields as SessionRecord["fields"] }),
    ...(offset !== undefined && { offset }),
    ...(url && value.page && { page: { ...value.page, url: url.slice(0, 2_048) } }),
  };
  return (await deps.sessions.records.compareAndSet(value.sessionId, next, revision)) !== undefined;
};

const failedResult = ({ page }: SessionRecord, { code, message, faults }: Plan & { kind: "failed" }) =>
  done({ ...(page && { url: page.url }), error: { code, message, ...(faults && { faults }) } }, false);

const wait = async (
  turn: Turn,
  stored: Stored<SessionRecord>,
  { ms, next }: Plan & { kind: "wait" },
): Promise<Executed | "again"> => {
  await turn.deps.clock.sleep(ms);
  const { page } = stored.value;
  if (!next) return done({ ...(page && { url: page.url }), waited_ms: ms });
  if (!turn.site.allows("navigate")) return denied(turn.site, "navigate");
  return navigate(turn, stored, { request: next, move: "push" });
};

/** Carries out what was planned. @returns "again" when another writer was first */
const carryOut = async (
  turn: Turn,
  stored: Stored<SessionRecord>,
  plan: Planned,
): Promise<Executed | "again"> => {
  const { value: record } = stored;
  if (plan.kind === "script") return runScript(turn, record, "The action is the site's own.", plan.effect);
  switch (plan.kind) {
    case "denied":
      return denied(turn.site, plan.permission);
    case "failed":
      return plan.code === "requires_script"
        ? runScript(turn, record, plan.message, plan.effect ?? "write")
        : failedResult(record, plan);
    case "wait":
      return wait(turn, stored, plan);
    case "go":
      return navigate(turn, stored, plan);
    case "done":
      return (await store(turn, stored, plan.change)) ? done(plan.result) : "again";
  }
};

/** Why what a dry run would tell of is refused when it is done. */
const refusedThere = async (
  { deps, site, command }: Turn,
  { licenceHash }: SessionRecord,
  plan: Planned,
): Promise<Failure<"permission_denied"> | undefined> => {
  const request = plan.kind === "go" ? plan.request : plan.kind === "wait" ? plan.next : undefined;
  if (!request) return undefined;
  const asked = { url: request.url, closed: closedTo(site, command.action, request.method) };
  const navigation = { siteId: site.siteId, asker: licenceHash };
  const [refusal] = await refusalsOf(deps.fetching, [asked], navigation);
  return refusal && fail("permission_denied", refusal.detail);
};

/** Why a session without a page could not do something that it may be able to do on the home page. */
const FOR_WANT_OF_A_PAGE: ReadonlySet<unknown> = new Set<CommandFailure>([
  "no_page",
  "unknown_action",
  "requires_script",
]);

/** Opens the home page for a session that has none, as its own `navigate` would. */
const openHome = async (turn: Turn, stored: Stored<SessionRecord>): Promise<Executed | "again"> => {
  const { site } = turn;
  const command = { action: "navigate", target: site.home.href };
  const refused = refusalOf(site.configuration, { command: command.action });
  if (refused) return fail("permission_denied", refused);
  if (!site.allows("navigate")) return denied(site, "navigate");
  return navigate({ ...turn, command, once: undefined }, stored, {
    request: { method: "GET", url: site.home },
    move: "push",
  });
};

/**
 * One attempt on the record as it is now.
 * @returns "again" when another writer was first, or when the home page was opened, where the command may be possible
 */
export const attempt = async (turn: Turn, stored: Stored<SessionRecord>): Promise<Executed | "again"> => {
  const { site, command } = turn;
  const { value: record } = stored;
  const at = record.page && new URL(record.page.url);
  const here = at ? await site.configurationAt(at) : undefined;
  const refused = here && at && refusalHere(here, command, at);
  if (refused) return fail("permission_denied", refused);
  const plan = await planCommand(turn, record, here);
  if (plan instanceof Failure) return plan;
  const isTold = plan.kind !== "denied" && plan.kind !== "failed";
  const executed =
    turn.dryRun && isTold
      ? ((await refusedThere(turn, record, plan)) ?? dryRunOf(record, plan))
      : await carryOut(turn, stored, plan);
  if (record.page || executed === "again" || executed instanceof Failure) return executed;
  const { error, by } = executed.result as { error?: { code: string }; by?: string };
  if (by === "script" || !FOR_WANT_OF_A_PAGE.has(error?.code)) return executed;
  const opened = await openHome(turn, stored);
  if (opened === "again" || (!(opened instanceof Failure) && opened.success)) return "again";
  return plan.kind === "script" ? executed : opened;
};
