/** `readPage`: a page of a registered site as Markdown, in parts, after the firewall's verdict on it. */
import { markdownWindow } from "../../../src/browser/markdown-window.ts";
import { networkGroup } from "../../../src/domain/names/address.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { Failure } from "../../../src/rpc/errors.ts";
import type { session } from "../contract.ts";
import type { SessionDeps } from "../deps.ts";
import { askedPage } from "./page-info.ts";

/** Shown in place of a page that is dangerous as a whole: for its address, or a form. */
const WITHHELD = { text: "", links: [], forms: [], truncated: true };

export const readPage =
  (deps: SessionDeps): Handlers<typeof session>["readPage"] =>
  async ({ query }, context) => {
    const asked = await askedPage(deps, query, context);
    if (asked instanceof Failure) return asked;
    const asker = networkGroup(context.clientAddress) ?? "inside";
    const page = await deps.publicTexts.read(asked.siteId, asked.url, asker, context);
    if (page instanceof Failure) return page;
    const { firewall, url, status, title, language, content, fetchedAt } = page;
    const isBlocked = firewall.verdict === "block";
    return {
      firewall,
      siteId: asked.siteId,
      url,
      status,
      title: isBlocked ? "" : title,
      language,
      ...markdownWindow(isBlocked ? WITHHELD : content, query.offset, query.max_tokens),
      fetched_at: new Date(fetchedAt).toISOString(),
    };
  };
