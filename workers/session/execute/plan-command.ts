/** What a command means: navigation is planned here, everything else in a thread, on the session's page. */
import { randomBytes } from "node:crypto";
import { type Effect, stronger } from "../../../schemas/action.ts";
import { type SiteConfiguration, type SitePermission, SitePermissions } from "../../../schemas/license.ts";
import type { SessionRecord } from "../../../schemas/session.ts";
import { effectOfWords } from "../../../src/browser/effect-words.ts";
import { isNavigation, planNavigation } from "../../../src/browser/navigation.ts";
import { failed, type Plan } from "../../../src/browser/plan.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { allowsAt } from "../site.ts";
import { readingOf, type Turn } from "./turn.ts";

/** Longest wait for the list of actions of a site's script. */
const SCRIPT_LIST_MS = 1_000;

const PERMISSIONS = Object.keys(SitePermissions.shape) as SitePermission[];

/** A plan, or that the site's own script carries the command out. */
export type Planned = Plan | { kind: "script"; effect: Effect };

type Allows = (permission: SitePermission) => boolean;

/** An action that neither the document nor the page lists: the site's connected script may. */
const planListed = async ({ deps, site, command }: Turn, allows: Allows): Promise<Planned> => {
  const scripts = await deps.scripts.actions(site.siteId, SCRIPT_LIST_MS);
  const listed = scripts?.find(({ name }) => name === command.action);
  if (!listed) return failed("unknown_action", "Neither built in nor listed by GET /api/bridge/actions.");
  const missing = listed.permissions_required.find((permission) => !allows(permission as SitePermission));
  if (missing) return { kind: "denied", permission: missing as SitePermission };
  const { effect, name, description, category } = listed;
  return { kind: "script", effect: stronger(effect, effectOfWords(`${name} ${description}`, category)) };
};

/** @param here what the owner of the open page's host says of it, if somebody does */
export const planCommand = async (
  turn: Turn,
  { page, fields, offset, history }: SessionRecord,
  here: SiteConfiguration | undefined,
): Promise<Planned | Failure<"unavailable">> => {
  const { deps, site, command } = turn;
  const allows = allowsAt(site, here);
  // The owner of the page that is left has no say in where to: the owner of the host that is asked has.
  if (isNavigation(command.action)) {
    const location = { home: site.home, page: page ? { url: new URL(page.url) } : undefined, history };
    return planNavigation(command.action, command, location, (permission) => site.allows(permission));
  }
  const job = {
    url: page?.url,
    home: site.home.href,
    fields,
    offset,
    command,
    permitted: PERMISSIONS.filter(allows),
    declared: site.declared,
    boundary: `bridge-${randomBytes(16).toString("hex")}`,
  };
  const plan = await deps.reader.plan(page?.pageId, job, readingOf(turn));
  if (plan instanceof Failure)
    return plan.code === "unavailable"
      ? fail("unavailable", plan.detail, plan)
      : failed("page_too_costly", `The command on this page: ${plan.detail}`);
  return plan.kind === "unlisted" ? planListed(turn, allows) : plan;
};
