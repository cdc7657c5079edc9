/** Whose law a site is under, and which regulations of it bind the site, as far as that is known. Pure. */
import type { ControlStatus } from "./control.ts";
import { isFault, isStandard, type JudgedControl } from "./controls.ts";
import type { Regulation, Sector } from "./regulation.ts";
import { type Applies, appliesTo, jurisdictionsOf, REGULATIONS } from "./regulations.ts";

export interface Law {
  /** Of the customers; ISO 3166-1 alpha-2 or EU. Null where nobody named it and the domain does not tell. */
  country: string | null;
  country_from: "sent" | "domain" | null;
  /** `known`: the catalogue has some of its law. Of what it has not, nothing is said. */
  jurisdictions: { code: string; known: boolean }[];
}

/** Country codes below which names are sold to everybody: they name no country. */
const SOLD_TO_ALL = new Set(
  "ac ag ai am bz cc co fm gg gl im io la ly me mn nu sc sh so st sx tk to tv vc ws".split(" "),
);
const CATALOGUED = new Set(REGULATIONS.map(({ jurisdiction }) => jurisdiction));

interface Applicability {
  applies: Applies;
  /** Why, in a sentence. */
  why: string;
}

interface Bound extends JudgedControl {
  /** Asked of every website by a standard, or by law of those whom it binds. */
  basis: "standard" | "law";
  /** Regulations that bind the site and rest on the control. */
  bound_by: string[];
}

/** @param host canonical; undefined where no site is asked about */
export function lawOf(sent: string | undefined, host: string | undefined): Law {
  const named = sent?.toUpperCase().replace(/^UK$/, "GB") ?? null;
  const country = named ?? (host === undefined ? null : countryOfName(host));
  return {
    country,
    country_from: named ? "sent" : country ? "domain" : null,
    jurisdictions: [...(country ? jurisdictionsOf(country) : [])].map((code) => ({
      code,
      known: CATALOGUED.has(code),
    })),
  };
}

function countryOfName(host: string): string | null {
  const top = host.slice(host.lastIndexOf(".") + 1);
  if (!/^[a-z]{2}$/.test(top) || SOLD_TO_ALL.has(top)) return null;
  return top === "uk" ? "GB" : top.toUpperCase();
}

/** What a control found, under a regulation: no law that does not bind a site is failed. */
export function statusUnder(status: ControlStatus, applies: Applies): ControlStatus {
  if (!isFault(status) || applies === "yes") return status;
  return applies === "depends" ? "unknown" : "not_applicable";
}

/** What the controls found, as the law that binds the site has it. Standards hold for every site. */
export function boundControls(
  controls: readonly JudgedControl[],
  law: Law,
  sector: Sector | undefined,
  today: string,
): Bound[] {
  const ruled = REGULATIONS.map((regulation) => ({
    ...regulation,
    ...applicability(regulation, law, sector, today),
  }));
  return controls.map((control) => {
    const own = ruled.filter(({ checks }) => checks.includes(control.id));
    const bound_by = own.filter(({ applies }) => applies === "yes").map(({ id }) => id);
    const basis = isStandard(control.id) ? ("standard" as const) : ("law" as const);
    const shown = { ...control, basis, bound_by };
    if (basis === "standard" || bound_by.length > 0 || !isFault(control.status)) return shown;
    const { status, detail } = withoutLaw(law, own);
    return { ...shown, status, detail: `${control.detail} ${detail}`, remediation: null };
  });
}

/** Whether a regulation binds a site, by its dates, its jurisdiction, its sectors, and by what of its condition can be seen. */
export function applicability(
  regulation: Regulation,
  law: Law,
  sector: Sector | undefined,
  today: string,
): Applicability {
  const { jurisdiction, applies_from, applies_when } = regulation;
  const { sectors, someOf, condition, unseen } = applies_when;
  const applies = appliesTo(regulation, sector, today);
  if (applies === "no_longer") return { applies, why: whyNoLonger(regulation) };
  if (applies === "not_yet")
    return { applies, why: applies_from ? `It applies from ${applies_from}.` : "It has no date yet." };
  if (law.jurisdictions.length > 0 && !law.jurisdictions.some(({ code }) => code === jurisdiction))
    return {
      applies: "no",
      why: `It is law of ${jurisdiction}, the site's customers are in ${codesOf(law)}.`,
    };
  const those = `${sectors?.join(", ")}`;
  if (applies === "no") return { applies, why: `It binds the sectors ${those}, not ${sector}.` };
  if (law.jurisdictions.length === 0)
    return { applies: "depends", why: "It depends on the country of the customers: send country." };
  if (sector !== undefined && someOf?.includes(sector))
    return { applies: "depends", why: `It depends on the condition: ${condition}` };
  if (applies === "depends") return { applies, why: `It binds the sectors ${those}: send sector.` };
  return unseen
    ? { applies: "depends", why: `It depends on ${unseen}, which a website does not show.` }
    : { applies, why: condition };
}

const whyNoLonger = ({ applied_until, status }: Regulation): string =>
  applied_until === undefined ? `It is ${status}.` : `It applied until ${applied_until}.`;

const codesOf = ({ jurisdictions }: Law): string => jurisdictions.map(({ code }) => code).join(", ");

/** Why a fault of a duty is none, or is not known to be one. */
function withoutLaw(
  law: Law,
  ruled: readonly (Applicability & { title: string })[],
): Pick<Bound, "status" | "detail"> {
  const open = ruled.find(({ applies }) => applies === "depends");
  if (open)
    return {
      status: "unknown",
      detail: `Whether a law asks for it here is not known. ${open.title}: ${open.why}`,
    };
  const unknown = law.jurisdictions.filter(({ known }) => !known).map(({ code }) => code);
  if (unknown.length > 0)
    return { status: "unknown", detail: `The law of ${unknown.join(", ")} is not in the catalogue.` };
  const [first] = ruled;
  return {
    status: "not_applicable",
    detail: `No law of the catalogue asks this site for it.${first ? ` ${first.title}: ${first.why}` : ""}`,
  };
}

/** Of the controls that bind a site and were judged, the share that passed: 0 to 100; null where none was. */
export function complianceScore(controls: readonly Bound[]): number | null {
  const counted = controls.filter(
    ({ basis, bound_by, status }) =>
      (basis === "standard" || bound_by.length > 0) && (status === "pass" || isFault(status)),
  );
  const passed = counted.reduce(
    (sum, { status }) => sum + (status === "pass" ? 1 : status === "partial" ? 0.5 : 0),
    0,
  );
  return counted.length === 0 ? null : Math.round((100 * passed) / counted.length);
}
