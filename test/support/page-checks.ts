/** What every page in Chromium is held to: axe's rules, the width of the screen, silence on the console. */
import axe from "axe-core";
import type { Page } from "playwright-core";

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1_280, height: 800 };
/** WCAG 2.2 AA, and what axe holds to be good besides. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe finds on a page as it stands. @param rules names of rules; default: those above */
export async function findingsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axe.source);
  const runOnly = JSON.stringify(rules ? { type: "rule", values: rules } : RULES);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { runOnly: ${runOnly}, resultTypes: ["violations"] })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120)}`);
}

export const isWiderThanScreen = (page: Page): Promise<boolean> =>
  page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth");

/**
 * What a page says on the console: what its policy refused, too.
 * @param allowed statuses of the page itself, which are no fault of it
 */
export function listenTo(page: Page, allowed = "404"): string[] {
  const said: string[] = [];
  page.on("console", (message) => {
    if (!message.text().includes(`the server responded with a status of ${allowed}`))
      said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  return said;
}
