/** Controls of whether the home page can be read by everybody, as far as its markup says. */
import type { Evidence } from "../../../schemas/finding.ts";
import { type ComplianceControl, type ControlResult, controlResult, onPage, snippet } from "./control.ts";

export const ACCESSIBILITY: readonly ComplianceControl[] = [
  {
    id: "page-language",
    category: "accessibility",
    title: "The page says its language",
    refs: ["WCAG 2.2 success criterion 3.1.1", "EN 301 549 clause 9.3.1.1"],
    remediation: "Set lang on the html element.",
    judge: onPage(({ language }) =>
      language
        ? controlResult("pass", "It is said.", snippet(`lang="${language}"`))
        : controlResult("fail", "The html element has no lang."),
    ),
  },
  {
    id: "page-title",
    category: "accessibility",
    title: "The page has a title",
    refs: ["WCAG 2.2 success criterion 2.4.2"],
    remediation: "Give the page a title.",
    judge: onPage(({ title }) =>
      controlResult(title ? "pass" : "fail", title ? "It has one." : "It has none."),
    ),
  },
  {
    id: "image-alternatives",
    category: "accessibility",
    title: "Pictures have a text in their stead",
    refs: ["WCAG 2.2 success criterion 1.1.1"],
    remediation: "Give each picture an alt; an empty one where it is an ornament.",
    judge: onPage(({ images: { total, withoutAlt, first } }) => share("pictures", withoutAlt, total, first)),
  },
  {
    id: "form-labels",
    category: "accessibility",
    title: "Fields have labels",
    refs: ["WCAG 2.2 success criteria 1.3.1 and 4.1.2"],
    remediation: "Give each field a label element, or an aria-label.",
    judge: onPage(({ fields: { total, withoutLabel, first } }) =>
      share("fields", withoutLabel, total, first),
    ),
  },
];

function share(what: string, bad: number, total: number, first: Evidence | undefined): ControlResult {
  if (total === 0) return controlResult("not_applicable", `There are no ${what} on this page.`);
  if (bad === 0) return controlResult("pass", `All ${total} ${what} have one.`);
  return controlResult(
    bad * 10 <= total ? "partial" : "fail",
    `${bad} of ${total} ${what} have none.`,
    first ?? null,
  );
}
