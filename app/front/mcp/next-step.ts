/** What a model should do about a failure, by its code. */
import type { ErrorCode, Failure } from "../../../src/rpc/errors.ts";

const NEXT: Partial<Record<ErrorCode, string>> = {
  authentication_required:
    "Open a session with open_session, or ask the user for a token of this registry; do not guess one.",
  permission_denied: "Do something else: the site's owner does not permit this. Do not retry it.",
  insufficient_plan: "Ask the user for a key with that plan.",
  quota_exceeded: "Tell the user that the quota is used up; a retry does not help before it resets.",
  rate_limited: "Wait as long as it says, then call again.",
  unavailable: "Wait a few seconds, then call again.",
  timeout: "Call again once; then tell the user that it takes too long.",
  site_unreachable: "Try again later, or choose another site with search_sites.",
  site_not_registered: "Find registered sites with search_sites; scan_content can look at other addresses.",
  no_enabled_site: "Find verified sites with search_sites.",
  invalid_domain: "Give a host name such as shop.example.",
  invalid_url: "Give an address of that very site.",
  invalid_cursor: "Start again without a cursor.",
  content_too_costly: "Read another page: this one takes too long to read.",
  not_found: "Check the names that you gave.",
  internal: "Call again once; then tell the user, with the request id if there is one.",
};

export const adviceOn = ({ code }: Failure): string =>
  NEXT[code] ?? "Correct the arguments as the message says; a retry of the same call does not help.";
