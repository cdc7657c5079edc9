/** Plans as they cross between threads: a URL does not, its text does. */
import type { NamedPlan } from "../../../src/browser/commands.ts";
import type { Sends } from "../../../src/browser/sends.ts";
import type { PageRequest } from "../../../src/browser/submission.ts";

type SentRequest = Omit<PageRequest, "url"> & { url: string };
export type SentPlan =
  | Exclude<NamedPlan, { kind: "go" | "wait" }>
  | { kind: "go"; request: SentRequest; move: "push" | "back"; sends?: Sends | undefined }
  | { kind: "wait"; ms: number; next: SentRequest | undefined };

export function sentPlan(plan: NamedPlan): SentPlan {
  if (plan.kind === "go") return { ...plan, request: sentRequest(plan.request) };
  if (plan.kind === "wait") return { ...plan, next: plan.next && sentRequest(plan.next) };
  return plan;
}

const sentRequest = ({ url, body, ...rest }: PageRequest): SentRequest => ({
  ...rest,
  url: url.href,
  // A copy of its own: a small buffer is part of a larger one, all of which would cross.
  ...(body && { body: new Uint8Array(body) }),
});

export function receivedPlan(plan: SentPlan): NamedPlan {
  if (plan.kind === "go") return { ...plan, request: { ...plan.request, url: new URL(plan.request.url) } };
  if (plan.kind === "wait")
    return { ...plan, next: plan.next && { ...plan.next, url: new URL(plan.next.url) } };
  return plan;
}
