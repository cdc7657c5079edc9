/** What the owner of a site can do about each thing that keeps it from being listed, or costs it points. Pure. */
import type { Listing, ShownEvidence, VisitReason } from "../../schemas/site.ts";
import type { Fix, SiteVerdict, VerdictSummary } from "../../schemas/verdict.ts";
import type { MeasureName, Neutrality } from "../domain/trust/neutrality.ts";
import { POINTS } from "../domain/trust/ring.ts";

export type Advice = Pick<Fix, "code" | "title" | "do"> & { example?: (domain: string) => string };

const SIGN: Advice = {
  code: "sign_document",
  title: "Sign the discovery document",
  do: "Sign the document as it is served, for this domain and endpoint, with the key whose public half is in DNS, and publish the result.",
  example: (domain) => `bridge sign document.json --key ${domain}.pem > bridge.json`,
};
const PUBLISH_RECORD: Advice = {
  code: "publish_record",
  title: "Publish the TXT record",
  do: "Make a key, and publish the TXT record that the command prints.",
  example: (domain) => `bridge keygen ${domain}`,
};
const ANSWER: Advice = {
  code: "answer_requests",
  title: "Let the endpoint answer",
  do: "Serve the endpoint over HTTPS at a public address, with a certificate that is in force.",
};
const SERVE_DOCUMENT: Advice = {
  code: "serve_document",
  title: "Serve the discovery document",
  do: "Serve the document at /.well-known/bridge.json of the endpoint, as JSON, without redirects.",
  example: (domain) => `curl -i https://${domain}/.well-known/bridge.json`,
};

/** What ends each reason for which a site is not listed. */
const FIXES: Readonly<Record<Exclude<VisitReason, "verified"> | "not_claimed", Advice>> = {
  unsigned: SIGN,
  no_txt: PUBLISH_RECORD,
  not_claimed: {
    ...PUBLISH_RECORD,
    code: "claim_site",
    title: "Claim the site",
    do: "Agents can use something here, and nobody proved that the domain is theirs. Make a key, publish the TXT record that the command prints, and sign the document that is drafted from what is there already.",
  },
  txt_invalid: {
    ...PUBLISH_RECORD,
    code: "correct_record",
    title: "Correct the TXT record",
    do: "Publish the value exactly as `bridge keygen` prints it: no quotes inside it, the tags v, k, pk and endpoint in lower case.",
  },
  txt_ambiguous: {
    code: "remove_records",
    title: "Remove the TXT records that contradict",
    do: "Leave one endpoint, and at most four keys, at _bridge of the domain.",
  },
  key_revoked: { ...PUBLISH_RECORD, title: "Publish a new key" },
  dns_failed: {
    code: "repair_dns",
    title: "Let the name servers answer",
    do: "The zone's name servers gave no usable answer; check that they answer queries for TXT and address records.",
    example: (domain) => `dig TXT _bridge.${domain}`,
  },
  dns_bogus: {
    code: "repair_dnssec",
    title: "Repair the zone's DNSSEC",
    do: "The signatures of the zone do not hold: sign it again, or correct the DS record at the parent.",
    example: (domain) => `delv TXT _bridge.${domain}`,
  },
  unreachable: ANSWER,
  address_refused: {
    ...ANSWER,
    code: "use_public_address",
    title: "Use a public address",
    do: "The name leads to a private or reserved address, to a network that the registry's operator blocks, or to a port that is not asked. Publish another.",
  },
  document_missing: SERVE_DOCUMENT,
  document_invalid: {
    ...SERVE_DOCUMENT,
    code: "correct_document",
    title: "Correct the discovery document",
  },
  signature_invalid: SIGN,
  manifest_invalid: SIGN,
  manifest_expired: { ...SIGN, code: "renew_signature", title: "Sign again: the manifest expired" },
  manifest_not_yet_valid: {
    ...SIGN,
    code: "renew_signature",
    title: "Sign again: the manifest is of the future",
  },
  serial_lowered: {
    ...SIGN,
    code: "raise_serial",
    title: "Sign with a higher serial",
    do: "The serial is below one that was seen before. Sign again: each signature takes the time as its serial.",
  },
  domain_mismatch: { ...SIGN, code: "sign_for_domain", title: "Sign for this domain" },
  document_mismatch: { ...SIGN, title: "Sign again: the document changed since" },
  malicious_page: {
    code: "remove_hidden_instructions",
    title: "Remove instructions that readers do not see",
    do: "A page hides from its readers what it tells machines to do. Look for how it came there, and ask for another visit. If it is no attack, appeal: an operator looks at it.",
  },
  quarantined: {
    code: "serve_simpler_pages",
    title: "Serve what can be read",
    do: "What the site sent ended the thread that read it. Serve smaller, simpler pages; the next visit decides.",
  },
  not_visited: {
    code: "report_site",
    title: "Report the site",
    do: "The registry has not visited the site. Report it, and it is visited.",
  },
};

const PART_TITLES: Readonly<Record<MeasureName, string>> = {
  dark: "Remove dark patterns",
  affiliate: "Disclose paid links",
  trackers: "Remove trackers",
  ownership: "Say who owns the site",
  honesty: "Declare what the pages show",
  declared: "Declare better terms",
};

/** What ends each cap of the neutrality score. */
const CAPS: Readonly<Record<NonNullable<Neutrality["cap"]>["reason"], Advice>> = {
  contradicted: {
    code: "correct_declarations",
    title: "Correct the declarations",
    do: "Declare the commission and the owner as they are.",
  },
  grade_e: { code: "remove_dark_patterns", title: "Remove dark patterns", do: "A page is graded E." },
  grade_d: { code: "remove_dark_patterns", title: "Remove dark patterns", do: "A page is graded D." },
  unverified_domain: {
    code: "verify_domain",
    title: "Verify the domain",
    do: "The score is capped until a signed document verifies the domain.",
  },
};

/** Fewer points are not worth a line. */
const LEAST_GAIN = 0.1;

const SIGN_ZONE: Advice = {
  code: "sign_zone",
  title: "Sign the zone with DNSSEC",
  do: "Turn on DNSSEC where the domain is registered and hosted.",
};

/** What to do, what gains most first. A blocked site has none: its owner or the operator unblocks it. */
export function fixesOf(
  { state, listed, reason }: VerdictSummary,
  listing: Listing,
  neutrality: Neutrality,
  checks: SiteVerdict["checks"],
  ofFeatures: readonly Fix[],
  attacks: readonly ShownEvidence[],
): Fix[] {
  if (state === "blocked" || reason === "blocked") return [];
  const { domain } = listing;
  const isSaid = listed || reason === "verified" || (reason === "malicious_page" && attacks.length > 0);
  const ofListing = [
    ...(isSaid ? [] : [fix("listing", "listed", FIXES[reason], domain)]),
    ...attacks.map((attack) => ofAttack(attack, domain)),
  ];
  if (state === "unknown" || state === "found") return ofListing;
  return [...ofListing, ...ofFeatures, ...ofTrust(listing), ...ofNeutrality(neutrality, domain)]
    .sort(byGain)
    .concat(ofRobots(checks, domain));
}

/** What an owner does, by advice on their domain. */
export const fix = (of: Fix["of"], gains: Fix["gains"], advice: Advice, domain: string): Fix => ({
  code: advice.code,
  title: advice.title,
  do: advice.do,
  example: advice.example?.(domain) ?? null,
  page: null,
  selector: null,
  excerpt: null,
  gains: typeof gains === "number" ? Math.round(gains * 10) / 10 : gains,
  of,
});

function ofAttack(attack: ShownEvidence, domain: string): Fix {
  const { do: what, ...advice } = FIXES.malicious_page;
  const said = { ...advice, do: attack.fix === "" ? what : `${attack.fix} ${what}` };
  return { ...fix("listing", "listed", said, domain), ...placeOf(attack) };
}

const ofTrust = ({ domain, dnssec, trust_ring: ring }: Listing): Fix[] => [
  ...(ring >= 2 && dnssec !== "secure" ? [fix("trust", POINTS.dnssec, SIGN_ZONE, domain)] : []),
];

const ofNeutrality = ({ parts, cap, confidence }: Neutrality, domain: string): Fix[] => [
  ...(cap ? [fix("neutrality", -cap.points, CAPS[cap.reason], domain)] : []),
  ...parts.flatMap(({ name, points, max_points, evidence: [worst], fix: todo }) => {
    const gains = confidence * max_points - points;
    if (todo === null || gains < LEAST_GAIN) return [];
    const advice = { code: `neutrality_${name}`, title: PART_TITLES[name], do: todo };
    return [{ ...fix("neutrality", gains, advice, domain), ...placeOf(worst) }];
  }),
];

const placeOf = ({ page = null, selector = null, excerpt = null }: Partial<Fix> = {}) => ({
  page,
  selector,
  excerpt,
});

const byGain = (a: Fix, b: Fix): number =>
  Number(b.gains === "listed") - Number(a.gains === "listed") || Number(b.gains) - Number(a.gains);

const ofRobots = (checks: SiteVerdict["checks"], domain: string): Fix[] =>
  checks.some(({ name, outcome }) => name === "robots" && outcome === "warn")
    ? [
        fix(
          "listing",
          "found",
          {
            code: "allow_robots",
            title: "Let pages be read",
            do: "Allow the crawler in robots.txt, and let it answer: what may not be read, nobody finds by its words.",
            example: (name) => `curl -i https://${name}/robots.txt`,
          },
          domain,
        ),
      ]
    : [];
