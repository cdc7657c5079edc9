/** Replies in HTML: a view in its frame, with the policy that lets a browser apply its style and nothing of others. */
import type { FastifyReply } from "fastify";
import type { Problem } from "../../schemas/problem.ts";
import type { Html } from "../pages/html.ts";
import { documentOf } from "../pages/layout.ts";
import { STYLE } from "../pages/style.ts";
import { DEFAULT_TEXTS } from "../pages/texts.ts";
import { type FailureContext, failureView } from "../pages/views/failure.ts";
import { pageHeaders } from "./problem.ts";

const HEADERS = pageHeaders(STYLE, { isOurs: true });
const LIVE_HEADERS = pageHeaders(STYLE, { isOurs: true, runsScript: true });

/** A problem as a page. */
export const problemPage = (problem: Problem, context: FailureContext): Html =>
  documentOf(failureView(problem, context, DEFAULT_TEXTS), {
    texts: DEFAULT_TEXTS,
    menu: context.menu,
    isDemo: context.isDemo,
  });

/** Sends a page as it is; its cache-control is the caller's. */
export const sendHtml = (reply: FastifyReply, page: Html | Buffer, isLive = false): FastifyReply =>
  reply
    .headers(peopleHeaders(isLive))
    .header("vary", "accept")
    .type("text/html; charset=utf-8")
    .send(Buffer.isBuffer(page) ? page : Buffer.from(page.toString()));

/** Header fields of a page for people. */
export const peopleHeaders = (isLive = false): Record<string, string> => (isLive ? LIVE_HEADERS : HEADERS);
