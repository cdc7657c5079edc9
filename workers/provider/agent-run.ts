/** What an agent without a session does at a site that was found sound: find it, see what it offers, read its home page. */
import type { AgentRun } from "../../schemas/provider.ts";
import type { PagesRead } from "../../src/crawl/pages/read-pages.ts";
import { charactersRead } from "../../src/crawl/pages/site-pages.ts";
import type { PageOptions } from "../../src/crawl/stages/context.ts";
import { type Claims, pageStages } from "../../src/crawl/stages/table.ts";
import type { ClaimsCheck } from "../../src/crawl/visit.ts";
import type { VisitFindings } from "../../src/crawl/visit-findings.ts";

type Step = AgentRun["steps"][number];

/**
 * Runs an agent.
 * @param onHung called when the page ended the thread that read it
 */
export async function runAgent(
  { seen, claims }: ClaimsCheck & { kind: "seen" },
  readPage: PageOptions["readPage"],
  onHung: () => void,
): Promise<AgentRun> {
  if (!claims) return failedRun(seen);
  const run = await pageStages.run({ ...claims, pagesPerVisit: 1, readPage });
  const read = run.kind === "not_now" ? undefined : run.found.pages;
  if (read?.hung !== undefined) onHung();
  const { reason, facts } = seen;
  const found: Step = { step: "discovery", state: "pass", reason, detail: facts.discovery_url ?? "" };
  const steps = [found, actionsStep(claims), pageStep(read)];
  return { ok: steps.every(({ state }) => state === "pass"), steps };
}

/** The run at a site that was found to be none, or that is not asked. */
export const failedRun = ({ reason, detail }: Pick<VisitFindings, "reason" | "detail">): AgentRun => ({
  ok: false,
  steps: [{ step: "discovery", state: "fail", reason, detail }],
});

function actionsStep({ document }: Claims): Step {
  const actions = document.actions?.length ?? 0;
  const commands = document.capabilities.commands.length;
  return {
    step: "actions",
    state: actions + commands > 0 ? "pass" : "warn",
    reason: actions + commands > 0 ? "declared" : "nothing_declared",
    detail: `${actions} actions, ${commands} commands`,
  };
}

function pageStep(read: Pick<PagesRead, "read" | "whole"> | undefined): Step {
  const length = read ? charactersRead(read) : 0;
  if (length > 0)
    return { step: "page_read", state: "pass", reason: "read", detail: `${length} characters of text` };
  const whole = read?.whole ?? false;
  return {
    step: "page_read",
    state: whole ? "warn" : "fail",
    reason: whole ? "nothing_to_read" : "unreachable",
    detail: "robots.txt, the page or the network left nothing",
  };
}
