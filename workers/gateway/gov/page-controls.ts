/** Controls of what the home page says and does. */
import { type Control, finding, onPage, snippet } from "./control.ts";
import type { Observation } from "./observation.ts";
import type { LinkKind, PageFacts } from "./page-facts.ts";

/** A link of the home page: one page does not show that there is none elsewhere, but it ought to be reached from it. */
const linked = (kind: LinkKind, what: string) =>
  onPage(({ links, complete }) => {
    const evidence = links[kind];
    if (evidence) return finding("pass", `A link leads to ${what}.`, evidence);
    return complete
      ? finding("fail", `No link of this page leads to ${what}.`)
      : finding("not_observed", "Part of the page was not seen.");
  });

const ofCookies = linked("cookies", "what is said of cookies");

/** Whether anything is stored on the visitor's device, or asked to be, that is not needed for the page itself. */
const stores = ({ accept, consentTool, affiliate }: PageFacts, cookies: Observation["cookies"]): boolean =>
  accept !== undefined ||
  consentTool ||
  affiliate.trackers.length > 0 ||
  cookies?.some(({ category }) => category !== "necessary") === true;

const link = (
  id: string,
  kind: LinkKind,
  what: string,
  title: string,
  category: Control["category"],
  refs: readonly string[],
): Control => ({
  id,
  category,
  title,
  refs,
  remediation: `Link to ${what} from every page.`,
  judge: linked(kind, what),
});

export const POLICIES: readonly Control[] = [
  link("privacy-policy", "privacy", "a privacy notice", "A privacy notice can be reached", "policies", [
    "GDPR articles 12 to 14",
    "Cal. Bus. & Prof. Code § 22575",
  ]),
  {
    ...link(
      "cookie-policy",
      "cookies",
      "what is said of cookies",
      "What is said of cookies can be reached",
      "policies",
      ["CJEU C-673/17 (Planet49)"],
    ),
    judge: (observation) => {
      const { page, cookies } = observation;
      if (!page || page.links.cookies || stores(page, cookies)) return ofCookies(observation);
      return cookies
        ? finding("not_applicable", "Nothing was seen to be stored but what the page itself needs.")
        : finding("not_observed", "The answer's cookies were not seen.");
    },
  },
  link("terms", "terms", "the terms", "The terms can be reached", "policies", [
    "Directive 2000/31/EC article 10(3)",
  ]),
  link("imprint", "imprint", "an imprint", "Who runs the site can be reached", "contact", [
    "Directive 2000/31/EC article 5",
    "BGH I ZR 228/03",
  ]),
  link(
    "children-policy",
    "children",
    "a notice for parents",
    "A notice for parents can be reached",
    "policies",
    ["16 CFR 312.4"],
  ),
  link(
    "do-not-sell",
    "doNotSell",
    "the choice not to have data sold or shared",
    "The choice not to have data sold can be reached",
    "policies",
    ["Cal. Civ. Code § 1798.135"],
  ),
  link(
    "notice-mechanism",
    "notice",
    "a way to report illegal content",
    "Illegal content can be reported",
    "policies",
    ["Regulation (EU) 2022/2065 article 16"],
  ),
  link(
    "ranking-information",
    "ranking",
    "what decides the ranking",
    "What decides the ranking is said",
    "policies",
    ["Regulation (EU) 2019/1150 article 5"],
  ),
  link(
    "accessibility-statement",
    "accessibility",
    "what is said of accessibility",
    "What is said of accessibility can be reached",
    "accessibility",
    ["Directive (EU) 2019/882 annex V"],
  ),
  link(
    "withdrawal-information",
    "withdrawalInfo",
    "what is said of withdrawal or returns",
    "What is said of withdrawal can be reached",
    "commerce",
    ["Directive 2011/83/EU article 6(1)(h)"],
  ),
  link(
    "withdrawal-function",
    "withdrawalFunction",
    "a function to withdraw from the contract",
    "Withdrawal by a function of the site",
    "commerce",
    ['Directive 2011/83/EU article 11a(1): "withdraw from contract here" or the like'],
  ),
  {
    ...link(
      "cancellation-button",
      "cancellation",
      "a way to cancel",
      "Contracts that go on can be cancelled on the site",
      "commerce",
      ["BGB § 312k(2)", "Code de la consommation L215-1-1", "15 U.S.C. § 8403(3)"],
    ),
    judge: onPage(({ links, texts }) => {
      if (links.cancellation)
        return finding("pass", "A link or button cancels contracts.", links.cancellation);
      return texts.subscription
        ? finding(
            "fail",
            "Subscriptions are offered, and no link or button of this page cancels them.",
            texts.subscription,
          )
        : finding("not_applicable", "Nothing on this page offers a subscription.");
    }),
  },
  {
    id: "contact-email",
    category: "contact",
    title: "An e-mail address is said",
    refs: ["Directive 2000/31/EC article 5(1)(c)"],
    remediation: "Say an e-mail address on the page of the imprint.",
    judge: onPage(({ texts, links }) => {
      if (texts.email) return finding("pass", "An e-mail address stands on the page.", texts.email);
      if (links.contact)
        return finding(
          "partial",
          "A contact link stands on the page; the address behind it was not seen.",
          links.contact,
        );
      return finding(
        links.imprint ? "not_observed" : "fail",
        links.imprint
          ? "It may stand in the imprint, which was not read."
          : "There is no address and no contact link.",
      );
    }),
  },
  {
    id: "contact-second-way",
    category: "contact",
    title: "A second quick way to reach the provider",
    refs: ["CJEU C-298/07"],
    remediation: "Add a telephone number or a form that is answered quickly.",
    judge: onPage(({ texts, links }) => {
      if (texts.phone) return finding("pass", "A telephone number stands on the page.", texts.phone);
      return links.contact
        ? finding("partial", "A contact link stands on the page.", links.contact)
        : finding("not_observed", "It may stand on another page.");
    }),
  },
  {
    id: "no-odr-link",
    category: "policies",
    title: "No link to the closed dispute platform",
    refs: ["Regulation (EU) 2024/3228 article 1"],
    remediation: "Take the link to ec.europa.eu/consumers/odr away: the platform closed on 20 July 2025.",
    judge: onPage(({ links }) =>
      links.odr
        ? finding("fail", "A link leads to the platform, which is closed.", links.odr)
        : finding("pass", "No link of this page leads there."),
    ),
  },
];

const FOLLOWING = new Set(["advertising", "analytics", "session-recording", "social"]);

export const CONSENT: readonly Control[] = [
  {
    id: "no-trackers-before-consent",
    category: "consent",
    title: "Nobody follows visitors before they agree",
    refs: ["Directive 2002/58/EC article 5(3)", "CJEU C-673/17 (Planet49)", "EDPB Guidelines 2/2023"],
    remediation: "Load trackers only after consent.",
    judge: onPage(({ affiliate: { trackers, findings }, consentTool }) => {
      const following = trackers.filter(({ purpose }) => FOLLOWING.has(purpose));
      if (following.length === 0)
        return finding("pass", "This page, as it was sent, loads no tracker that is known.");
      const names = following.map(({ name }) => name).join(", ");
      const evidence =
        findings.find(({ rule_id }) => rule_id === "tracking-pixel")?.evidence ??
        snippet(following.map(({ host }) => host).join(", "));
      // A consent tool may hold scripts back whose markup stands in the page.
      return consentTool
        ? finding("partial", `The page names ${names}; a consent tool may hold them back.`, evidence)
        : finding("fail", `The page loads ${names} before anybody can agree.`, evidence);
    }),
  },
  {
    id: "no-marketing-cookies-before-consent",
    category: "consent",
    title: "No cookies for analytics or marketing with the first answer",
    refs: ["Directive 2002/58/EC article 5(3)", "CJEU C-673/17 (Planet49)"],
    remediation: "Set such cookies only after consent.",
    judge: ({ cookies }) => {
      if (!cookies) return finding("not_observed", "The answer's cookies were not seen.");
      const early = cookies.filter(({ category }) => category === "marketing" || category === "analytics");
      if (early.length > 0)
        return finding(
          "fail",
          `Set at once: ${early.map(({ name }) => name).join(", ")}.`,
          snippet(early.map(({ name, category }) => `${name} (${category})`).join(", ")),
        );
      const unknown = cookies.filter(({ category }) => category === "unknown");
      return unknown.length > 0
        ? finding(
            "partial",
            `What these are for is not known: ${unknown.map(({ name }) => name).join(", ")}.`,
          )
        : finding("pass", "The first answer sets none that is known as such.");
    },
  },
  {
    id: "consent-parity",
    category: "consent",
    title: "Refusing is as easy as agreeing",
    refs: ["EDPB Cookie Banner Taskforce report (2023)", "CNIL SAN-2021-023", "GDPR article 7(3)"],
    remediation: "Offer to refuse beside agreeing, in the same look, on the first layer.",
    judge: onPage(({ accept, reject, consentTool, affiliate }) => {
      if (!accept) {
        if (consentTool) return finding("not_observed", "A consent tool draws the choice by script.");
        return affiliate.trackers.length === 0
          ? finding("not_applicable", "Nothing on this page asks for consent.")
          : finding("not_observed", "No choice stands in the page as it was sent.");
      }
      if (!reject?.seen)
        return finding("fail", `“${accept.label}” has no refusal beside it.`, accept.evidence);
      const alike =
        accept.tag === reject.tag && accept.fontPx <= reject.fontPx * 1.2 && accept.bold === reject.bold;
      return alike
        ? finding("pass", `“${reject.label}” stands beside “${accept.label}”.`, reject.evidence)
        : finding("partial", `“${reject.label}” is less prominent than “${accept.label}”.`, reject.evidence);
    }),
  },
  {
    id: "no-preselection",
    category: "consent",
    title: "No box is ticked beforehand",
    refs: ["GDPR article 4(11)", "Directive 2011/83/EU article 22", "CJEU C-673/17 (Planet49)"],
    remediation: "Leave boxes for the visitor to tick.",
    judge: onPage(({ preselected, ticked, boxes }) => {
      if (preselected)
        return finding("fail", "A box that costs money or gives consent is ticked beforehand.", preselected);
      if (ticked) return finding("partial", "A box is ticked beforehand; what for is not clear.", ticked);
      return boxes === 0
        ? finding("not_applicable", "There is no box on this page.")
        : finding("pass", "No box of this page is ticked beforehand.");
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
        ? finding("fail", "A pixel's address holds personal data.", found.evidence)
        : finding("pass", "No pixel of this page does.");
    }),
  },
];

export const COMMERCE: readonly Control[] = [
  {
    id: "affiliate-disclosure",
    category: "commerce",
    title: "Paid links are said to be paid",
    refs: ["Directive 2005/29/EC annex I point 11", "16 CFR 255.5"],
    remediation: "Say beside the links, in plain words, that they are paid for.",
    judge: onPage(({ affiliate: { disclosure, links } }) => {
      const evidence = links.find(({ means }) => means === "link")?.evidence ?? null;
      if (disclosure === "not_needed")
        return finding("not_applicable", "This page has no paid link that is known.");
      if (disclosure === "present") return finding("pass", "It is said.", evidence);
      return disclosure === "late"
        ? finding("partial", "It is said far from the links.", evidence)
        : finding("fail", "It is not said where it can be seen.", evidence);
    }),
  },
  {
    id: "no-cookie-stuffing",
    category: "commerce",
    title: "No clicks that nobody made",
    refs: ["U.S. v. Hogan, N.D. Cal. CR 10-0495 (2014)"],
    remediation: "Ask for click addresses only when somebody clicks.",
    judge: onPage(({ affiliate: { verdict, findings } }) =>
      verdict === "stuffing"
        ? finding(
            "fail",
            "The page asks for a click address by itself.",
            findings.find(({ category }) => category === "cookie-stuffing")?.evidence ?? null,
          )
        : finding("pass", "No click address of a known network is asked for."),
    ),
  },
  {
    id: "prior-price",
    category: "commerce",
    title: "A reduction says the lowest price of the last 30 days",
    refs: ["Directive 98/6/EC article 6a", "CJEU C-330/23 (Aldi Süd)"],
    remediation: "Say the lowest price of the 30 days before, and count the reduction from it.",
    judge: onPage(({ texts: { reduction, priorPrice } }) => {
      if (!reduction) return finding("not_applicable", "No reduction is announced on this page.");
      return priorPrice
        ? finding("pass", "The lowest price of the last 30 days is said.", priorPrice)
        : finding(
            "partial",
            "A reduction seems to be announced, and the lowest price of the last 30 days is not said on this page.",
            reduction,
          );
    }),
  },
  {
    id: "renewal-terms",
    category: "commerce",
    title: "That a contract renews by itself is said",
    refs: ["15 U.S.C. § 8403(1)", "Cal. Bus. & Prof. Code § 17602"],
    remediation: "Say beside the button that the contract renews, when, and for how much.",
    judge: onPage(({ texts: { subscription, renewal } }) => {
      if (renewal) return finding("pass", "It is said that contracts renew.", renewal);
      return subscription
        ? finding(
            "partial",
            "Subscriptions are offered; whether they renew is not said on this page.",
            subscription,
          )
        : finding("not_applicable", "Nothing on this page offers a subscription.");
    }),
  },
  {
    id: "ai-disclosure",
    category: "ai",
    title: "People are told that they deal with a machine",
    refs: ["Regulation (EU) 2024/1689 article 50(1)", "Cal. Bus. & Prof. Code § 17941"],
    remediation: "Say at the start of a conversation that a machine answers.",
    judge: onPage(({ texts: { chatbot, aiNotice } }) => {
      if (aiNotice) return finding("pass", "It is said.", aiNotice);
      return chatbot
        ? finding(
            "partial",
            "An assistant is offered; that it is a machine is not said outright on this page.",
            chatbot,
          )
        : finding("not_applicable", "Nothing on this page looks like such a system.");
    }),
  },
];
