/** What became of a form of a verdict's page: a visit asked for, or a site reported. */
import { html } from "../html.ts";
import type { PageView, Replies, ViewContext } from "../page.ts";
import { verdictPath } from "../parts.ts";
import type { recheckQuestions, reportQuestions } from "../questions.ts";

export function recheckView(
  { main }: Replies<ReturnType<typeof recheckQuestions>>,
  context: ViewContext,
): PageView {
  const { asked, format } = context.texts;
  const { domain, queued, can_recheck_at } = main;
  return queued
    ? outcome(context, domain, asked.queuedTitle, asked.queued(domain))
    : outcome(context, domain, asked.waitTitle, asked.wait(domain, format.minute(can_recheck_at)));
}

const outcome = ({ texts }: ViewContext, domain: string, title: string, text: string): PageView => ({
  title,
  isTransient: true,
  body: html`<h1>${title}</h1><p class="lead">${text}</p><p><a class="button quiet" href="${verdictPath(domain)}">${texts.asked.back}</a></p>`,
});

/** What came of it, as the operation says. */
export function reportView(
  { main }: Replies<ReturnType<typeof reportQuestions>>,
  context: ViewContext,
): PageView {
  const { asked } = context.texts;
  const { domain, state, detail } = main.reported!;
  return outcome(context, domain, asked.reportedTitles[state], detail);
}
