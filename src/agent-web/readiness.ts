/**
 * How useful a site is to agents, format by format: read from its verdict alone, so that no two doors disagree. What answered is told
 * from what is only described, and what an agent gains from what only scanners count. Nothing counts for being there. Pure.
 */
import type { AgentService, Descriptor, ObservedClass, Protocol } from "../../schemas/agent-web.ts";
import { MAX_READY_ITEMS, type ReadyItem, type SiteReadiness } from "../../schemas/readiness.ts";
import type { VisitReason } from "../../schemas/site.ts";
import type { SiteVerdict } from "../../schemas/verdict.ts";
import { JSON_LD, TEMPLATE_TRANSPORT } from "./formats/json-ld.ts";
import { isAnswering } from "./presence.ts";

type Group = "works" | "broken" | "only_present" | "not_known";
type Placed = ReadyItem & { group: Group };
type Readiness = SiteReadiness["readiness"];

const GROUPS: readonly Group[] = ["works", "broken", "only_present", "not_known"];
const MAX_HISTORY = 20;
const WHATS: readonly ReadyItem["what"][] = ["site", "service", "document"];
/** Reasons for which nothing was read of a site. */
const NOT_READ: ReadonlySet<string> = new Set<VisitReason>([
  "dns_failed",
  "dns_bogus",
  "unreachable",
  "address_refused",
  "quarantined",
]);

/** What an endpoint that failed is, and what its owner does. */
const FAILED: Readonly<Partial<Record<ObservedClass, { says: string; do: string }>>> = {
  dead: {
    says: "Nothing is there: three tries over two days or more, or no such name in DNS.",
    do: "Bring the endpoint back, or take it out of what describes it.",
  },
  html: {
    says: "A page for people answers here.",
    do: "Name the address that speaks the protocol, not its documentation.",
  },
  not_protocol: {
    says: "It answers, and not by its protocol.",
    do: "Answer server/discover, or initialize, as MCP says; or correct the address.",
  },
  template_url: {
    says: "Its address has placeholders, which no agent can fill in.",
    do: "Publish the address as it is called.",
  },
};

/** What is described and not spoken to. */
const UNTRIED: Readonly<Partial<Record<Protocol, string>>> = {
  mcp: "Its host describes it, and it was not spoken to yet.",
  skill: "Its host lists it; the file itself was not read.",
  http: "Its host describes it; its operations are not called.",
};

const IDLE_METADATA = "It says how to be let in, and no service that was found here asks for it.";
/** Documents that help with something else, and say nothing that an agent could do by themselves. */
const SUPPORTING: Readonly<Record<string, string>> = {
  "oauth-protected-resource": IDLE_METADATA,
  "oauth-authorization-server": IDLE_METADATA,
  "mcp-registry-key": "It proves to the MCP Registry whose domain this is: agents call nothing there.",
  "oasf-key": "It proves to a directory who signs records of this domain: agents call nothing there.",
  "ans-badge": "It names an entry in a transparency log: agents call nothing there.",
  "signature-directory": "It is for bots that this site sends out: agents that visit it gain nothing.",
};

export function readinessOf(verdict: SiteVerdict): SiteReadiness {
  const { domain, state, presence_seen_at, last_visit_at } = verdict;
  const placed = state === "blocked" ? [] : placedItems(verdict);
  const all = Object.fromEntries(GROUPS.map((group) => [group, itemsOf(placed, group)])) as Record<
    Group,
    ReadyItem[]
  >;
  const shown = Object.fromEntries(
    GROUPS.map((group) => [group, all[group].slice(0, MAX_READY_ITEMS)]),
  ) as typeof all;
  const readiness = readinessIn(verdict, all);
  return {
    domain,
    state,
    readiness,
    headline: headlineOf(readiness, verdict, all),
    ...shown,
    left_out: GROUPS.reduce((sum, group) => sum + all[group].length - shown[group].length, 0),
    history: historyOf(verdict),
    seen_at: presence_seen_at ?? last_visit_at,
  };
}

function placedItems(verdict: SiteVerdict): Placed[] {
  const own = ownFormat(verdict);
  return [
    ...(own ? [own] : []),
    ...verdict.services.map(serviceItem),
    ...verdict.descriptors.map((each) => documentItem(each, verdict)),
  ];
}

/** What can be called before what can be read, what is sound before what has faults, what does more before what does less. */
const itemsOf = (placed: readonly Placed[], wanted: Group): ReadyItem[] =>
  placed
    .filter(({ group }) => group === wanted)
    .map(({ group: _, ...item }) => item)
    .sort(
      (one, other) =>
        WHATS.indexOf(one.what) - WHATS.indexOf(other.what) ||
        one.fixes.length - other.fixes.length ||
        other.tools - one.tools,
    );

const historyOf = ({ history, descriptors }: SiteVerdict): SiteReadiness["history"] =>
  [
    ...history.map(({ at, state }) => ({ at, event: "state" as const, of: state })),
    ...descriptors.flatMap(({ format, url, first_seen_at, changed_at }) => [
      { at: first_seen_at, event: "first_seen" as const, of: `${format} ${url}` },
      ...(changed_at > first_seen_at
        ? [{ at: changed_at, event: "changed" as const, of: `${format} ${url}` }]
        : []),
    ]),
  ]
    .sort((one, other) => (one.at < other.at ? 1 : -1))
    .slice(0, MAX_HISTORY);

/** Our own format: what a verified owner licenses; or what is left of it. */
function ownFormat(verdict: SiteVerdict): Placed | undefined {
  const { domain, state, listed, declared, fixes, last_visit_at } = verdict;
  const isWrong = state === "partial" || state === "stale";
  if (!listed && !isWrong) return undefined;
  const actions = declared?.actions.length ?? 0;
  const toDo = fixes.filter(({ of }) => of === "listing");
  return {
    group: listed ? "works" : "broken",
    what: "site",
    kind: "bridge",
    address: declared?.discovery_url ?? `https://${domain}/.well-known/bridge.json`,
    name: "",
    screened: "clear",
    says: listed
      ? `Its identity is verified, and it declares ${counted(actions, "action")} that its owner licenses.`
      : "Its document of this registry's own format does not hold.",
    by: "owner",
    tools: actions,
    fixes: listed ? [] : toDo.map((fix) => ({ place: "", do: fix.do })),
    seen_at: last_visit_at,
  };
}

function serviceItem(service: AgentService): Placed {
  const { protocol, endpoint, name, screened, tools, observation, auth, described_by } = service;
  const item = {
    what: "service" as const,
    kind: protocol,
    address: endpoint,
    name,
    screened,
    by: "owner",
    tools: observation?.tools ?? tools.length,
    fixes: [],
    seen_at: observation?.seen_at ?? null,
  };
  if (service.transports.includes(TEMPLATE_TRANSPORT))
    return { ...item, group: "not_known", says: "An agent fills in its address; it is not called." };
  const failed = observation && FAILED[observation.class];
  if (failed) return { ...item, group: "broken", says: failed.says, fixes: [{ place: "", do: failed.do }] };
  if (observation?.class === "open")
    return {
      ...item,
      group: "works",
      says:
        item.tools > 0
          ? `It answers agents, with ${counted(item.tools, "tool")}.`
          : "It answers agents, and lists no tool.",
      fixes:
        item.tools > 0
          ? []
          : [
              {
                place: "",
                do: "List its tools to who has no credential yet, or say in its card what it is for.",
              },
            ],
    };
  if (observation?.class === "auth") return { ...item, group: "works", ...letIn(auth, observation.detail) };
  const why = observation
    ? "It let nobody in, or nothing can be concluded: it is tried again."
    : described_by.length > 0
      ? (UNTRIED[protocol] ??
        "Its host describes it; it is not spoken to, so that nothing shows whether it works.")
      : "Another list names it, and its host does not.";
  return { ...item, group: "not_known", says: why };
}

/** A service that asks for authorization: whether an agent can find out how it is let in. */
function letIn(auth: AgentService["auth"], detail: string): Pick<ReadyItem, "says" | "fixes"> {
  const isTold = detail.includes("RFC 9728") || auth === "oauth" || auth === "api_key";
  return isTold
    ? { says: "It answers, and says how an agent gets authorized.", fixes: [] }
    : {
        says: "It answers, and asks for authorization without a word on how an agent gets it.",
        fixes: [
          {
            place: "",
            do: "Name OAuth protected resource metadata (RFC 9728) in WWW-Authenticate, or say in its card how it is let in.",
          },
        ],
      };
}

function documentItem(descriptor: Descriptor, verdict: SiteVerdict): Placed {
  const { format, url, answer, usable, findings, by, seen_at } = descriptor;
  const item = {
    what: "document" as const,
    kind: format,
    address: url,
    name: "",
    screened: "clear" as const,
    by,
    tools: 0,
    fixes: findings.map(({ place, fix }) => ({ place, do: fix })),
    seen_at,
  };
  if (answer !== "present") {
    const says =
      answer === "auth"
        ? "Who reads it has to be authorized first."
        : "What is there cannot be read as this format.";
    const fix =
      answer === "auth"
        ? "Serve it to everybody: it is what agents read first."
        : "Serve the document, or answer 404.";
    return {
      ...item,
      group: answer === "unknown" ? "not_known" : "broken",
      says,
      fixes: [{ place: "", do: fix }],
    };
  }
  // Metadata names a service of its host, which may be there and was not found.
  if (SUPPORTING[format] === IDLE_METADATA && verdict.services.length === 0)
    return { ...item, group: "not_known", says: "It says how to be let in to a service that was not found." };
  const idle = onlyPresent(descriptor, verdict);
  if (idle !== undefined) return { ...item, group: "only_present", says: idle };
  if (!usable) return { ...item, group: "broken", says: "Agents cannot read from it what they need." };
  const whose = by === "owner" ? "" : " Its platform writes it.";
  return {
    ...item,
    group: "works",
    says: `Agents can read it${findings.length > 0 ? `, with ${counted(findings.length, "fault")}` : ""}.${whose}`,
  };
}

/** Why no agent gains anything from a document, however correct it is; undefined: one may. */
function onlyPresent(
  { format, url, usable, conforms, findings }: Descriptor,
  { services }: SiteVerdict,
): string | undefined {
  if (findings.some(({ rule }) => rule === "legacy")) return "Agents of today read other formats.";
  const supported = SUPPORTING[format];
  if (supported !== undefined && (supported !== IDLE_METADATA || !services.some(mayAsk))) return supported;
  if (format === JSON_LD && !usable)
    return "It names only addresses that are filled in first, as forms for people have them.";
  // What a format says is missing altogether is no fault of what is there.
  const isEmpty = conforms !== false && findings.every(({ rule }) => rule.startsWith("no_"));
  if (!usable) return isEmpty ? "It is well-formed and empty: nothing in it can be used." : undefined;
  const described = services.filter(({ described_by }) => described_by.includes(url));
  return described.length > 0 && described.every(hasFailed)
    ? "It describes only what no agent can call."
    : undefined;
}

const hasFailed = ({ observation, transports }: AgentService): boolean =>
  observation !== null && FAILED[observation.class] !== undefined && !transports.includes(TEMPLATE_TRANSPORT);

/** Whether a service may ask for authorization: one that was not spoken to, and does not say that it asks for none, may. */
const mayAsk = (service: AgentService): boolean =>
  service.auth !== "none" && service.observation?.class !== "open" && !hasFailed(service);

function readinessIn(
  { state, reason, listed, services, presence_seen_at }: SiteVerdict,
  { works, broken, only_present, not_known }: Record<Group, ReadyItem[]>,
): Readiness {
  if (state === "blocked") return "blocked";
  if (listed || services.some(isAnswering)) return "usable";
  if (works.length > 0) return "readable";
  if (broken.length > 0) return "broken";
  if (only_present.length > 0) return "present";
  const isUnseen = presence_seen_at === null && (state === "unknown" || NOT_READ.has(reason));
  return isUnseen && not_known.length === 0 ? "unknown" : "nothing";
}

/** In one plain sentence, what matters most first. */
function headlineOf(
  readiness: Readiness,
  { headline, reason, state, services }: SiteVerdict,
  { works, broken, not_known }: Record<Group, ReadyItem[]>,
): string {
  const [isBroken, unknown] = [faultsIn(broken), unknownIn(not_known)];
  if (readiness === "usable") return `Agents can use it${waysIn(services)}.${isBroken}`;
  if (readiness === "readable")
    return `Agents can read ${counted(works.length, "document")} of it; nothing that they could call has answered.${isBroken}${unknown}`;
  if (readiness === "broken") return `Agents can use nothing here.${isBroken}${unknown}`;
  if (readiness === "present")
    return `Agents can use nothing here: what it publishes serves none of them.${unknown}`;
  if (readiness === "nothing")
    return unknown === ""
      ? "Nothing was found here for agents: what it names and the likeliest addresses are looked at."
      : `Nothing here is known to work for agents.${unknown}`;
  if (readiness === "blocked") return headline;
  return state === "unknown"
    ? "This registry has not looked at it yet."
    : `It could not be looked at (${reason}).`;
}

function waysIn(services: SiteVerdict["services"]): string {
  const answering = services.filter(isAnswering);
  if (answering.length === 0) return ", as its owner licenses them";
  const closed = answering.filter(({ observation }) => observation?.class === "auth").length;
  const after = closed > 0 ? `, ${closed === answering.length ? "all" : closed} after authorization` : "";
  return `: ${counted(answering.length, "service")} ${answering.length === 1 ? "answers" : "answer"}${after}`;
}

const faultsIn = ({ length }: readonly ReadyItem[]): string =>
  length === 0 ? "" : ` ${counted(length, "thing")} that it publishes ${length === 1 ? "is" : "are"} broken.`;

const unknownIn = ({ length }: readonly ReadyItem[]): string =>
  length === 0
    ? ""
    : ` Of ${counted(length, "thing")} that ${length === 1 ? "is" : "are"} described, it is not known whether ${length === 1 ? "it works" : "they work"}.`;

const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? "" : "s"}`;
