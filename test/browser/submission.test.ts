import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formOf } from "../../src/browser/controls.ts";
import { readBrowserPage } from "../../src/browser/page.ts";
import { submissionOf } from "../../src/browser/submission.ts";
import { chromiumPath, NO_CHROMIUM, startChromium } from "../support/chromium.ts";
import { FORMS } from "./forms.ts";

interface Sent {
  method: string;
  path: string;
  type: string;
  body: string;
}

function withoutBoundary({ method, path, type, body }: Sent): Sent {
  const boundary = /boundary=([^;]+)/.exec(type)?.[1];
  return boundary
    ? { method, path, type: type.replace(boundary, "B"), body: body.replaceAll(boundary, "B") }
    : { method, path, type, body };
}

const pageOf = (html: string): string => `<!doctype html><html><body>${html}</body></html>`;

/** In bytes that mean the same in every encoding of the test. */
const bytesOf = (html: string): Buffer =>
  Buffer.from(pageOf(html).replace(/[^\0-\x7f]/gu, (character) => `&#${character.codePointAt(0)};`));

/** What our text browser sends for the same bytes. */
function ours(html: string, url: string, encoding: string): Sent {
  const text = new TextDecoder(encoding).decode(bytesOf(html));
  const page = readBrowserPage({ url, status: 200, mediaType: "text/html", encoding, text });
  const button = page.byId.get("go");
  const form = button ? formOf(page, button)! : page.elements.find(({ tagName }) => tagName === "form")!;
  const submission = submissionOf(page, {}, form, button, "B");
  if (!submission.ok) throw new Error(submission.message);
  const { method, url: to, contentType = "", body } = submission.request;
  return {
    method,
    path: to.pathname + to.search,
    type: contentType,
    body: Buffer.from(body ?? "").toString("latin1"),
  };
}

describe.skipIf(!chromiumPath)(
  `a form is sent as Chromium sends it${chromiumPath ? "" : ` (${NO_CHROMIUM})`}`,
  () => {
    let server: Server;
    let browser: Browser;
    let page: Page;
    let origin: string;
    let sent: (request: Sent) => void = () => undefined;

    beforeAll(async () => {
      server = createServer(async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk);
        const index = /^\/page\/(\d+)$/.exec(request.url ?? "")?.[1];
        if (request.method === "GET" && index !== undefined) {
          const [, html, charset = "utf-8"] = FORMS[Number(index)]!;
          response.setHeader("content-type", `text/html; charset=${charset}`);
          return response.end(bytesOf(html));
        }
        if (request.url !== "/favicon.ico")
          sent({
            method: request.method!,
            path: request.url!,
            type: request.headers["content-type"] ?? "",
            body: Buffer.concat(chunks).toString("latin1"),
          });
        return response.end("ok");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      browser = await startChromium();
      page = await browser.newPage();
    });
    afterAll(async () => {
      await browser?.close();
      server?.close();
    });

    it.each(FORMS.map(([name, html, charset = "utf-8"], index) => [name, index, html, charset] as const))(
      "%s",
      async (_, index, html, charset) => {
        const url = `${origin}/page/${index}`;
        await page.goto(url);
        const request = new Promise<Sent>((resolve) => {
          sent = resolve;
        });
        const arrived = page.waitForEvent("load");
        await page.evaluate(`{ const go = document.querySelector("#go"); go.form.requestSubmit(go); }`);
        const theirs = withoutBoundary(await request);
        await arrived;
        expect(withoutBoundary(ours(html, url, charset))).toEqual(theirs);
      },
    );
  },
);
