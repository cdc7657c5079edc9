/**
 * What schemathesis is told not to expect, by operation and check. Everything else is held to: an undocumented status, a
 * reply that does not fit its schema, data of the schema refused or other data taken, is a failure.
 */
export interface Exception {
  /** operationId in /openapi.json. */
  operation: string;
  check: "positive_data_acceptance" | "not_a_server_error" | "fits_its_contract";
  /** Statuses that the check takes beside its own; without them the check is not made. */
  alsoStatuses?: readonly number[];
  reason: string;
}

/** Data of the schema that is judged further, and refused with a code that the operation declares: never `invalid_request`. */
const judged = (reason: string, ...operations: string[]): Exception[] =>
  operations.map((operation) => ({
    operation,
    check: "positive_data_acceptance",
    alsoStatuses: [400],
    reason,
  }));

const HOSTS = "invalid_domain: no pattern says which names lie below a public suffix, or are sound in IDNA";
const ADDRESSES = "invalid_url: no pattern says what the URL standard takes";
const CURSORS = "invalid_cursor: a cursor is one that the service gave, of the same listing and not too old";
const NUMBERS =
  "invalid_json: members that the schema leaves open may hold numbers that doubles do not, which no reader agrees on";
const DNS = "unavailable (503): the name servers of the test refuse names that are not of its web";

/** Of one operation all reasons are one exception: schemathesis has one setting a check. */
const merged = (exceptions: readonly Exception[]): Exception[] =>
  [...Map.groupBy(exceptions, ({ operation, check }) => `${operation} ${check}`).values()].map((same) => ({
    ...same[0]!,
    ...(same[0]!.alsoStatuses && { alsoStatuses: same.flatMap(({ alsoStatuses = [] }) => alsoStatuses) }),
    reason: same.map(({ reason }) => reason).join("; "),
  }));

export const EXCEPTIONS: readonly Exception[] = merged([
  ...judged(
    HOSTS,
    "getSiteDocument",
    "listDirectory",
    "reportSite",
    "getSiteChallenge",
    "addSite",
    "verifyLicense",
    "validateDocument",
    "checkDocument",
    "checkCompliance",
    "createComplianceReport",
    "getRecordTemplate",
    "getEnablePlan",
    "getDomainStatus",
    "registerDomain",
    "getRegistration",
    "verifySignature",
    "logInteraction",
    "listActions",
    "getPageInfo",
    "getNoscriptPage",
    "getBridgeScript",
    "createSiteToken",
  ),
  ...judged(
    ADDRESSES,
    "analyzeUrl",
    "scanDarkPatterns",
    "auditDarkPatterns",
    "scanContent",
    "reportPage",
    "scanAffiliateUrl",
    "scanAffiliateHtml",
    "getPageInfo",
  ),
  ...judged(CURSORS, "searchSites", "searchDirectory", "listDirectory", "listInteractions"),
  ...judged(
    "invalid_endpoint: no pattern says what the URL standard takes, and the endpoint is within the domain",
    "getRecordTemplate",
    "getEnablePlan",
  ),
  ...judged("invalid_callback: what an address leads to is known when it is looked up", "verifyBatch"),
  ...judged(
    "invalid_amount, invalid_time: digits depend on the currency, times on the clock",
    "notarizePrice",
    "notarizeTransaction",
  ),
  ...judged("members of an approval alone", "decideAccess"),
  ...judged("commitment_mismatch: what is revealed was committed to before", "joinPool"),
  ...judged(
    NUMBERS,
    "reportSite",
    "createKey",
    "rotateKey",
    "analyzeUrl",
    "classifyText",
    "embedTexts",
    "trackPrice",
    "reportPage",
    "registerAccount",
    "logIn",
    "changePassword",
    "addSite",
    "configureSite",
    "issueKey",
    "verifyLicense",
    "openSession",
    "executeAction",
    "createSiteToken",
  ),
  { operation: "addSite", check: "not_a_server_error", alsoStatuses: [503], reason: DNS },
  { operation: "registerDomain", check: "not_a_server_error", alsoStatuses: [503], reason: DNS },
  ...["getNoscriptPage", "getRegistration", "checkCompliance", "checkDocument"].map(
    (operation): Exception => ({
      operation,
      check: "positive_data_acceptance",
      alsoStatuses: [414],
      reason: "uri_too_long: a part of a path is measured as it is written, with its percent-encoding",
    }),
  ),
  ...["getRecordTemplate", "getEnablePlan"].map(
    (operation): Exception => ({
      operation,
      check: "fits_its_contract",
      reason: "pk: no pattern says which 32 bytes are a point of the curve that keys may be",
    }),
  ),
  ...["logIn", "changePassword", "registerAccount"].map(
    (operation): Exception => ({
      operation,
      check: "fits_its_contract",
      reason: "password: at most 1,024 bytes of UTF-8, and JSON Schema counts characters",
    }),
  ),
  {
    operation: "listInteractions",
    check: "fits_its_contract",
    reason:
      "the registry's own document gives the address as a URI template, which the stateful phase takes as it is",
  },
  ...["issueKey", "decideAccess"].map(
    (operation): Exception => ({
      operation,
      check: "fits_its_contract",
      reason:
        "members of one kind or decision alone: the body is one flat object, whose members the command line and forms have",
    }),
  ),
  {
    operation: "trackPrice",
    check: "fits_its_contract",
    reason: "observed_at: JSON Schema has no words for a time within the last 90 days",
  },
  {
    operation: "listDirectory",
    check: "fits_its_contract",
    reason:
      "updated_since goes with limit and cursor alone: OpenAPI has no words for parameters that exclude each other",
  },
]);
