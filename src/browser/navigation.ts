/** Navigation by address and through history: decided where the command arrives, without a page. Pure. */
import { type Allows, type Command, deniedBy, failed, type Place, type Plan } from "./plan.ts";

/** Where a session is. */
export interface SessionLocation {
  /** What addresses are relative to while no page is open. */
  home: URL;
  page: { url: URL } | undefined;
  /** Places before the current one, the oldest first. */
  history: readonly Place[];
}

/** Actions that leave the page for an address, whatever is on it. */
type Move = "navigate" | "back";
export const isNavigation = (action: string): action is Move => action === "navigate" || action === "back";

/** Permissions first: what is not allowed is not even looked for. */
export const planNavigation = (action: Move, command: Command, at: SessionLocation, allows: Allows): Plan =>
  deniedBy(action, allows) ?? (action === "navigate" ? planNavigate(at, command) : planBack(at));

function planNavigate({ page, home }: SessionLocation, { target, value }: Command): Plan {
  const asked = target ?? value;
  if (!asked) return failed("target_required", "Give the address in `target`.");
  const url = URL.parse(asked, (page?.url ?? home).href);
  if (!url || !/^https?:$/.test(url.protocol))
    return failed("unsupported_address", "That is no web address.");
  return { kind: "go", request: { method: "GET", url }, move: "push" };
}

function planBack({ history }: SessionLocation): Plan {
  const place = history.at(-1);
  if (!place) return failed("no_history", "There is no page before this one.");
  if (place.method === "POST")
    return failed("resubmission_refused", "The page before was the answer to a form: it is not sent twice.");
  return { kind: "go", request: { method: "GET", url: new URL(place.url) }, move: "back" };
}
