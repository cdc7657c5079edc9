/** Every text of the pages, in English. Functions take what a sentence is about. */
import type {
  Answer,
  ControlGroup,
  ImportOutcome,
  Level,
  ObservedClass,
  Protocol,
} from "../../schemas/agent-web.ts";
import type { SiteState, VerdictReason } from "../../schemas/verdict.ts";
import { DAY_MS, HOUR_MS } from "../../src/ports/time.ts";
import { consoleTexts } from "./console/texts.en.ts";
import { account } from "./texts.account.en.ts";
import { census } from "./texts.census.en.ts";
import { docs } from "./texts.docs.en.ts";
import { ready } from "./texts.ready.en.ts";
import { scan } from "./texts.scan.en.ts";

const days = once(() => new Intl.DateTimeFormat("en", { dateStyle: "long", timeZone: "UTC" }));
const minutes = once(
  () => new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }),
);
const seconds = once(
  () => new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" }),
);
const numbers = once(() => new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 }));
const relatives = once(() => new Intl.RelativeTimeFormat("en", { style: "short" }));
/** From the largest, with their milliseconds. */
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["day", DAY_MS],
  ["hour", HOUR_MS],
  ["minute", 60_000],
];
const lists = once(() => new Intl.ListFormat("en", { type: "conjunction" }));

const count = (n: number, one: string, many: string): string =>
  `${numbers().format(n)} ${n === 1 ? one : many}`;

const states: Readonly<Record<SiteState, string>> = {
  enabled: "Listed",
  partial: "Partly verified",
  stale: "Was listed",
  found: "Found, not claimed",
  disabled: "Not listed",
  unknown: "Never visited",
  blocked: "Blocked",
};

const reasons: Readonly<Record<VerdictReason, string>> = {
  verified: "Its DNS record, its document and its signature hold.",
  unsigned: "Its document is not signed.",
  no_txt: "Its DNS has no TXT record for Bridge.",
  txt_invalid: "Its TXT record cannot be read.",
  txt_ambiguous: "Its TXT records contradict each other.",
  key_revoked: "Its key was revoked.",
  dns_failed: "Its name servers gave no usable answer.",
  dns_bogus: "Its DNSSEC signatures do not hold.",
  unreachable: "It did not answer.",
  address_refused: "Its name leads to an address that is not public.",
  document_missing: "It serves no discovery document.",
  document_invalid: "Its discovery document has faults.",
  signature_invalid: "The signature of its document does not hold.",
  manifest_invalid: "The signed part of its document has faults.",
  manifest_expired: "Its signature ran out.",
  manifest_not_yet_valid: "Its signature is of the future.",
  serial_lowered: "Its document is older than one that was seen before.",
  domain_mismatch: "Its document is signed for another domain.",
  document_mismatch: "Its document changed after it was signed.",
  malicious_page: "A page of it hides instructions to machines from its readers.",
  quarantined: "What it sent could not be read safely; it is left alone for a while.",
  not_visited: "The registry has not visited it yet.",
  not_claimed: "Agents can use something here, and nobody proved that the domain is theirs.",
  blocked: "Its owner or the operator of this registry excludes it.",
};

const checkNames: Readonly<Record<string, string>> = {
  dns: "TXT record in DNS",
  endpoint: "Server answers",
  document: "Discovery document",
  signature: "Signature",
  manifest: "Signed manifest",
  beacon: "Beacon",
  robots: "robots.txt",
  pages: "Pages",
};

const partNames: Readonly<Record<string, string>> = {
  signature: "Signature and proof",
  dnssec: "DNSSEC",
  age: "Time verified without a break",
  uptime: "Visits that succeeded",
  findings: "Free of findings",
  dark: "Free of dark patterns",
  affiliate: "Paid links are disclosed",
  trackers: "Free of trackers",
  ownership: "Says whose it is",
  honesty: "Pages bear out what it declares",
  declared: "Declared terms",
};

const fields: Readonly<Record<string, string>> = {
  words_in_name: "its name",
  words_in_domain: "its domain",
  words_in_tags: "its tags",
  words_in_tags_unconfirmed: "its tags, which its pages do not bear out",
  words_in_description: "its description",
  words_in_text: "its pages",
};

const rings = [
  "only its name is known",
  "publishes a document",
  "named in DNS",
  "signed and verified",
  "registered with proof",
] as const;

const access: Readonly<Record<string, string>> = {
  open: "Agents get a license at once, to read.",
  request: "Agents ask the owner, and wait for the answer.",
  none: "Agents need a license that the owner hands out.",
};
const accessShort: Readonly<Record<string, string>> = {
  open: "open to agents",
  request: "agents may ask",
  none: "by license only",
};

/** Entries of the operators' console. */
const consoleMenu = {
  overview: "Overview",
  hosts: "Hosts",
  reports: "Reports",
  blocks: "Blocks",
  appeals: "Appeals",
  letters: "Dead letters",
  plans: "Plans",
  audit: "Audit",
};

export const en = {
  language: "en",
  name: "Agent-Web Bridge",
  claim: "A registry of agent-ready websites that keeps itself true",
  skip: "Skip to the content",
  menu: {
    label: "Main",
    search: "Search",
    scan: "Scan",
    owners: "List a site",
    status: "Status",
    docs: "Docs",
    account: "Account",
    ...consoleMenu,
  },
  footer: {
    json: "This page as JSON",
    census: "Census",
    about: "About",
    docs: "Documentation",
    agents: "For agents",
    noCookies: "No trackers, and no cookie before you log in.",
  },
  demo: {
    title: "Demo registry",
    text: "All its sites are made up, and so is everything that they offer.",
    link: "How to crawl the real web",
    owners:
      "This demo registry reaches nothing but its own made-up web: it cannot read your domain. To list a real site, use a registry that crawls the real web, or start one:",
  },
  asTable: "As a table",
  format: {
    number: (n: number) => numbers().format(n),
    percent: (share: number) => `${numbers().format(100 * share)}%`,
    second: (iso: string) => `${seconds().format(new Date(iso))} UTC`,
    minute: (iso: string) => `${minutes().format(new Date(iso))} UTC`,
    /** @param ms negative: past */
    ago: (ms: number) => relative(ms),
    day: (iso: string) => days().format(new Date(iso)),
    price: (amount: number, currency: string) =>
      new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "code" }).format(amount),
    list: (words: readonly string[]) => lists().format(words),
    seconds: (ms: number) => count(ms / 1_000, "second", "seconds"),
  },
  states,
  reasons,
  access,
  accessShort,
  rings,
  ring: (ring: number) => `Ring ${ring}: ${rings[ring] ?? ""}`,
  search: {
    label: "A question, something to do, or a domain",
    placeholder: "vegan restaurant, book a table, shop.example …",
    button: "Search",
    filters: "Filters",
    category: "Category",
    anyCategory: "Every category",
    leastRing: "Minimum ring",
    anyRing: "Any listed site",
    access: "How agents get in",
    anyAccess: "Any way",
    leastNeutrality: "Minimum neutrality",
    anyNeutrality: "Any score",
    place: "Place (country, city, or lat,lon,km)",
    apply: "Apply",
    title: (q: string) => `${q} — search`,
    browse: "All listed sites",
    browseLead: "In turn: every hour another site comes first, so that none does for its name.",
    tools: "Tools that agents can call",
    services: "Services that agents can call",
    seen: "seen",
    lastSeen: "Last verified",
    beside: (n: number) => `${count(n, "tool or service", "tools and services")} that agents can call`,
    warned: "The firewall warns of these words.",
    withheld: "Its words are withheld: the firewall blocks them.",
    found: (n: number, isExact: boolean) => `${isExact ? "" : "At least "}${count(n, "site", "sites")}`,
    none: "No listed site fits.",
    fewerWords: "Try fewer or other words: the registry also finds sites that mean the same.",
    fewerFilters: "Take away a filter.",
    onlyListed: "Only sites whose claims were verified are listed here.",
    noneYet: "No site is listed yet.",
    noneYetHelp: "A site appears here as soon as a visit has verified it.",
    clear: "Search without filters",
    meant: "Did you mean",
    otherWays: "Another way on:",
    also: (words: readonly string[]) => `Also searched for: ${lists().format(words)}.`,
    preview: "Preview",
    previewOf: (domain: string) => `Preview of ${domain}`,
    close: "Close",
    own: "Names, and what has a line at its side, are what a site says of itself.",
    order: "Order of",
    next: "More results",
    first: "Back to the first page",
    why: "How the order is made",
    match: {
      domain: "Its domain is what was asked for.",
      name: "Its name is what was asked for.",
      none: "It fits the filters.",
      meaning: "It means much the same, without the words.",
    } as Readonly<Record<string, string>>,
    matches: (terms: readonly string[], found: readonly string[]) =>
      terms.length === 0
        ? "It fits what was asked for."
        : `Mentions ${lists().format(terms)} in ${lists().format(found.map((field) => fields[field] ?? field))}.`,
    relevance: (relevance: number) => `${Math.round(relevance * 100)} % of what was asked for`,
    factors: (ring: number, trust: number, fairness: number, rotation: number) =>
      `ring ${ring} counts ${percentOf(trust)}, conduct ${percentOf(fairness)}, its turn among equals this hour ${percentOf(rotation)}`,
    facets: { category: "By category", ring: "By ring", intent: "By what people come for" },
  },
  /** On the picture of links to the registry. */
  socialCard: ["who it is", "how it behaves", "what it offers"],
  home: {
    title: "Find what an agent can do, and whether it is true",
    lead: "A directory of sites that agents can use. Each was visited by the registry itself: who it is, how it treats its visitors, and what it offers.",
    doors: [
      [
        "/docs/quickstart-agents",
        "I build agents",
        "Search, ask for a license, act: by HTTP, MCP or an SDK.",
      ],
      ["/owners", "I own a site", "Have it listed: three minutes, no account, no terminal."],
      ["/search", "I look something up", "Browse every listed site, or type a domain above."],
      ["/ready", "Is a site ready?", "What works for agents there, and how to repair what does not."],
    ] as readonly (readonly [path: string, title: string, text: string])[],
    connect: "Or give your agent the registry as tools; in Claude Code, for one:",
    now: "The agent web now",
    listed: "sites listed",
    notListed: "hosts watched, and not listed",
    categories: "By category",
    tasks: "What can be done",
    newest: "Last seen",
    all: "The crawl, live",
    how: "How a site gets here",
    steps: [
      ["It says who it is.", "A TXT record in DNS holds its key; a signed document says what it offers."],
      [
        "The registry looks.",
        "It reads DNS, document and pages itself, and again within a day. Nobody is listed on their own word.",
      ],
      [
        "Everybody can check.",
        "Each listing shows its checks, its scores with their reasons, and proofs that need no trust in this registry.",
      ],
    ] as readonly (readonly [string, string])[],
  },
  site: {
    title: (domain: string) => `${domain} — verdict`,
    questions: {
      identity: "Is it who it says?",
      conduct: "How does it behave?",
      actions: "What can an agent do there?",
      look: "When did you look?",
    },
    conductWords: {
      clear: "Well",
      remarks: "With remarks",
      poor: "Badly",
      unknown: "Not known",
    },
    notRead: "Its pages are not read.",
    nothingOffered: "Nothing through this registry",
    whyNothing: "What it offers is shown once its claims are verified.",
    actionCount: (n: number, access: string) => `${count(n, "action", "actions")}, ${access}`,
    onPages: (n: number) => `on ${count(n, "page", "pages")}, one of them`,
    call: "How to call them",
    callNeeds: "With your agent's token, and a license that its account holds:",
    callHow: "how to get both",
    passed: (n: number, all: number) => `${n} of ${all} passed`,
    scores: "Scores",
    state: "State",
    from: "From",
    strip: (days: number) =>
      `The last ${days} days, today at the right: tall and green listed, half as tall partly verified, short and red not listed, a line not known.`,
    daysListed: (sound: number, known: number) =>
      `listed on ${sound} of ${count(known, "day", "days")} on record`,
    checks: "Checks",
    seenAt: "Seen",
    checkName: (name: string) => checkNames[name] ?? name,
    outcomes: {
      pass: "passed",
      warn: "passed with a remark",
      fail: "failed",
      skipped: "not looked at",
    } as Readonly<Record<string, string>>,
    fixes: (n: number) => `What to do: ${count(n, "thing", "things")}`,
    blockedFixes:
      "Nothing is read here while it is excluded. An owner who took the site off proves it again with an account; a decision of the operator can be appealed against.",
    noFixes: "Nothing: everything that the registry looks at is in order.",
    gains: (gains: string | number) =>
      gains === "listed"
        ? "gets it listed"
        : gains === "found"
          ? "gets it found"
          : `+${numbers().format(Number(gains))} points`,
    on: "On",
    trust: "Trust",
    trustLead: "How sure the registry is that the site is what it says.",
    neutrality: "Neutrality",
    neutralityLead: (pages: number) =>
      `How even-handed the site is towards its visitors, measured on ${count(pages, "page", "pages")}. The fewer pages, the closer to 50.`,
    neutralityWord: (score: number) => (score < 40 ? "Poor" : score < 60 ? "Middling" : "Good"),
    noPages: "Not known: no page was read",
    nothingVerified: "Nothing of it is verified",
    newHere: (ring: string) => `${ring}, and new here: points for its age come with time.`,
    of100: "of 100",
    outOf: (score: number) => `${numbers().format(score)} of 100`,
    part: "Part",
    points: "Points",
    partName: (name: string) => partNames[name] ?? name,
    pointsOf: (points: number, most: number) => `${numbers().format(points)} of ${numbers().format(most)}`,
    signed: (points: number) =>
      `${points > 0 ? "+" : points < 0 ? "−" : ""}${numbers().format(Math.abs(points))}`,
    evidence: "Seen on its pages",
    findings: "Known against its pages",
    severity: (severity: string) => severity,
    byReport: "reported, and confirmed",
    byCrawl: "found by the crawl",
    own: "In its own words",
    actions: "What can be done, and how to call it",
    noActions: "It declares none.",
    moreActions: (n: number) => `and ${n} more, in the JSON`,
    effects: { read: "reads", write: "changes something", purchase: "spends money" } as Readonly<
      Record<string, string>
    >,
    services: "What agents can call here",
    descriptors: "What it publishes for agents",
    faulty: (n: number, all: number) => `${n} of ${all} with something to mend`,
    servicesFound: (n: number) => `${count(n, "service answers", "services answer")}, whoever runs it`,
    foundText: "Nobody proved that the domain is theirs: what follows is what the registry saw itself.",
    documentsFound: (n: number) => `${count(n, "document", "documents")} for agents`,
    platform: (name: string) =>
      `Served by ${name}; what that puts on every one of its sites is not the owner's word.`,
    lists: (n: number) => (n === 1 ? "lists one item" : `lists ${n} items`),
    signedByOwnKey: "signed by a key of its domain",
    byPlatform: (name: string) => `put there by ${name}`,
    listedBy: (sources: string) => `Listed by ${sources}: a hint, never more.`,
    notSpokenTo: "not spoken to yet",
    warned: "may instruct its reader",
    withheld: "withheld: its text attacks who reads it",
    protocols: {
      mcp: "MCP",
      a2a: "A2A",
      http: "HTTP API",
      skill: "Skill",
      ucp: "UCP",
      acp: "ACP",
      x402: "x402",
      nlweb: "NLWeb",
      webmcp: "WebMCP",
      bridge: "Bridge",
    } satisfies Record<Protocol, string>,
    levels: {
      claimed: "others say so",
      published: "its host says so",
      answers: "answers as it says",
      signed: "signed by a key of its domain",
      verified: "verified",
    } satisfies Record<Level, string>,
    classes: {
      open: "open",
      auth: "asks for authorization",
      rate_limited: "let nobody in at that moment",
      not_protocol: "does not speak its protocol",
      html: "is a page for people",
      template_url: "its address is a pattern",
      dead: "gone",
      unknown: "not known",
    } satisfies Record<ObservedClass, string>,
    auths: { oauth: "OAuth", api_key: "API key", other: "another way" },
    documentAnswers: {
      absent: "no longer there",
      soft_404: "not there: the host answers any address alike",
      redirected: "leads elsewhere",
      auth: "asks for authorization",
      error: "could not be read",
      unknown: "not known",
    } satisfies Record<Exclude<Answer, "present">, string>,
    conformance: (conforms: boolean | null, usable: boolean) =>
      !usable
        ? "agents can not use it"
        : conforms === false
          ? "usable, and not as its specification says"
          : conforms === null
            ? "usable"
            : "as its specification says",
    access: "Getting in",
    license: "How agents ask for a license",
    prices: "Prices",
    pricesRead: "Read by the registry on the site's own pages. What a product is called is the site's word.",
    noPrices: "The registry has read no price on its pages.",
    product: "Product",
    course: "Over time",
    priceLine: (n: number, first: string, last: string, least: string) =>
      `${n} readings: first ${first}, now ${last}, lowest ${least}`,
    price: "Price",
    seen: "Read",
    pricesText: "History of a product, and whether a reduction is one, with an API key:",
    history: "History",
    noHistory: "No change of state is on record.",
    proofs: "Proofs",
    readyLink: "Ready for agents?",
    watch: "Tell me when this changes",
    proofsLink: "Look at the proofs",
    badge: "Badge",
    badgeText: "An image for the site itself, of what the registry says at the moment.",
    badgeCode: "HTML to embed it",
    badgeAlt: (domain: string, state: string) => `${domain} in the Bridge registry: ${state}`,
    visit: "Visit the site",
    recheck: "Check again",
    recheckAt: (time: string) => `At most once in five minutes; again from ${time}.`,
    since: "since",
    nextVisit: "Next visit",
    visitDue: "The next visit is due.",
    expires: "Signature valid until",
    never: "never",
    unknownTitle: "Never visited",
    unknownText: "Nobody told this registry of the name yet, or the visit is still to come.",
    unknownSteps: [
      "Have the registry look at it: it reads DNS, the document and a few pages, politely.",
      "If it is yours: publish a TXT record and a signed document. A page leads through it; the checks here then say what is missing.",
    ],
    report: "Have it visited",
    yours: "Is it yours?",
    listYours: "List it, step by step",
    renew: "Sign its document again",
  },
  proofs: {
    title: (domain: string) => `${domain} — proofs`,
    lead: "What shows, without trust in this registry, that the site is what it says. Programs check it with the SDK's verify().",
    dns: "DNS",
    dnsReasons: {
      signed: "Signed record sets lead from the root to the site's TXT record.",
      no_record: "There is no record.",
      dns_failed: "The name servers did not answer.",
      unsigned: "The zone has no signatures (DNSSEC), so that its record cannot be proved.",
      no_ds: "The zone is signed, but its parent does not vouch for it.",
      too_long: "The chain of records is too long.",
    } as Readonly<Record<string, string>>,
    record: "Record",
    sets: (n: number) => count(n, "signed record set", "signed record sets"),
    manifest: "Signed manifest",
    noManifest: "The document is not signed, or none is known.",
    payload: "Payload (JWS)",
    signature: "Signature",
    log: "Transparency log",
    leaf: (index: number) => `Its registration is entry ${numbers().format(index)} of the log.`,
    proof: (n: number) => `Inclusion proof of ${count(n, "hash", "hashes")}, for this checkpoint:`,
    noLeaf: "It never registered (ring 4), so that the log holds no entry of it. The newest checkpoint:",
    back: "Back to the verdict",
  },
  asked: {
    queuedTitle: "A visit is queued",
    queued: (domain: string) =>
      `The crawler visits ${domain} next; it waits some seconds between two requests to a site. The verdict then says what it found.`,
    waitTitle: "Not now",
    wait: (domain: string, time: string) =>
      `A visit of ${domain} is under way or was just made. It can be asked for again from ${time}.`,
    reportedTitles: {
      queued: "It is looked at next",
      visited: "It is known already",
      blocked: "It is left alone",
      not_taken: "Not now",
    },
    back: "To the verdict",
  },
  status: {
    title: "The crawl, live",
    lead: "What the registry is doing at the moment. It visits every site again within a day, one request at a time.",
    live: "Follows the crawl as it goes.",
    still: "As of",
    reload: "Load again",
    next: "next",
    hostCount: (n: number) => count(n, "host", "hosts"),
    hosts: (listed: number, all: number) =>
      `${numbers().format(listed)} of ${count(all, "host is", "hosts are")} listed`,
    visits: "Visits",
    due: "waiting for a visit",
    underWay: "being visited",
    resting: "visited, and not due yet",
    agentWeb: (looks: number, found: number) =>
      `The agent web today: ${count(looks, "host", "hosts")} looked at, agents can use something at ${numbers().format(found)}`,
    services: (n: number) =>
      `${count(n, "service", "services")} that agents can call, by protocol and by how far it is true:`,
    probes: (n: number) => `${count(n, "endpoint was", "endpoints were")} spoken to`,
    protocol: "Protocol",
    control: "How often looks err at hosts of which it is known what is there:",
    wrong: (group: string, wrong: number, looks: number) =>
      `${group} ${numbers().format(wrong)} of ${numbers().format(looks)}`,
    controlGroups: {
      alive: "services that are alive",
      soft_404: "hosts that answer any address alike",
      broken: "services that are broken",
    } satisfies Record<ControlGroup, string>,
    imports: "Entries read of others' lists:",
    importOutcomes: {
      new: "new",
      known: "known",
      changed: "changed",
      deleted: "deleted",
      older: "older than what is known",
      refused: "refused",
    } satisfies Record<ImportOutcome, string>,
    log: (entries: number) => `The transparency log: ${count(entries, "entry", "entries")}`,
    noWitnesses: "No witnesses are asked to cosign it.",
    cosigned: (name: string, entries: number) => `${name} cosigned ${count(entries, "entry", "entries")}`,
    noCosignature: (name: string) => `${name} cosigned nothing yet`,
    whyNot: "Why is a site not listed? Its page says what the last visit found, and what to do:",
    thisHour: (visits: number, listed: number, found: number, endpoints: number) =>
      `In this hour ${count(visits, "visit", "visits")}: ${numbers().format(listed)} verified a site, ${numbers().format(found)} found something for agents that nobody claims, the others neither. ${count(endpoints, "endpoint was", "endpoints were")} spoken to.`,
    byHour: "Visits of today by hour (UTC)",
    hour: "Hour (UTC)",
    verified: "verified a site",
    found: "found something that nobody claims",
    notListed: "listed nothing",
    endpoints: "endpoints spoken to",
    reasons: "Why visits of today listed nothing",
    reason: "Reason",
    otherReasons: (n: number) => `and ${count(n, "visit", "visits")} for other reasons`,
    ask: "Look it up",
    none: "No visit of a verified site is on record yet.",
    recent: "Newest visits",
    recentNote: "Only sites that were verified once are named: anybody can report a name.",
    asEvents: "The same as server-sent events",
  },
  census,
  ready,
  about: {
    title: "About this registry",
    lead: "By what rules it crawls, ranks and lists, and whom to reach.",
    ranking: "How results are ranked",
    rankingText:
      "An exact domain or name comes first. Then relevance of the text counts, by words and by meaning, times three factors in steps of one hundredth; a site with critical findings comes behind all others that fit. Nobody can pay for a place, and the first result of every owner comes before anyone's second.",
    factor: "Factor",
    range: "Range",
    factors: {
      trust: "Trust, by ring",
      fairness: "Conduct: neutrality, and what is known against a site",
      rotation: "Turn of the hour: equal results take turns",
    } as Readonly<Record<string, string>>,
    rangeOf: (least: number, most: number) => `${percentOf(least)} to ${percentOf(most)}`,
    scores: "How sites are scored",
    trustScore: "Trust score",
    neutralityScore: "Neutrality score",
    upTo: "At most",
    crawler: "The crawler",
    crawlerText: (delay: string, pages: number) =>
      `It asks one thing at a time and waits ${delay} between two requests to a host. A visit reads the TXT record, the document, robots.txt and up to ${count(pages, "page", "pages")}. Retry-After and Crawl-delay are obeyed.`,
    userAgent: "User-Agent",
    signed: (directory: string) =>
      `Anyone can send this User-Agent. Our requests are signed by Web Bot Auth (RFC 9421, Ed25519): check that Signature-Input has tag="web-bot-auth" and covers @authority and signature-agent, that Signature-Agent names this registry, and that a key of ${directory} verifies the signature. A signature holds for one minute and one host; what fails is not from us.`,
    unsigned:
      "This registry has no public address with HTTPS: sites on the Internet cannot verify its requests, which are not signed.",
    robots: "To keep it off your pages, name it in robots.txt:",
    takedown: "Leaving, and taking down",
    takedownText: [
      "To leave the directory, remove the TXT record at _bridge of your domain, or publish it with an empty pk=. The next visit delists the site.",
      "With an account that proved the domain, DELETE /api/account/sites/{siteId}?unlist=true takes it off at once.",
      "Reports of phishing, malware or deception go to the bounty network (POST /api/v1/bounty/report); a confirmed one is shown on the verdict.",
      "A decision against your site is wrong? Its verdict's page leads to an appeal, for the account that proved the domain.",
      "Anything else, personal data and legal requests included: write to the operator.",
    ],
    contact: "Contact",
    noContact: "The operator of this registry has named no address.",
    data: "What it keeps of visitors",
    dataText:
      "These pages load nothing from elsewhere, and set no cookie before you log in; the one that they set then holds the log-in, for a day.",
  },
  account,
  docs,
  scan,
  console: consoleTexts,
  links: {
    brokenTitle: "This link is not whole",
    broken: "A part of it is missing: open it from the mail again, or copy all of it.",
    emailTitle: "Confirm your address",
    email: "One press, and the registry knows that mail to this address reaches you.",
    emailButton: "Confirm",
    provedTitle: "Address confirmed",
    proved: "Mail of this registry reaches you at",
    forgottenTitle: "Forgotten your password?",
    noMail: "This registry sends no mail, and so no link either.",
    withoutMail: [
      "If you added a passkey, log in with it: it needs no password.",
      "Else open an account with another address, and prove your sites there: they move to it.",
    ] as readonly string[],
    forgotten: "A link with which you choose a new one is mailed to the address of your account.",
    address: "E-mail address",
    forgottenButton: "Mail the link",
    sentTitle: "Look into your mail",
    sent: "If there is an account with this address, a link is on its way to it. It holds for an hour.",
    passwordTitle: "Choose a new password",
    password: "Whoever is logged in with the old one is logged out.",
    newPassword: "New password",
    rule: "At least 8 characters. Several words are good.",
    passwordButton: "Save",
    setTitle: "Password changed",
    set: "Log in with it from now on, as",
  },
  owners: {
    foundAlready: (services: number, documents: number) =>
      `Found here already: ${count(services, "service", "services")} and ${count(documents, "document", "documents")} for agents. They stay as they are; what you publish now says that they are yours.`,
    foundWhat: "What was seen",
    title: "List your site",
    lead: "Type your domain. The registry reads your front page, drafts what agents should know, and shows you what to publish. Three minutes, no account, no terminal.",
    domain: "Your domain",
    begin: "Begin",
    how: "What you need",
    howSteps: [
      ["Your domain's DNS settings.", "You add one TXT record, where your domain is registered or hosted."],
      ["A place for one file.", "At /.well-known/bridge.json of your web site."],
      [
        "A safe place for a key.",
        "Your browser makes it and saves it to your disk. It is never sent: neither to this registry nor to anybody.",
      ],
    ] as readonly (readonly [string, string])[],
    terminal: "With a terminal, bridge init does the same.",
    stepsLabel: "Steps",
    steps: ["What your site offers", "Key and TXT record", "Signed file", "Verdict"],
    draftTitle: (domain: string) => `What ${domain} offers`,
    draftLead: "This is what your front page says already. Correct it, and say what only you can say.",
    unread: {
      disallowed: "Your robots.txt keeps the registry off your front page, so nothing is filled in here.",
      unreachable:
        "Your front page did not answer just now. Fill in what agents should know, or try again later.",
      no_page: "There is no page to read at this name. Fill in what agents should know.",
      left_alone:
        "The registry does not read this site at the moment. You can fill in the form all the same.",
    } as Readonly<Record<string, string>>,
    sources: {
      json_ld: "JSON-LD (schema.org)",
      open_graph: "Open Graph",
      meta: "metadata",
      title: "title",
      link: "links",
      forms: "forms",
    } as Readonly<Record<string, string>>,
    from: (source: string) => `From your page's ${source}.`,
    notSaid: "Your page does not say.",
    business: "Your business",
    name: "Name",
    description: "What you offer",
    category: "Trade",
    categoryHint: "In a word: restaurant, retail, hotel …",
    tags: "What visitors come to do",
    tagsHint: "Separated by commas: book a table, buy tea …",
    city: "City",
    country: "Country",
    owner: "Company or person behind it",
    email: "E-mail for visitors",
    phone: "Phone",
    actions: "What agents can do",
    actionsHint:
      "Forms of your front page. Agents are told of those that you tick, and may fill in and send them for the people they work for.",
    noActions: "Your front page has no form. Agents can still read and follow links.",
    fillForms: "Agents may fill in and send forms of this site for the people they work for.",
    listed: (domain: string) => `${domain} is listed already.`,
    listedAnew: "Go on below to publish another document in place of the one that is there.",
    renewLink: "Sign it again",
    refused: "Something has to be corrected. What you typed is kept.",
    declare: "What only you can say",
    declareHint:
      "Both are checked against your pages. A false statement costs more points than an honest one.",
    independent: "Does another company decide what you recommend or sell?",
    independentYes: "No, we are independent.",
    independentNo: "Yes, or partly.",
    commission: "Commission in percent",
    commissionHint: "What somebody gets of a price for sending visitors on. 0 if nobody gets any.",
    elsewhere: "My web site is at another address, such as www",
    endpoint: "Address of the web site that will have the file",
    endpointHint: (domain: string) => `https://${domain} if left empty; else a name below it.`,
    toKey: "Continue to the key",
    publishTitle: (domain: string) => `Publish ${domain}`,
    publishLead: "Three things, in this order: a key, a TXT record with its public half, and a signed file.",
    noScriptTitle: "Signing takes a little script",
    noScript:
      "Your browser runs no script here, so that it cannot make a key. Save the document below as document.json, and sign it with a terminal:",
    key: "Your key",
    keyLead:
      "Your browser makes the key now and saves it as a file. Keep that file: with it you sign again within a year and whenever you change something. Whoever has it can speak for your site.",
    make: "Make my key",
    haveKeyTitle: "I have a key already",
    haveKey: "Key file (.pem)",
    keyFile: "Your key file (.pem)",
    saveAgain: "Save the key file again",
    record: "TXT record",
    recordLead: "Add this record to your domain's DNS settings. It says that the key is yours.",
    recordType: "Type",
    recordName: "Name",
    recordValue: "Value",
    recordTtl: "TTL",
    recordShort: (name: string, domain: string) =>
      `Many DNS pages add the domain by themselves: type ${name.slice(0, -domain.length - 1)} there, or as much as stands before the part that is shown.`,
    copy: "Copy",
    lookAgain: "Look again",
    file: "Signed file",
    fileLead: "Your browser has signed the document with your key.",
    download: "Download bridge.json",
    place: "Put it on your web site, so that it answers at",
    placeHint:
      "Over HTTPS and without redirects. In a shop's file manager: a folder .well-known beside the start page, and the file in it.",
    kitsLink:
      "How to do it with WordPress, Webflow, Ghost, nginx, Apache, IIS, Vercel or Netlify, and what to do with Shopify, Wix, Squarespace or Jimdo",
    verdict: "Verdict",
    verdictLead:
      "When record and file are in place, the registry looks at both, and lists the site when they hold.",
    check: "Check my site",
    document: "The document, to read or correct",
    documentHint: "What you change here is signed anew.",
    renewTitle: (domain: string) => `Sign again for ${domain}`,
    renewLead:
      "This is your document as the last visit read it. Choose your key file; your browser signs it for another year.",
    renewKeyLead: "The file stays on your machine: it is read by this page, and not sent.",
    nothingSigned: "The registry knows no signed document of this site.",
    dnsTitle: (domain: string) => `DNS of ${domain}`,
    dnsLink: "What DNS says now",
    dnsStates: {
      valid: "The record is published.",
      missing: "There is no record yet.",
      faulty: "There is a record, and it cannot be used.",
      unknown: "DNS gave no answer.",
    } as Readonly<Record<string, string>>,
    keyIds: "Key ids",
    nameServers: "Name servers",
    asked: (time: string) => `Asked ${time}.`,
    found: {
      sound: [
        (domain: string) => `${domain} is in order`,
        "Record, file and signature hold. The crawl visits the site next, and lists it with that visit: within a minute or two.",
      ],
      broken: [
        (domain: string) => `${domain} has a fault`,
        "It is listed still, by an earlier visit. Mend what is marked below: the next visit goes by what it finds.",
      ],
      notYet: [(domain: string) => `${domain} is not there yet`, "This is what the registry found."],
    } as const,
    asOf: "As of",
    looksAgain: "Check again after a change: a host is asked at most once in some seconds.",
    toVerdict: "To the verdict",
    remind: "The registry mails you before the signature runs out, if the site is one of your account:",
    remindLink: "Add it to your account",
    outcomes: {
      pass: "passed",
      warn: "passed with a remark",
      fail: "failed",
      unknown: "not looked at",
    } as Readonly<Record<string, string>>,
    checkNames: {
      txt: "TXT record in DNS",
      dnssec: "DNSSEC",
      manifest: "Document",
      signature: "Signature",
      agent_ready: "Ready for agents",
    } as Readonly<Record<string, string>>,
    /** What the page's script says; {} stands for a name or a time. */
    live: {
      made: "Your key is saved as {}. Keep it, and put it on no web site: the file for your site comes below.",
      read: "The key is read. It stays on your machine.",
      badFile: "This is no key file of this page or of bridge keygen.",
      noKeys: "This browser cannot make such keys (Ed25519). A current Firefox, Chrome, Edge or Safari can.",
      looking: "Looking at DNS …",
      provider: "Your name servers are run by {}: look for DNS settings there.",
      providerHelp: "Its instructions",
      connect: "{} publishes the record for you: you log in there, see it, and agree. This page notices.",
      connectGo: "Publish at {}",
      connectTo: "Opens {} in a new tab. The record, if you add it by hand:",
      published: "DNS has your record. Go on.",
      missing: "DNS has no record yet. This page looks again every few seconds.",
      otherKey:
        "DNS has a record with another key. Replace its value, or choose the key file that belongs to it.",
      otherEndpoint: "DNS has your key with another address ({}). Replace the value.",
      faulty: "DNS has a record that cannot be used.",
      unknown: "DNS gave no answer. This page looks again.",
      valid: "Signed. It holds until {}.",
      badDocument: "What stands in the document is no JSON.",
      copied: "Copied",
    },
  },
  appeals: {
    states: {
      open: "The owner appealed against a decision; an operator looks at it again.",
      upheld: "The owner appealed against a decision; it stands.",
      lifted: "The owner appealed against a decision; it was lifted.",
    } as Readonly<Record<string, string>>,
    operator: "The operator:",
    yours: "Your site, and the decision is wrong?",
    link: "Appeal against it",
    title: (domain: string) => `Appeal for ${domain}`,
  },
  connect: {
    title: (domain: string) => `Records of ${domain}`,
    lead: (provider: string) =>
      `${provider} publishes these records for you: you log in there, see them, and agree. Nothing is typed.`,
    go: (provider: string) => `Publish at ${provider}`,
    leadsTo: "The button leads to",
    warning: (domain: string) =>
      `Agree only if you began this yourself: whoever has the private half of this key can speak for ${domain}.`,
    records: "What is published",
    byHand: "Add this to your DNS settings by hand",
    not: "Your DNS provider does not publish the records for you.",
    states: {
      dns_failed: "DNS does not answer now. Load this page again in a minute.",
      provider_unanswered: "Your DNS provider does not answer now. Load this page again in a minute.",
      no_signing_key: "This registry does not have records published for you.",
    } as Readonly<Record<string, string>>,
  },
  notices: {
    title: "News of your sites",
    lead: "The registry looks at your sites once an hour, and tells you when there is news of them: by mail.",
    what: [
      "A signature runs out: ten, three and one days before.",
      "A site is not verified any more, or leaves the directory, and why.",
      "A site is signed by another key.",
      "Agents ask for access to a site.",
      "An operator takes a site down, and an appeal of yours is decided.",
    ] as readonly string[],
    wanted: "Write to",
    save: "Save",
    done: {
      saved: "Saved.",
    } as Readonly<Record<string, string>>,
    byMail: "By mail",
    settings: "Which there are, and whether you want them",
    noMail: "This registry sends no mail: its operator has set up no mail server.",
    unproved: "Nothing is sent until you confirm the address, by the link in the mail to",
    stopTitle: "No more mails about sites?",
    stopLead: "You are not warned any more when a signature runs out or a site leaves the directory.",
    stop: "No more mails",
    stoppedTitle: "No more mails about sites",
    stopped: "The registry does not write about sites any more to",
    again: "Change your mind in the account",
  },
  failure: {
    title: (status: number) => `Error ${status}`,
    notFound: "There is no page at this address.",
    reference: "Reference of this error",
    requestId: "Request",
    home: "Search the registry",
    again: "Start the search again",
    retry: (seconds: number) => `Try again in ${count(seconds, "second", "seconds")}.`,
  },
};

/** Made with the first page: formats take megabytes of a process that may never show one. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** "2 minutes ago", "in 3 hours": in the largest unit of which one has passed. */
function relative(ms: number): string {
  const unit = UNITS.find(([, length]) => Math.abs(ms) >= length);
  return unit === undefined
    ? "just now"
    : relatives()
        .format(Math.trunc(ms / unit[1]), unit[0])
        .replace(".", "");
}

/** A factor as what it adds or takes: 1.03 is "+3 %". */
function percentOf(factor: number): string {
  const percent = Math.round((factor - 1) * 1_000) / 10;
  return `${percent < 0 ? "−" : percent > 0 ? "+" : "±"}${numbers().format(Math.abs(percent))} %`;
}
