/** Navigation by address and through history: decided where the command arrives, without a page. Pure. */
import {
  type Allows,
  type Command,
  type CommandPlan,
  deniedBy,
  failedPlan,
  type HistoryEntry,
} from "./plan.ts";

/** Where a session is. */
export interface SessionLocation {
  /** What addresses are relative to while no page is open. */
  home: URL;
  page: { url: URL } | undefined;
  /** Places before the current one, the oldest first. */
  history: readonly HistoryEntry[];
}

/** Actions that leave the page for an address, whatever is on it. */
type Move = "navigate" | "back";
export const isNavigation = (action: string): action is Move => action === "navigate" || action === "back";

/** Permissions first: what is not allowed is not even looked for. */
export const planNavigation = (
  action: Move,
  command: Command,
  at: SessionLocation,
  allows: Allows,
): CommandPlan =>
  deniedBy(action, allows) ?? (action === "navigate" ? planNavigate(at, command) : planBack(at));

function planNavigate({ page, home }: SessionLocation, { target, value }: Command): CommandPlan {
  const asked = target ?? value;
  if (!asked) return failedPlan("target_required", "Give the address in `target`.");
  const url = URL.parse(asked, (page?.url ?? home).href);
  if (!url || !/^https?:$/.test(url.protocol))
    return failedPlan("unsupported_address", "That is no web address.");
  return { kind: "go", request: { method: "GET", url }, move: "push" };
}

function planBack({ history }: SessionLocation): CommandPlan {
  const entry = history.at(-1);
  if (!entry) return failedPlan("no_history", "There is no page before this one.");
  if (entry.method === "POST")
    return failedPlan(
      "resubmission_refused",
      "The page before was the answer to a form: it is not sent twice.",
    );
  return { kind: "go", request: { method: "GET", url: new URL(entry.url) }, move: "back" };
}
