/** What the registry's operations take and give. Generated from its OpenAPI document by `npm run generate`. */

/** How agents get a license: `open`, at once, to read (POST /api/bridge/access-requests); `request`, when the owner approves the same request; `none`, only from the owner */
export type Access = "none" | "request" | "open";

export type AccessRequest = {
  request_id: string;
  /** Canonical host: A-labels, lower case, no final dot, no port */
  domain: string;
  /** approved: its license can be collected, once; expired: nobody answered or collected in time, or the site or an account is gone */
  state: "pending" | "approved" | "denied" | "collected" | "expired";
  agent_id: string;
  /** As the agent's account calls it */
  agent_name: string;
  /** The agent's own words */
  purpose: string;
  /** What was asked for */
  permissions: Array<"readContent" | "click" | "fillForms" | "scroll" | "navigate" | "apiAccess" | "automatedLogin" | "extractData">;
  /** What the license holds of it; null: not approved */
  granted: Array<"readContent" | "click" | "fillForms" | "scroll" | "navigate" | "apiAccess" | "automatedLogin" | "extractData"> | null;
  /** The owner's words; empty without any */
  reason: string;
  license_expires_at: string | null;
  /** RFC 3339 time in UTC */
  created_at: string;
  decided_at: string | null;
  /** Until when it can be answered, or else collected */
  expires_at: string;
};

export type AccessRequestBody = RequestAccessRequest;

export type AccessRequestReply = AccessRequest;

export type AccessRequestStateReply = AccessRequest;

export type ActionByScript = {
  type: "action_result";
  outcome: "script";
  /** Whether the action was done */
  success: boolean;
  /** What the site's own script answered */
  result: {
    by: "script";
    /** Where the session is now */
    url?: string;
    error?: {
      /** Stable */
      code: string;
      message: string;
      /** Every parameter or field that does not suit, of `validation_failed` */
      faults?: Array<{
        target: string;
        name: string;
        message: string;
        [name: string]: unknown;
      }>;
      /** Something had reached the site: do not send it again blindly */
      request_sent?: true;
      retry_after_seconds?: number;
      [name: string]: unknown;
    };
    /** An earlier action of the session during which a worker stopped */
    interrupted?: {
      action: string;
      message: string;
    };
    /** Of what was sent, where it had an effect */
    receipt?: Receipt;
    [name: string]: unknown;
  };
};

export type ActionDone = {
  type: "action_result";
  outcome: "done";
  success: true;
  /** What was read, or what changed: address, status, title, text, forms with their state */
  result: {
    /** Where the session is now */
    url?: string;
    /** An earlier action of the session during which a worker stopped */
    interrupted?: {
      action: string;
      message: string;
    };
    /** Of what was sent, where it had an effect */
    receipt?: Receipt;
    /** It was done before, and not now: the Idempotency-Key, or the page, had been used */
    already_done?: true;
    [name: string]: unknown;
  };
};

export type ActionDryRun = {
  type: "action_result";
  outcome: "dry_run";
  success: true;
  result: {
    /** Where the session is now */
    url?: string;
    dry_run: true;
    effect: Effect;
    /** What the page says it would cost; null where it shows none */
    total: Money | null;
    /** Null where nothing would be sent */
    would_send: {
      method: "GET" | "POST" | "SCRIPT";
      url: string;
      content_type: string | null;
      /** As they would be sent; passwords and numbers of cards are masked */
      fields: Array<{
        name: string;
        value: string;
      }>;
    } | null;
    /** What to send with the command to have it done; null where nothing is needed */
    confirm: {
      confirm_total?: string;
      confirm_unknown_total?: true;
    } | null;
    [name: string]: unknown;
  };
};

export type ActionFailed = {
  type: "action_result";
  outcome: "failed";
  success: false;
  /** Why it could not be done; the session stays at `url` */
  result: {
    /** Where the session is now */
    url?: string;
    error?: {
      /** Stable */
      code: string;
      message: string;
      /** Every parameter or field that does not suit, of `validation_failed` */
      faults?: Array<{
        target: string;
        name: string;
        message: string;
        [name: string]: unknown;
      }>;
      /** Something had reached the site: do not send it again blindly */
      request_sent?: true;
      retry_after_seconds?: number;
      [name: string]: unknown;
    };
    /** An earlier action of the session during which a worker stopped */
    interrupted?: {
      action: string;
      message: string;
    };
    /** Of what was sent, where it had an effect */
    receipt?: Receipt;
    /** It was done before, and not now: the Idempotency-Key, or the page, had been used */
    already_done?: true;
    [name: string]: unknown;
  };
};

export type ActionResult = ActionDone | ActionFailed | ActionByScript | ActionDryRun;

export type ActionsList = {
  type: "actions_list";
  siteId: string;
  /** Page whose forms and links are listed */
  page_url: string | null;
  actions: Array<ListedAction>;
};

export type ActionsQuery = {
  /** The session's site; another one is refused */
  siteId?: string;
};

export type ActionsReply = ActionsList;

export type AgentService = {
  protocol: Protocol;
  endpoint: string;
  transports: Array<string>;
  auth: "none" | "oauth" | "api_key" | "other" | "unknown";
  name: string;
  description: string;
  /** Addresses of descriptors */
  described_by: Array<string>;
  /** Third parties' entries that name it */
  claimed_by: Array<{
    source: string;
    id: string;
    /** As the entry numbers what it describes; absent: it names another host first */
    version?: string;
  }>;
  level: Level;
  observation: ServiceObservation | null;
  /** What the firewall says of its name and description; withheld: blocked */
  screened: "clear" | "warned" | "withheld";
  failing: {
    times: number;
    /** RFC 3339 time in UTC */
    since: string;
  } | null;
  tools: Array<ServiceTool>;
};

/** present; absent: 404 or 410; soft_404: the page that the host answers for any address; redirected: to another address that was not followed; auth: 401 or 403; error: another 4xx or 5xx, or bytes that no format reads; unknown: not asked, put off (429, 503) or not reached */
export type Answer = "present" | "absent" | "soft_404" | "redirected" | "auth" | "error" | "unknown";

/** block: an operator took the site down; report: a confirmed report about a page of it; delisting: the crawl took it off the directory for a page that attacks machines */
export type AppealKind = "block" | "report" | "delisting";

/** open: waits for an operator; upheld: the decision stands; lifted: it does not */
export type AppealState = "open" | "upheld" | "lifted";

export type AppealSummary = {
  kind: AppealKind;
  state: AppealState;
  /** RFC 3339 time in UTC */
  at: string;
  decided_at: string | null;
  /** What the operator says */
  why: string | null;
};

export type AuthSuccess = {
  type: "auth_success";
  session: {
    session_id: string;
    /** The site that it is on */
    siteId: string;
    /** Bearer token for `actions`, `execute` and the websocket */
    token: string;
    /** Seconds */
    expiresIn: number;
    /** What the session holds: what the site permits, its license grants and the request asked for. POST /api/bridge/access-requests asks for more */
    permissions: SitePermissions;
  };
};

export type AuthenticateBody = OpenSessionRequest;

export type AuthenticateReply = AuthSuccess;

export type Certainty = {
  /** Probability that it is what is looked for, fitted on texts that were not learned from */
  probability: number;
  /** Share of such inputs that the probability assumes; where there are fewer, it is lower */
  base_rate: number;
  /** Too close to call: leave the decision to a person, or treat it as the stricter of both */
  abstain: boolean;
  /** Probabilities between which abstain is true: from, to */
  band: Array<number>;
};

/** Over claims too: no verdict of this service */
export type ClaimedPriceAssessment = {
  /** The verdict if all claims but outliers were true */
  verdict: "claimed_genuine" | "claimed_overstated" | "claimed_no_reduction" | "insufficient_history";
  /** When today's price was first observed */
  since: string;
  /** In minor units (cents) */
  price_minor: number;
  /** The lowest price of the 30 days before */
  prior_price_minor: number | null;
  /** Counted from the prior price */
  actual_percent: number | null;
  announced_percent: number | null;
  /** Share of the 30 days that was observed, 0 to 1 */
  coverage: number;
  rule: string;
};

export type CollectAccessRequest = {
  /** Where the key goes */
  to?: "wallet" | "reply";
};

export type CollectBody = CollectAccessRequest;

export type CollectReply = CollectedAccess;

export type CollectedAccess = {
  request_id: string;
  /** Canonical host: A-labels, lower case, no final dot, no port */
  domain: string;
  /** approved: its license can be collected, once; expired: nobody answered or collected in time, or the site or an account is gone */
  state: "pending" | "approved" | "denied" | "collected" | "expired";
  agent_id: string;
  /** As the agent's account calls it */
  agent_name: string;
  /** The agent's own words */
  purpose: string;
  /** What was asked for */
  permissions: Array<"readContent" | "click" | "fillForms" | "scroll" | "navigate" | "apiAccess" | "automatedLogin" | "extractData">;
  /** What the license holds of it; null: not approved */
  granted: Array<"readContent" | "click" | "fillForms" | "scroll" | "navigate" | "apiAccess" | "automatedLogin" | "extractData"> | null;
  /** The owner's words; empty without any */
  reason: string;
  license_expires_at: string | null;
  /** RFC 3339 time in UTC */
  created_at: string;
  decided_at: string | null;
  /** Until when it can be answered, or else collected */
  expires_at: string;
  /** Shown only once, and only with `to: reply`; null: it is in the wallet */
  license_key: string | null;
};

/** How the site treats its visitors; who it is, is said by `state` and `trust_ring` */
export type Conduct = {
  /** poor: a finding of high or critical severity, a declaration that its pages refute, or a neutrality score below 40; remarks: lesser findings; clear: pages were read, and nothing was found; unknown: no page was read */
  level: "clear" | "remarks" | "poor" | "unknown";
  /** At most three of each part, and confirmed reports */
  findings: number;
  /** Those of high or critical severity */
  serious: number;
  worst: "info" | "low" | "medium" | "high" | "critical" | null;
  /** Declarations that two visits found false */
  contradicted: number;
  /** Pages that were read */
  pages: number;
};

export type Descriptor = {
  /** Row of the table of formats */
  format: string;
  /** As the document declares it */
  revision: string | null;
  /** Of records in DNS: by RFC 4501 */
  url: string;
  found_by: "well_known" | "link" | "html" | "robots" | "catalog" | "dns" | "import";
  /** Address of the catalog that names it; null: none does, or it was found otherwise */
  named_by: string | null;
  answer: Answer;
  /** null: nothing is published to conform to */
  conforms: boolean | null;
  /** What an agent needs of it can be read */
  usable: boolean;
  findings: Array<{
    /** Stable */
    rule: string;
    /** JSON pointer (RFC 6901); empty: the whole document */
    place: string;
    /** What its owner does */
    fix: string;
  }>;
  /** Skills, tools, operations or entries that it names, whether or not it says where they are called */
  lists?: number;
  /** Who signed it. own_key: a key that its registrable domain serves; others_key: one that nobody vouches for; key_unknown: one that is not to be had; invalid: it is not what was signed; absent: nobody */
  signature?: "own_key" | "others_key" | "key_unknown" | "invalid";
  /** Of records in DNS: whether the resolver validated them. unknown: it does not validate; absent: no records */
  dnssec?: "secure" | "insecure" | "bogus" | "unknown";
  sha256: string | null;
  /** owner, or platform:name */
  by: string;
  /** RFC 3339 time in UTC */
  first_seen_at: string;
  /** RFC 3339 time in UTC */
  seen_at: string;
  /** RFC 3339 time in UTC */
  changed_at: string;
};

export type DirectorySearchReply = {
  bridge_version: string;
  query: string;
  /** Results that pages give, from the first to the last */
  total: number;
  /** false: more sites match, of which pages give the best; narrow the search to see others */
  total_is_exact: boolean;
  /** Place of the first result, from 0 */
  offset: number;
  /** The next page's cursor; null on the last */
  next_cursor: string | null;
  /** The hour whose turns the order is of */
  ranked_at: string;
  /** Stems that were looked for in place of words that no site has */
  also_searched?: Array<string>;
  /** The query with the words that no site has as they most probably were to be */
  did_you_mean?: string;
  facets?: Facets;
  results: Array<ListingFound>;
};

/** What it does on the site: `read` changes nothing, `write` changes something, `purchase` spends or promises money */
export type Effect = "read" | "write" | "purchase";

export type Evidence = {
  /** What was found, shortened; text as the page has it */
  snippet: string;
  /** Where it begins in the input, UTF-16 units from 0; null when it is in no place of it */
  start: number | null;
  /** Where it ends, exclusive */
  end: number | null;
  /** CSS selector of the element that holds it */
  selector?: string;
  /** JSON Pointer (RFC 6901), where the input is JSON */
  pointer?: string;
};

export type EvidenceQuery = {
  /** Size of the log that you saw last: a consistency proof from there is included */
  log_size?: number;
};

export type EvidenceReply = SiteEvidence;

export type EvidenceSource = {
  /** fetched: the registry read it on the page itself, the better kind; reported: callers say so, and the registry did not see it */
  kind: "fetched" | "reported";
  /** When it was seen; of what is reported, as the caller says */
  at: string;
  /** The page that the registry fetched, without its query; null where it is not kept, and for reports */
  url: string | null;
};

export type ExecuteActionRequest = {
  /** What to do */
  action: string;
  /** CSS selector, or the address to navigate to */
  target?: string;
  /** For fill, select, scroll and wait */
  value?: string;
  /** Parameters of a listed action; `values` for a list that takes several */
  context?: {
    [name: string]: unknown;
  };
  /** Tells what would be sent, its effect and its total, and does nothing */
  dry_run?: boolean;
  /** For a purchase: the total that the page shows, as `dry_run` tells it */
  confirm_total?: string;
  /** For a purchase whose page shows no total: buy all the same */
  confirm_unknown_total?: boolean;
  /** For a purchase: the most that it may cost; one whose total is higher, or unknown, is refused */
  max_total?: string;
};

export type ExecuteBody = ExecuteActionRequest;

export type ExecuteReply = ActionResult;

/** What the place follows from. One result an owner comes first; their others follow after everyone's first */
export type Explanation = {
  /** How it was found: the whole domain or name comes before all else; words and meaning follow, added up */
  match: "domain" | "name" | "terms" | "meaning" | "none";
  /** What share of the query's words the site has, rare words weighing more; 1 for the domain or name asked for. At most 0.5 where it is near in meaning alone */
  relevance: number;
  /** Relevance of the text */
  text: number;
  /** 1 at ring 4, a hundredth less for each ring below */
  trust: number;
  /** Two hundredths for each 25 points of neutrality above or below 50; 0.82 of that for poor conduct. With critical findings a site comes behind all others that fit */
  fairness: number;
  /** Whose turn it is in this hour, 0.9955 to 1.0045: it decides between equals. The same for all sites of an owner */
  rotation: number;
  /** text × trust × fairness × rotation */
  score: number;
  evidence: Array<RankingEvidence>;
};

export type Facets = {
  category?: Array<{
    value: string;
    count: number;
  }>;
  intent?: Array<{
    value: string;
    count: number;
  }>;
  /** Countries, regions and cities */
  location?: Array<{
    value: string;
    count: number;
  }>;
  ring?: Array<{
    value: string;
    count: number;
  }>;
  /** Sites that were counted */
  counted: number;
  /** false: more sites match than were counted */
  is_exact: boolean;
};

export type Finding = {
  /** Stable name of the rule */
  rule_id: string;
  category: string;
  severity: "info" | "low" | "medium" | "high" | "critical";
  /** Confidence of the rule, 0 to 1 */
  confidence: number;
  evidence: Evidence;
  /** Standards, laws or papers the rule rests on */
  refs: Array<string>;
  /** What to do about it */
  remediation: string;
};

export type FirewallScan = {
  /** What to do with it: allow, warn the user, or block. unknown: nothing was found, but the page could not be read, or not all of it; that is no permission */
  verdict: "allow" | "unknown" | "warn" | "block";
  /** What an agent should do now */
  advice: string;
  /** 0 harmless to 1; from 0.4 on warn, from 0.8 on block; null when unknown */
  risk_score: number | null;
  /** The risk as a calibrated probability, and whether it is too close to call; null when unknown. The verdict follows risk_score */
  certainty?: Certainty | null;
  findings: Array<Finding>;
  /** The text of the page that a person sees, without what was found in it; null when there was no page, or when cutting leaves it dangerous: for its address, or a form */
  sanitized_content: string | null;
  sanitized_truncated: boolean;
  scanned: {
    segments: number;
    hidden_segments: number;
    complete: boolean;
  };
  /** Address of the page that was fetched, after redirects */
  fetched_url: string | null;
  /** Changes whenever a rule or a model does */
  ruleset_version: string;
  /** SHA-256 of the input that was analyzed, lower-case hexadecimal */
  input_sha256: string;
  not_observed: Array<NotObserved>;
  meta: GatewayMeta;
};

export type Fix = {
  /** Stable */
  code: string;
  title: string;
  /** What the owner does */
  do: string;
  /** Ready to paste: a command, or a record's value */
  example: string | null;
  /** The page that it is about; null if it is the whole site */
  page: string | null;
  /** CSS selector of the element */
  selector: string | null;
  /** What stands there; quotes the site */
  excerpt: string | null;
  /** listed; found, by the words of its pages; or the points of trust or neutrality that it gains */
  gains: "listed" | "found" | number;
  of: "listing" | "trust" | "neutrality";
};

export type GatewayMeta = {
  module: string;
  /** Plan of the key that was used */
  plan: string;
  /** By `minute` and `day`; the RateLimit header fields say the same */
  usage: {
    [name: string]: {
      quota: number;
      used: number;
      remaining: number;
      /** Seconds until the quota resets */
      reset_seconds: number;
    };
  };
  request_id: string;
  /** Milliseconds in the worker */
  took_ms: number;
};

/** HTML: the words inside `<mark>`, all else escaped; null where none of them stands */
export type Highlight = {
  name: string | null;
  description: string | null;
};

/** claimed: a third party says so; published: its own host does; answers: we spoke to it, and it is what it says; signed: by a key anchored at its domain; verified: an enabled site (ring 3 or 4) */
export type Level = "claimed" | "published" | "answers" | "signed" | "verified";

export type ListedAction = {
  /** Action identifier */
  name: string;
  description: string;
  category: "navigation" | "form" | "commerce" | "content" | "custom";
  parameters: Array<{
    name: string;
    type: string;
    required: boolean;
    description: string;
    /** The values that it takes, where the page or document lists them */
    enum?: Array<string>;
    [name: string]: unknown;
  }>;
  permissions_required: Array<string>;
  effect: Effect;
  /** Who declares it: the site's document, the page, or the site's connected script */
  source: "declared" | "page" | "script";
  /** CSS selector of the form or link that performs it */
  target?: string;
  /** JSON Schema (2020-12) of the `context` that `execute` takes for it */
  input_schema: {
    [name: string]: unknown;
  };
  /** Whether this session can execute it now */
  executable: boolean;
  /** Why not: permissions that the site does not grant, `denied_commands`, where it leads (`denied_paths` of the owner, `robots_txt`, `other_site`), or `no_script` where only a connected script of the site could */
  blocked_by: Array<string>;
  [name: string]: unknown;
};

export type ListingFound = {
  /** Canonical host: A-labels, lower case, no final dot, no port */
  siteId: string;
  /** Canonical host: A-labels, lower case, no final dot, no port */
  domain: string;
  name: string;
  description: string;
  category: string;
  tags: Array<string>;
  location: {
    /** ISO 3166-1 code or name */
    country?: string;
    region?: string;
    city?: string;
    /** Degrees north */
    lat?: number;
    /** Degrees east */
    lon?: number;
    [name: string]: unknown;
  } | null;
  /** 0 discovered, 1 document, 2 document and TXT record, 3 signed, 4 registered with proof */
  trust_ring: number;
  trust_score: number;
  trust_reasons: TrustReasons;
  /** enabled: ring 3 or 4 and listed; partial: ring 1 or 2; stale: was enabled, must be verified again; disabled: none of these */
  status: "enabled" | "partial" | "stale" | "disabled";
  reason: "verified" | "unsigned" | "no_txt" | "txt_invalid" | "txt_ambiguous" | "key_revoked" | "dns_failed" | "dns_bogus" | "unreachable" | "address_refused" | "document_missing" | "document_invalid" | "signature_invalid" | "manifest_invalid" | "manifest_expired" | "manifest_not_yet_valid" | "serial_lowered" | "domain_mismatch" | "document_mismatch" | "malicious_page" | "quarantined" | "not_visited";
  dnssec: "secure" | "insecure" | "bogus" | "unknown";
  verified_at: string | null;
  last_ok: string | null;
  neutrality_score: number;
  fairness_boost: number;
  /** Absent until the next visit of the site */
  conduct?: Conduct;
  /** What moves the neutrality score away from 50, in points */
  neutrality_reasons?: Array<{
    /** dark, affiliate, trackers, ownership, honesty, declared; contradicted, grade_e, grade_d or unverified_domain, which cap the score */
    reason: string;
    /** Points of the neutrality score, from 50 */
    points: number;
    /** The most that it can give, at full confidence */
    max_points?: number;
    /** The page that moves it most */
    page?: string;
    /** What that page has; the site's own words */
    excerpt?: string;
    /** What the site can do about it */
    fix?: string;
  }>;
  /** As the site declares */
  is_independent: boolean | null;
  access: Access;
  /** Of the services that its host publishes for agents; absent where there are none */
  protocols?: Array<Protocol>;
  discovery_url: string;
  beacon_url: string;
  /** What share of the query's words the site has, rare words weighing more; 1 for the domain or name asked for. At most 0.5 where it is near in meaning alone */
  relevance: number;
  highlight?: Highlight;
  explain?: Explanation;
};

export type Money = {
  /** In the currency's digits */
  amount: string;
  /** ISO 4217 */
  currency: string;
};

export type NotObserved = {
  what: string;
  reason: string;
};

export type ObservationsQuery = {
  /** Whose history, as `subjects` names it */
  subject?: string;
  /** next_cursor of the page before */
  cursor?: string;
  /** Maximum number of entries */
  limit?: number;
  /** Size of the log that you saw last: a consistency proof from there is included */
  log_size?: number;
};

export type ObservationsReply = SiteObservations;

/** open: it answered as its protocol says; auth: asks for authorization; rate_limited: 429; not_protocol: answers, and not by its protocol; html: a page for people; template_url: its address has placeholders; dead: three failures over two days or more, or no such name in DNS; unknown: nothing is concluded */
export type ObservedClass = "open" | "auth" | "rate_limited" | "not_protocol" | "html" | "template_url" | "dead" | "unknown";

export type OpenSessionRequest = {
  /** License key of the site */
  licenseKey?: string;
  /** Instead of the key: the site whose license the agent's account keeps in its wallet */
  siteId?: string;
  /** Limits the session to these, of those that the license and the site grant */
  permissions?: Array<"readContent" | "click" | "fillForms" | "scroll" | "navigate" | "apiAccess" | "automatedLogin" | "extractData">;
  /** What the session is for */
  purpose?: string;
  /** The agent's own id; stays with the session */
  agentId?: string;
  /** What the agent is called */
  agentName?: string;
};

export type PriceAssessment = {
  /** Over corroborated observations alone. genuine: lower than every price of the 30 days before; overstated: less than announced; no_reduction: not lower; insufficient_history: too little of the 30 days is corroborated */
  verdict: "genuine" | "overstated" | "no_reduction" | "insufficient_history";
  /** When today's price was first observed */
  since: string;
  /** In minor units (cents) */
  price_minor: number;
  /** The lowest price of the 30 days before */
  prior_price_minor: number | null;
  /** Counted from the prior price */
  actual_percent: number | null;
  announced_percent: number | null;
  /** Share of the 30 days that was observed, 0 to 1 */
  coverage: number;
  rule: string;
  /** corroborated: observed by the registry itself, or claimed within a day by at least three established accounts from three networks, unless the registry observed otherwise within the hour, or last within the day before; claimed: only callers' claims are known */
  basis: "corroborated" | "claimed";
  /** fetched: all of it is the registry's own observations, which decide alone where they are enough; reported: callers' claims are part of it */
  evidence: EvidenceSource;
};

export type PriceHistory = {
  /** Shop or marketplace */
  platform: string;
  /** The platform's own id */
  productId: string;
  product_name: string | null;
  url: string | null;
  /** Who gave the name and the address */
  named_by: "registry" | "caller" | null;
  series: Array<PriceSeries>;
  meta: GatewayMeta;
};

export type PriceHistoryQuery = {
  seller?: string;
  region?: string;
  /** ISO 4217 */
  currency?: string;
  /** Steps of the last so many days */
  days?: number;
  /** A reduction as it is announced, to be judged */
  announced_percent?: number;
  /** An earlier price as it is announced */
  announced_was?: number;
};

export type PriceHistoryReply = PriceHistory;

export type PriceSeries = {
  seller: string;
  region: string;
  /** ISO 4217 */
  currency: string;
  /** Digits of the currency after the point */
  minor_digits: number;
  /** In minor units (cents) */
  lowest_minor: number;
  /** In minor units (cents) */
  highest_minor: number;
  /** In minor units (cents) */
  latest_minor: number;
  /** What lowest, highest and latest are of */
  basis: "corroborated" | "claimed";
  /** Of the latest price */
  evidence: EvidenceSource;
  /** Different accounts, and networks of keys without one, that observed last; at most 16 */
  observers: number;
  /** Times through which the price was the same, oldest first; claims in steps of their own */
  steps: Array<{
    /** In minor units (cents) */
    price_minor: number;
    /** RFC 3339 time in UTC */
    from: string;
    /** RFC 3339 time in UTC */
    to: string;
    observations: number;
    /** Who observed what is certified. registry: the notary fetched the page itself; caller: the caller claims it, and the notary did not observe it */
    observed_by: "registry" | "caller";
    /** false: a claim, which no verdict rests on */
    corroborated: boolean;
    /** Of its last observation */
    evidence: EvidenceSource;
    /** A claim outside of what the others say: shown, and left out of every figure */
    outlier: boolean;
  }>;
  assessment: PriceAssessment;
  /** null: everything is corroborated */
  claimed_assessment: ClaimedPriceAssessment | null;
};

export type Problem = {
  /** A URI naming the kind of problem */
  type: string;
  title: string;
  status: number;
  /** What went wrong, and what to do next */
  detail: string;
  /** The request's id, as a URI reference */
  instance: string;
  /** The request's id, as in `X-Request-Id` */
  request_id?: string;
  /** Stable; match on this */
  code: string;
  /** Every invalid member, with its JSON Pointer (RFC 6901) */
  errors?: Array<{
    pointer: string;
    code: string;
    message: string;
  }>;
  /** The detail once more, where clients of the MCP Registry's API look for it */
  error?: string;
  /** Where clients of Agentic Resource Discovery look for it: a code of its appendix B */
  errorCode?: string;
  /** The detail once more, beside `errorCode` */
  message?: string;
};

export type Protocol = "mcp" | "a2a" | "http" | "skill" | "ucp" | "acp" | "x402" | "nlweb" | "webmcp" | "bridge";

export type ProvedEntry = {
  leaf_index: number;
  /** What the tree hashes, byte for byte */
  leaf: string;
  /** Base64 of the salt that the leaf commits with */
  salt: string;
  /** The entry, byte for byte: RFC 8785 JSON */
  entry: string;
  /** Nearest sibling first, in base64 */
  inclusion_proof: Array<string>;
};

export type RankingEvidence = {
  /** Which of the factors it bears on */
  signal: "text" | "trust" | "fairness";
  /** words_in_name, words_in_domain, words_in_tags, words_in_tags_unconfirmed, words_in_description, words_in_text; ring; conduct_poor, conduct_critical; a part of the neutrality score or what caps it */
  reason: string;
  /** Stems of the words that stand there */
  terms?: Array<string>;
  /** The ring, or the points by which the part moves the neutrality score */
  value?: number;
};

export type ReadPage = {
  firewall: ScannedText;
  /** Canonical host: A-labels, lower case, no final dot, no port */
  siteId: string;
  /** Final address, after redirects */
  url: string;
  /** HTTP status of the page */
  status: number;
  title: string;
  language: string | null;
  /** What a person sees, from `offset` on, links as `[text][n]`, forms as `[form n]`; empty where the firewall blocks the page */
  markdown: string;
  /** Where it begins, UTF-16 units */
  offset: number;
  /** Where the next part begins; null at the end */
  next_offset: number | null;
  /** Of the whole Markdown, UTF-16 units */
  length: number;
  /** Those numbered in this part */
  links: Array<{
    /** Its number in the Markdown: `[text][n]` */
    n: number;
    text: string;
    href: string;
  }>;
  /** Those numbered in this part */
  forms: Array<{
    /** Absolute address */
    action: string;
    method: "GET" | "POST";
    fields: Array<{
      type: string;
      name: string;
      label: string;
      required: boolean;
      /** Option values of a select element */
      options?: Array<string>;
    }>;
    /** Its number in the Markdown: `[form n]` */
    n: number;
    name: string;
  }>;
  truncated: boolean;
  /** RFC 3339 time in UTC */
  fetched_at: string;
};

export type ReadPageQuery = {
  /** Canonical host of a registered site */
  siteId?: string;
  /** Address of a page of a registered site, or a path there that begins with / */
  url?: string;
  /** next_offset of the part before */
  offset?: number;
  /** The most that `markdown` may take, by an estimate that is seldom too low */
  max_tokens?: number;
};

export type ReadPageReply = ReadPage;

export type Receipt = {
  /** UUID */
  receipt_id: string;
  /** `done`: the site answered; `sending`: under way; `unknown`: it broke off, and the site may have taken it: look there before you do it again */
  state: "sending" | "done" | "unknown";
  site: string;
  session_id: string;
  agent_id: string;
  action: string;
  effect: Effect;
  /** What the page showed; null where it showed none */
  total: Money | null;
  method: "GET" | "POST" | "SCRIPT";
  /** Where it was sent, without query */
  url: string;
  /** SHA-256 of receipt id, method and address, and body, each on a line of its own */
  request_sha256: string;
  /** RFC 3339 time in UTC */
  sent_at: string;
  finished_at: string | null;
  /** HTTP status of the site's answer */
  status: number | null;
  /** SHA-256 of the page that came */
  reply_sha256: string | null;
  /** Where redirects led: the order's page, usually */
  final_url: string | null;
};

export type Receipts = {
  receipts: Array<Receipt>;
};

export type ReceiptsReply = Receipts;

export type RequestAccessRequest = {
  /** Host of the site */
  domain: string;
  /** What the license is for, as the owner reads it */
  purpose: string;
  /** What is needed. Default: readContent, navigate and scroll */
  permissions?: Array<"readContent" | "click" | "fillForms" | "scroll" | "navigate" | "apiAccess" | "automatedLogin" | "extractData">;
};

export type ScanBody = ScanContentRequest;

export type ScanContentRequest = {
  /** Address of the page. Fetched when no html is sent */
  url?: string;
  /** The page's HTML, at most 2 Mi units */
  html?: string;
  /** Plain text, at most 2 Mi units */
  text?: string;
  /** What the agent is about to read: HTML or plain text, detected by its markup */
  content?: string;
  role?: TextRole;
};

export type ScanReply = FirewallScan;

export type ScannedText = {
  /** allow; unknown: nothing was found, but not all could be read; warn: what was found is cut from a page; block: what was read is withheld, or ought to be */
  verdict: "allow" | "unknown" | "warn" | "block";
  risk_score: number | null;
  findings: Array<Finding>;
};

export type SearchQuery = {
  /** Words to look for */
  q: string;
  /** Only this category; `all` filters nothing */
  category?: string;
  /** Only sites with this intent tag */
  intent?: string;
  /** A country, region or city, or `lat,lon,km` */
  location?: string;
  /** Least ring */
  trust_ring?: number;
  /** Least neutrality score; 50 is that of a site of which nothing is known */
  min_neutrality?: number;
  /** Only sites that license agents like this: `open` at once, to read; `request` when asked; `none` */
  access?: "none" | "request" | "open";
  /** Sites with another status than enabled are given only when asked for */
  status?: "enabled" | "partial" | "stale";
  /** Most results */
  limit?: number;
  /** true: only the words given. Otherwise also sites near in meaning, and in place of a word that no site has those a typing error away, which count less */
  as_typed?: boolean;
  /** Show where the words stand */
  highlight?: boolean;
  /** Say why each result stands where it does */
  explain?: boolean;
  /** Least relevance: 1, only sites with all words of the query; above 0.5, none that is near in meaning alone; 0, all with one of them. By default, what fits: 0.15 (of more than four words less), and 0.4 of the most relevant one; where no site has most of the words, also what is half as near in meaning as the nearest. Facets count all sites with one of the words */
  min_relevance?: number;
  /** Results to pass over, from where the cursor stands if there is one. The order changes with the hour; a cursor holds it */
  offset?: number;
  /** next_cursor of the page before, with the same words and filters, for an hour: the best of the sites that its pages did not show, in the order of the first page's hour. Each site comes once, those that arrive meanwhile included */
  cursor?: string;
  /** What to count the matching sites by: `category`, `intent`, `location`, `ring`, separated by commas */
  facets?: string;
};

export type SearchReply = DirectorySearchReply;

export type ServiceObservation = {
  class: ObservedClass;
  /** Why, in words; may quote the endpoint */
  detail: string;
  /** Of the protocol, as it answered */
  revision: string | null;
  /** As it names itself */
  name: string | null;
  /** Tools that it lists; null: not listed */
  tools: number | null;
  /** Of the list of tools, in an order of ours */
  tools_sha256: string | null;
  latency_ms: number | null;
  /** RFC 3339 time in UTC */
  seen_at: string;
  /** Of the leaf of the transparency log that says so; absent: none does yet */
  leaf_index?: number;
};

export type ServiceTool = {
  name: string;
  description: string;
  /** Names of what it is called with, each with what it says of it */
  parameters?: Array<string>;
  effect: Effect;
  /** What the firewall says of its texts; withheld: blocked, and not shown */
  screened: "clear" | "warned" | "withheld";
};

export type SignedRecordSet = {
  /** Lower case, without a final dot; empty for the root */
  owner: string;
  /** 5 CNAME, 16 TXT, 43 DS, 48 DNSKEY */
  type: number;
  /** Seconds that are left */
  ttl: number;
  /** Data of each record, as in RFC 1035, names uncompressed */
  data: Array<string>;
  /** Data of each RRSIG record (RFC 4034 section 3.1) */
  signatures: Array<string>;
};

export type SiteEvidence = {
  version: "bridge-evidence/1";
  /** Canonical host: A-labels, lower case, no final dot, no port */
  domain: string;
  /** When a visit last read the document */
  observed_at: string | null;
  dns: {
    name: string;
    /** null: the sets lead from the root to the record. Otherwise what ends them: no_record, dns_failed; unsigned: a zone without signatures; no_ds: a signed zone that its parent does not vouch for; too_long */
    reason: "no_record" | "dns_failed" | "unsigned" | "no_ds" | "too_long" | null;
    /** The records as the registry reads them */
    txt: Array<string>;
    sets: Array<SignedRecordSet>;
  };
  /** null: the document is not signed, or none is known */
  manifest: {
    discovery_url: string | null;
    protected: string;
    payload: string;
    signature: string;
    /** RFC 8785 form of the document without `manifest`: the bytes that were signed */
    document: string;
  } | null;
  log: {
    /** Newest checkpoint, as a signed note */
    checkpoint: string;
    /** The site's newest registration; null: it never registered */
    registration: {
      /** What the log's tree hashes, byte for byte */
      leaf: string;
      /** Of a leaf that commits to its entry: SHA-256(salt ∥ entry) */
      salt?: string;
      /** The entry that the leaf commits to; absent: the leaf is the entry */
      entry?: string;
      leaf_index: number;
      inclusion_proof: Array<string>;
    } | null;
    /** From `log_size` to the checkpoint; null: it was not sent, or is larger than the log */
    consistency_proof: Array<string> | null;
  };
};

export type SiteObservations = {
  domain: string;
  log: {
    /** Signed note that all proofs are for */
    checkpoint: string;
    /** From the log of `log_size` entries */
    consistency_proof: Array<string> | null;
  };
  subjects: Array<{
    /** SHA-256, lower-case hexadecimal */
    subject: string;
    /** null: the verdict on the site */
    service: {
      protocol: Protocol;
      endpoint: string;
    } | null;
    /** Of its newest leaf; null: none yet */
    leaf_index: number | null;
    /** It is otherwise by now, and the log will say so: a host has at most ten leaves a day (limit logged_changes) */
    waits: boolean;
    /** When it was last seen as its newest leaf says, on the registry's word: what stays the same has no leaf. null: not known */
    confirmed_at: string | null;
  }>;
  /** Whose entries these are; null: the log has none yet */
  subject: string | null;
  /** The newest first; each names the one before it */
  entries: Array<ProvedEntry>;
  /** Index of the next entry; null: that was all */
  next_cursor: string | null;
  /** Index of an entry that was erased: the history cannot be followed beyond it */
  erased: number | null;
};

/** What agents may do on the site */
export type SitePermissions = {
  readContent: boolean;
  click: boolean;
  fillForms: boolean;
  scroll: boolean;
  navigate: boolean;
  apiAccess: boolean;
  automatedLogin: boolean;
  extractData: boolean;
};

/** enabled: verified and listed; partial: something verifiable is published; stale: was enabled, must be verified again; found: agents can use something there, and nobody proved that the domain is theirs; disabled: none of these; unknown: never visited; blocked: excluded by its owner or the operator */
export type SiteState = "enabled" | "partial" | "stale" | "found" | "disabled" | "unknown" | "blocked";

/** What the registry says of a site, and why */
export type SiteVerdict = {
  /** Canonical host: A-labels, lower case, no final dot, no port */
  domain: string;
  state: SiteState;
  /** Whether search and directory show the site */
  listed: boolean;
  reason: VerdictReason;
  /** When the state last changed; null if not known */
  since: string | null;
  /** Identity and conduct in a line, what matters first. The same by every interface */
  headline: string;
  /** For humans; may quote the site */
  detail: string;
  trust: {
    /** 0 discovered, 1 document, 2 document and TXT record, 3 signed, 4 registered with proof */
    ring: number;
    score: number;
    reasons: TrustReasons;
    dnssec: "secure" | "insecure" | "bogus" | "unknown";
    /** Registered with proof, as of the last visit */
    registered: boolean;
  };
  neutrality: {
    score: number;
    /** Factor on the score in search */
    boost: number;
    /** Weight of the evidence: full from ten pages */
    confidence: number;
    /** Pages that were measured */
    pages: number;
    /** Points by which each part moves the score from 50, and the pages it rests on */
    parts: Array<{
      name: string;
      /** 0 worst, 1 best, 0.5 not known */
      value: number;
      points: number;
      max_points: number;
      evidence: Array<{
        page: string;
        selector: string | null;
        /** Quotes the site */
        excerpt: string;
        /** RFC 3339 time in UTC */
        seen_at: string;
      }>;
    }>;
    reasons: Array<{
      /** dark, affiliate, trackers, ownership, honesty, declared; contradicted, grade_e, grade_d or unverified_domain, which cap the score */
      reason: string;
      /** Points of the neutrality score, from 50 */
      points: number;
      /** The most that it can give, at full confidence */
      max_points?: number;
      /** The page that moves it most */
      page?: string;
      /** What that page has; the site's own words */
      excerpt?: string;
      /** What the site can do about it */
      fix?: string;
    }>;
  };
  conduct: Conduct;
  access: Access;
  /** In the crawl's order, one for each stage */
  checks: Array<{
    /** dns, endpoint, document, signature, manifest, beacon, robots or pages */
    name: string;
    /** warn: not what keeps a site from being listed; skipped: nothing to look at, or not reached */
    outcome: "pass" | "warn" | "fail" | "skipped";
    /** Stable code */
    reason: string;
    detail: string;
    observed_at: string | null;
    [name: string]: unknown;
  }>;
  /** Open ones: confirmed reports about pages of the host that nobody found gone, oldest first; then what the crawl found on its pages */
  findings: Array<VerdictFinding>;
  /** What to do, what gains most first */
  fixes: Array<Fix>;
  /** How well what agents can do there is known; null: nothing is */
  level: Level | null;
  platform: string | null;
  /** What it publishes for agents, in any format, and what is wrong with it */
  descriptors: Array<Descriptor>;
  /** What can be called there */
  services: Array<AgentService>;
  /** When descriptors and services were last looked at */
  presence_seen_at: string | null;
  /** The owner's appeal against a decision: an open one, else the last that was decided; null: none */
  appeal?: AppealSummary | null;
  /** What the site says of itself; null if no document was read */
  declared: {
    by: "site";
    name: string;
    description: string;
    category: string;
    tags: Array<string>;
    is_independent: boolean | null;
    commission_rate: number | null;
    discovery_url: string | null;
    /** Actions of its document, the first of them, then forms of its pages that are declared as tools; a session lists what it can execute (GET /api/bridge/actions) */
    actions: Array<{
      /** Action identifier */
      name: string;
      description: string;
      category: "navigation" | "form" | "commerce" | "content" | "custom";
      effect?: Effect;
      /** A page whose form is declared as this tool (toolname); not signed */
      page?: string;
      [name: string]: unknown;
    }>;
  } | null;
  /** When the signed manifest expires */
  expires_at: string | null;
  last_visit_at: string | null;
  next_visit_at: string | null;
  /** The earliest time of a requested visit; null if the site is not visited */
  can_recheck_at: string | null;
  /** The newest 20 changes of state, oldest first */
  history: Array<{
    /** RFC 3339 time in UTC */
    at: string;
    /** enabled: ring 3 or 4 and listed; partial: ring 1 or 2; stale: was enabled, must be verified again; disabled: none of these */
    state: "enabled" | "partial" | "stale" | "disabled";
    reason: "verified" | "unsigned" | "no_txt" | "txt_invalid" | "txt_ambiguous" | "key_revoked" | "dns_failed" | "dns_bogus" | "unreachable" | "address_refused" | "document_missing" | "document_invalid" | "signature_invalid" | "manifest_invalid" | "manifest_expired" | "manifest_not_yet_valid" | "serial_lowered" | "domain_mismatch" | "document_mismatch" | "malicious_page" | "quarantined" | "not_visited";
    [name: string]: unknown;
  }>;
};

/** What a text is to the agent that reads it: a page; a document for agents (llms.txt, SKILL.md, AGENTS.md), which addresses them by its nature; what a tool says of itself; what a tool answered; the user's own words */
export type TextRole = "page" | "agent_document" | "tool_description" | "tool_result" | "user";

/** The points that add up to trust_score */
export type TrustReasons = {
  /** Of 50: 35 for a verified signature, 15 for registered proof */
  signature: number;
  /** Of 10: DNSSEC validated the TXT record's answer */
  dnssec: number;
  /** Of 20: uninterrupted time verified, full at 90 days */
  age: number;
  /** Of 15: share of successful visits */
  uptime: number;
  /** Of 5: minus one for each open finding on its pages; 0 at ring 0 */
  findings: number;
};

export type VerdictFinding = {
  /** crawl: found on the page as the registry read it; report: reported, and confirmed */
  by: "crawl" | "report";
  /** Stable */
  rule: string;
  severity: "info" | "low" | "medium" | "high" | "critical";
  page: string;
  /** CSS selector of the element */
  selector: string | null;
  /** What the page has there; quotes the site. Of a report: why it was confirmed */
  excerpt: string;
  /** Of a report */
  confirmed_by: "modules" | "operator" | null;
  /** The report of the bounty network (GET /api/v1/bounty/report/{id}) */
  report: string | null;
  /** Of a report */
  first_seen: string | null;
  /** RFC 3339 time in UTC */
  last_seen: string;
};

/** Why the site has its state. Stable */
export type VerdictReason = "verified" | "unsigned" | "no_txt" | "txt_invalid" | "txt_ambiguous" | "key_revoked" | "dns_failed" | "dns_bogus" | "unreachable" | "address_refused" | "document_missing" | "document_invalid" | "signature_invalid" | "manifest_invalid" | "manifest_expired" | "manifest_not_yet_valid" | "serial_lowered" | "domain_mismatch" | "document_mismatch" | "malicious_page" | "quarantined" | "not_visited" | "not_claimed" | "blocked";

export type VerdictReply = SiteVerdict;
