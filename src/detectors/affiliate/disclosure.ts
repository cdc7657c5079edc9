/** Whether a page says that it is paid for its links, where a reader sees it before following one. */
import { isShown } from "../../pages/computed-style.ts";
import type { PageModel, Segment } from "../../pages/page-model.ts";
import { LABELS_PAID, SAYS_PAID } from "./disclosure-phrases.ts";

/** `late`: after the first paid link; `hidden`: only where nobody sees it. */
export type Disclosure = "present" | "late" | "hidden" | "absent" | "not_needed";

const MAX_LABEL_CHARS = 40;

/** @param firstLinkAt place in the source of the first paid link */
export function disclosureOf(page: PageModel, firstLinkAt: number): Disclosure {
  let best: Disclosure = "absent";
  for (const segment of page.segments) {
    if (segment.channel !== "text" || !says(segment)) continue;
    const { concealment } = segment;
    const seen = isShown(concealment) || concealment === "clipped" || concealment === "read-out";
    // A paragraph that holds the link itself is beside it.
    if (seen && (segment.at <= firstLinkAt || segment.at - firstLinkAt < 600)) return "present";
    if (seen) best = "late";
    else if (best === "absent") best = "hidden";
  }
  return best;
}

function says({ text }: Segment): boolean {
  const plain = text.replace(/[’`´]/g, "'");
  return SAYS_PAID.test(plain) || (text.length < MAX_LABEL_CHARS && LABELS_PAID.test(plain));
}
