/** Controls of what the home page says and does. */
import { type ComplianceControl, type ControlResult, controlResult, onPage } from "./control.ts";
import type { Cookie } from "./cookies.ts";
import { LINK_LANGUAGES } from "./link-languages.ts";
import type { ComplianceFacts, LinkKind } from "./page-facts.ts";

/** A link of the home page: one page does not show that there is none elsewhere, but it ought to be reached from it. */
const linked = (kind: LinkKind, what: string) =>
  onPage((page) => {
    const evidence = page.links[kind];
    if (evidence) return controlResult("pass", `A link leads to ${what}.`, evidence);
    return mayBeThere(page) ?? controlResult("fail", `No link of this page leads to ${what}.`);
  });

/** The same, where what is asked for may stand behind a link to something else, which was not read. */
const linkedOrBehind = (kind: LinkKind, what: string, behind: LinkKind, whatElse: string) =>
  onPage((page, observation) =>
    page.links[behind] && !page.links[kind]
      ? controlResult(
          "not_observed",
          `It may stand behind the link to ${whatElse}, which was not read.`,
          page.links[behind],
        )
      : linked(kind, what)(observation),
  );

/** A privacy notice is where most sites say it. */
const ofCookies = linkedOrBehind("cookies", "what is said of cookies", "privacy", "the privacy notice");
const ofImprint = linkedOrBehind("imprint", "an imprint", "contact", "the contact page");

const CONSENTED = new Set(["analytics", "marketing"]);

/** Whether anything that asks for consent is known to be stored, or is asked to be. A session of the page's own is none. */
const stores = (
  { accept, consentTool, affiliate }: ComplianceFacts,
  cookies: readonly Cookie[] | undefined,
): boolean =>
  accept !== undefined ||
  consentTool ||
  affiliate.trackersAtOnce.length > 0 ||
  cookies?.some(({ category }) => CONSENTED.has(category)) === true;

const link = (
  id: string,
  kind: LinkKind,
  what: string,
  title: string,
  category: ComplianceControl["category"],
  refs: readonly string[],
): ComplianceControl => ({
  id,
  category,
  title,
  refs,
  remediation: `Link to ${what} from every page.`,
  judge: linked(kind, what),
});

export const POLICIES: readonly ComplianceControl[] = [
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
      if (!cookies) return controlResult("not_observed", "The answer's cookies were not seen.");
      // What lasts no longer than the visit and no page's script can read is a session's, whatever its name.
      const unknown = cookies.filter(
        ({ category, maxAgeSeconds, httpOnly }) =>
          category === "unknown" && !(maxAgeSeconds === null && httpOnly),
      );
      return unknown.length > 0
        ? controlResult(
            "not_observed",
            `What these cookies are for is not known: ${unknown.map(({ name }) => name).join(", ")}.`,
          )
        : controlResult("not_applicable", "Nothing was seen to be stored but what the page itself needs.");
    },
  },
  link("terms", "terms", "the terms", "The terms can be reached", "policies", [
    "Directive 2000/31/EC article 10(3)",
  ]),
  {
    ...link("imprint", "imprint", "an imprint", "Who runs the site can be reached", "contact", [
      "Directive 2000/31/EC article 5",
      "BGH I ZR 228/03",
    ]),
    judge: (observation) => {
      const { page } = observation;
      const own = page && (page.texts.imprint ?? (page.texts.email && page.texts.register));
      return own && !page.links.imprint
        ? controlResult("pass", "The page itself says who runs it.", own)
        : ofImprint(observation);
    },
  },
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
  {
    ...link(
      "withdrawal-function",
      "withdrawalFunction",
      "a function to withdraw from the contract",
      "Withdrawal by a function of the site",
      "commerce",
      ['Directive 2011/83/EU article 11a(1): "withdraw from contract here" or the like'],
    ),
    judge: linkedOrBehind(
      "withdrawalFunction",
      "a function to withdraw from the contract",
      "withdrawalInfo",
      "what is said of withdrawal",
    ),
  },
  {
    ...link(
      "cancellation-button",
      "cancellation",
      "a way to cancel",
      "Contracts that go on can be cancelled on the site",
      "commerce",
      ["BGB § 312k(2)", "Code de la consommation L215-1-1", "15 U.S.C. § 8403(3)"],
    ),
    judge: onPage((page) => {
      const { links, texts } = page;
      if (links.cancellation)
        return controlResult("pass", "A link or button cancels contracts.", links.cancellation);
      return texts.subscription
        ? (mayBeThere(page) ??
            controlResult(
              "fail",
              "Subscriptions are offered, and no link or button of this page cancels them.",
              texts.subscription,
            ))
        : controlResult("not_applicable", "Nothing on this page offers a subscription.");
    }),
  },
  {
    id: "contact-email",
    category: "contact",
    title: "An e-mail address is said",
    refs: ["Directive 2000/31/EC article 5(1)(c)"],
    remediation: "Say an e-mail address on the page of the imprint.",
    judge: onPage(({ texts, links }) => {
      if (texts.email) return controlResult("pass", "An e-mail address stands on the page.", texts.email);
      if (links.contact)
        return controlResult(
          "partial",
          "A contact link stands on the page; the address behind it was not seen.",
          links.contact,
        );
      return controlResult(
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
      if (texts.phone) return controlResult("pass", "A telephone number stands on the page.", texts.phone);
      return links.contact
        ? controlResult("partial", "A contact link stands on the page.", links.contact)
        : controlResult("not_observed", "It may stand on another page.");
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
        ? controlResult("fail", "A link leads to the platform, which is closed.", links.odr)
        : controlResult("pass", "No link of this page leads there."),
    ),
  },
];

export const COMMERCE: readonly ComplianceControl[] = [
  {
    id: "affiliate-disclosure",
    category: "commerce",
    title: "Paid links are said to be paid",
    refs: ["Directive 2005/29/EC annex I point 11", "16 CFR 255.5"],
    remediation: "Say beside the links, in plain words, that they are paid for.",
    judge: onPage(({ affiliate: { disclosure, links } }) => {
      const evidence = links.find(({ means }) => means === "link")?.evidence ?? null;
      if (disclosure === "not_needed")
        return controlResult("not_applicable", "This page has no paid link that is known.");
      if (disclosure === "present") return controlResult("pass", "It is said.", evidence);
      return disclosure === "late"
        ? controlResult("partial", "It is said far from the links.", evidence)
        : controlResult("fail", "It is not said where it can be seen.", evidence);
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
        ? controlResult(
            "fail",
            "The page asks for a click address by itself.",
            findings.find(({ category }) => category === "cookie-stuffing")?.evidence ?? null,
          )
        : controlResult("pass", "No click address of a known network is asked for."),
    ),
  },
  {
    id: "prior-price",
    category: "commerce",
    title: "A reduction says the lowest price of the last 30 days",
    refs: ["Directive 98/6/EC article 6a", "CJEU C-330/23 (Aldi Süd)"],
    remediation: "Say the lowest price of the 30 days before, and count the reduction from it.",
    judge: onPage(({ texts: { reduction, priorPrice } }) => {
      if (!reduction) return controlResult("not_applicable", "No reduction is announced on this page.");
      return priorPrice
        ? controlResult("pass", "The lowest price of the last 30 days is said.", priorPrice)
        : controlResult(
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
      if (renewal) return controlResult("pass", "It is said that contracts renew.", renewal);
      return subscription
        ? controlResult(
            "partial",
            "Subscriptions are offered; whether they renew is not said on this page.",
            subscription,
          )
        : controlResult("not_applicable", "Nothing on this page offers a subscription.");
    }),
  },
  {
    id: "ai-disclosure",
    category: "ai",
    title: "People are told that they deal with a machine",
    refs: ["Regulation (EU) 2024/1689 article 50(1)", "Cal. Bus. & Prof. Code § 17941"],
    remediation: "Say at the start of a conversation that a machine answers.",
    judge: onPage(({ texts: { chatbot, aiNotice } }) => {
      if (aiNotice) return controlResult("pass", "It is said.", aiNotice);
      return chatbot
        ? controlResult(
            "partial",
            "An assistant is offered; that it is a machine is not said outright on this page.",
            chatbot,
          )
        : controlResult("not_applicable", "Nothing on this page looks like such a system.");
    }),
  },
];

/** Why a link that was not found may be there all the same; undefined where it is missing. */
function mayBeThere({ complete, spoken }: ComplianceFacts): ControlResult | undefined {
  if (!complete) return controlResult("not_observed", "Part of the page was not seen.");
  return spoken === null || LINK_LANGUAGES.includes(spoken)
    ? undefined
    : controlResult("not_observed", `The words of links are not known in the page's language (${spoken}).`);
}
