/** What is cut of a page before an agent reads it: the passages that are warned of, never the page. */
import type { TextRole } from "../../../schemas/finding.ts";
import { type Cut, type Cuts, cutText, REMOVED } from "../../pages/cut.ts";
import type { PageModel } from "../../pages/page-model.ts";
import { BLOCK_RISK, judgeText } from "./judge.ts";
import type { Flagged, Scan } from "./scan.ts";

export const cutsOf = (page: PageModel, scan: Scan): Cuts =>
  new Map(
    page.segments.flatMap((segment) => {
      const found = scan.flaggedIn(segment);
      return found ? [[segment, cutsIn(segment.text, found, scan.role)] as const] : [];
    }),
  );

/** The passages; all of a text that would be blocked, or that would be warned of without them, too. */
function cutsIn(text: string, found: readonly Flagged[], role: TextRole): readonly Cut[] {
  const cuts = found
    .map(({ from, to }) => ({ from, to, mark: REMOVED }))
    .sort((a, b) => a.from - b.from || b.to - a.to);
  const isWhole =
    found.some(({ risk }) => risk >= BLOCK_RISK) || judgeText(cutText(text, cuts), role).action !== "allow";
  return isWhole ? [{ from: 0, to: text.length, mark: REMOVED }] : cuts;
}
