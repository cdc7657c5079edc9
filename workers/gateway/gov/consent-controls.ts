/** Controls of consent: what a page loads, stores and asks before anybody can answer. */
import { type ComplianceControl, type ControlResult, controlResult, onPage, snippet } from "./control.ts";
import type { ComplianceFacts } from "./page-facts.ts";

const FOLLOWING = new Set(["advertising", "analytics", "session-recording", "social"]);

const namesOf = (trackers: readonly { name: string }[]): string =>
  trackers.map(({ name }) => name).join(", ");

export const CONSENT: readonly ComplianceControl[] = [
  {
    id: "no-trackers-before-consent",
    category: "consent",
    title: "Nobody follows visitors before they agree",
    refs: ["Directive 2002/58/EC article 5(3)", "CJEU C-673/17 (Planet49)", "EDPB Guidelines 2/2023"],
    remediation: "Load trackers only after consent.",
    judge: onPage(trackersBeforeConsent),
  },
  {
    id: "no-marketing-cookies-before-consent",
    category: "consent",
    title: "No cookies for analytics or marketing with the first answer",
    refs: ["Directive 2002/58/EC article 5(3)", "CJEU C-673/17 (Planet49)"],
    remediation: "Set such cookies only after consent.",
    judge: ({ cookies }) => {
      if (!cookies) return controlResult("not_observed", "The answer's cookies were not seen.");
      const early = cookies.filter(({ category }) => category === "marketing" || category === "analytics");
      if (early.length > 0)
        return controlResult(
          "fail",
          `Set at once: ${early.map(({ name }) => name).join(", ")}.`,
          snippet(early.map(({ name, category }) => `${name} (${category})`).join(", ")),
        );
      const unknown = cookies.filter(({ category }) => category === "unknown");
      return unknown.length > 0
        ? controlResult(
            "partial",
            `What these are for is not known: ${unknown.map(({ name }) => name).join(", ")}.`,
          )
        : controlResult("pass", "The first answer sets none that is known as such.");
    },
  },
  {
    id: "consent-parity",
    category: "consent",
    title: "Refusing is as easy as agreeing",
    refs: ["EDPB Cookie Banner Taskforce report (2023)", "CNIL SAN-2021-023", "GDPR article 7(3)"],
    remediation: "Offer to refuse beside agreeing, in the same look, on the first layer.",
    judge: onPage(refusalBesideAgreement),
  },
  {
    id: "no-preselection",
    category: "consent",
    title: "No box is ticked beforehand",
    refs: ["GDPR article 4(11)", "Directive 2011/83/EU article 22", "CJEU C-673/17 (Planet49)"],
    remediation: "Leave boxes for the visitor to tick.",
    judge: onPage(({ preselected, ticked, boxes }) => {
      if (preselected)
        return controlResult(
          "fail",
          "A box that costs money or gives consent is ticked beforehand.",
          preselected,
        );
      if (ticked)
        return controlResult("partial", "A box is ticked beforehand; what for is not clear.", ticked);
      return boxes === 0
        ? controlResult("not_applicable", "There is no box on this page.")
        : controlResult("pass", "No box of this page is ticked beforehand.");
    }),
  },
  {
    id: "no-personal-data-in-pixels",
    category: "consent",
    title: "No personal data in the addresses of pixels",
    refs: ["GDPR articles 5 and 6", "FTC v. GoodRx (2023)"],
    remediation: "Keep e-mail addresses and numbers out of the addresses of pixels.",
    judge: onPage(({ affiliate }) => {
      const found = affiliate.findings.find(({ rule_id }) => rule_id === "pixel-personal-data");
      return found
        ? controlResult("fail", "A pixel's address holds personal data.", found.evidence)
        : controlResult("pass", "No pixel of this page does.");
    }),
  },
];

/** Only what a browser certainly asks for is a fault: what a script may hold back, or what a tag manager loads, is not seen. */
function trackersBeforeConsent({ affiliate, consentTool, consentMode }: ComplianceFacts): ControlResult {
  const { trackers, trackersAtOnce, findings } = affiliate;
  const following = trackers.filter(({ purpose }) => FOLLOWING.has(purpose));
  const certain = following.filter(({ name }) => trackersAtOnce.includes(name));
  const evidence =
    findings.find(({ rule_id }) => rule_id === "tracking-pixel")?.evidence ??
    snippet(following.map(({ host }) => host).join(", "));
  if (certain.length > 0) {
    if (consentTool)
      return controlResult(
        "partial",
        `The page names ${namesOf(certain)}; a consent tool may hold them back.`,
        evidence,
      );
    return consentMode && certain.every(({ name }) => name.startsWith("Google"))
      ? controlResult(
          "partial",
          `The page loads ${namesOf(certain)} at once, told to store nothing before consent (Consent Mode).`,
          evidence,
        )
      : controlResult("fail", `The page loads ${namesOf(certain)} before anybody can agree.`, evidence);
  }
  if (following.length > 0)
    return controlResult(
      "not_observed",
      `The page's scripts name ${namesOf(following)}; whether they wait for consent shows only when they run.`,
      evidence,
    );
  const managers = trackers.filter(({ purpose }) => purpose === "tag-manager");
  return managers.length > 0
    ? controlResult(
        "not_observed",
        `What ${namesOf(managers)} loads, and when, is set elsewhere and was not seen.`,
        snippet(managers.map(({ host }) => host).join(", ")),
      )
    : controlResult("pass", "This page, as it was sent, loads no tracker that is known.");
}

/** No page is accused for words that are not known, nor for a look that was not seen. */
function refusalBesideAgreement(page: ComplianceFacts): ControlResult {
  const { accept, reject, otherChoices, consentTool, styled, affiliate } = page;
  if (!accept) {
    if (consentTool) return controlResult("not_observed", "A consent tool draws the choice by script.");
    if (otherChoices !== null)
      return controlResult("not_observed", "The page asks for consent in words that are not known.");
    return affiliate.trackers.length === 0
      ? controlResult("not_applicable", "Nothing on this page asks for consent.")
      : controlResult("not_observed", "No choice stands in the page as it was sent.");
  }
  // A banner that is hidden as a whole is shown as a whole.
  if (!reject || (accept.seen && !reject.seen))
    return otherChoices === "unknown"
      ? controlResult(
          "not_observed",
          `Whether anything beside “${accept.label}” refuses is not known: its words or what it does are not.`,
          accept.evidence,
        )
      : controlResult("fail", `“${accept.label}” has no refusal beside it.`, accept.evidence);
  const alike =
    !styled ||
    (accept.tag === reject.tag && accept.fontPx <= reject.fontPx * 1.2 && accept.bold === reject.bold);
  return alike
    ? controlResult("pass", `“${reject.label}” stands beside “${accept.label}”.`, reject.evidence)
    : controlResult(
        "partial",
        `“${reject.label}” is less prominent than “${accept.label}”.`,
        reject.evidence,
      );
}
