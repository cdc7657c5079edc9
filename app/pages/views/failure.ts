/** A problem document as a page, for people. */
import type { Problem } from "../../../schemas/problem.ts";
import { html } from "../html.ts";
import type { Menu, PageView } from "../page.ts";
import { siteText } from "../parts.ts";
import type { Texts } from "../texts.ts";

const MOST_ERRORS = 5;

/** What a refusal's page shows beside the problem. */
export interface FailureContext {
  retryAfterSeconds: number | undefined;
  /** Nothing is at the address that was asked for: the problem's own words are for programs. */
  isNoAddress: boolean;
  /** Of the listener: what a visitor goes on to. */
  menu: Menu;
  isDemo: boolean;
}

export function failureView(
  problem: Problem,
  { retryAfterSeconds, isNoAddress, menu }: FailureContext,
  texts: Texts,
): PageView {
  const { status, title, detail, type, code, errors = [], request_id } = problem;
  const { failure } = texts;
  return {
    title: title,
    isTransient: true,
    body: html`<p class="soft small">${failure.title(status)} <code>${code}</code></p><h1>${title}</h1>
<p class="lead">${isNoAddress ? failure.notFound : siteText(detail)}</p>
${errors.length > 0 && html`<ul>${errors.slice(0, MOST_ERRORS).map(({ pointer, message }) => html`<li><code>${siteText(pointer, 80)}</code> ${siteText(message, 200)}</li>`)}</ul>`}
${retryAfterSeconds !== undefined && html`<p>${failure.retry(retryAfterSeconds)}</p>`}
<div class="acts">${menu === "console" ? html`<a class="button quiet" href="/">${texts.console.title}</a>` : html`<a class="button quiet" href="/search">${failure.home}</a>`}<a href="${type}">${failure.reference}</a></div>
${request_id !== undefined && html`<p class="small soft">${failure.requestId} <code>${siteText(request_id, 80)}</code></p>`}`,
  };
}
