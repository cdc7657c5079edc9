/** The tools that a page declares by its forms, as the crawl keeps them. Runs in threads alone (page-thread.ts). */
import type { PageTool } from "../../../schemas/site-pages.ts";
import { effectOfWords } from "../../browser/effect-words.ts";
import { isShown } from "../../pages/computed-style.ts";
import type { PageModel } from "../../pages/page-model.ts";
import { toolName, toolText } from "../../pages/tool-form.ts";

/** Tools that are kept of a page. */
const MAX_TOOLS = 8;
const MAX_DESCRIPTION = 160;

/** In the page's order, each name once; forms that readers do not see are none. */
export function toolsOf({ elements }: Pick<PageModel, "elements">): PageTool[] {
  const tools = new Map<string, PageTool>();
  for (const { element, style } of elements) {
    if (tools.size >= MAX_TOOLS) break;
    if (element.tagName !== "form" || !isShown(style.concealment)) continue;
    const name = toolName(element);
    if (name === undefined || tools.has(name)) continue;
    const description = toolText(element, "tooldescription").slice(0, MAX_DESCRIPTION).toWellFormed();
    const words = `${name.replaceAll(/[_.-]/g, " ")} ${description}`;
    tools.set(name, { name, description, effect: effectOfWords(words, "form") });
  }
  return [...tools.values()];
}
