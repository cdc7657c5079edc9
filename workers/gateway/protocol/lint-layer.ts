/** Second layer: what a schema cannot say. The members agree with each other, with the domain and with the time. */

import { domainToASCII } from "node:url";
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import { isSameSite, parseHost, registrableDomain } from "../../../src/domain/names/domain-name.ts";
import { CLOCK_SKEW_MS } from "../../../src/domain/trust/manifest.ts";
import { DAY_MS, iso } from "../../../src/ports/time.ts";
import {
  type Diagnosis,
  errorAt,
  type PatchOperation,
  type Path,
  pointerOf,
  replacing,
  warningAt,
} from "./diagnostics.ts";
import { hiddenTextFaults } from "./hidden-text.ts";

export interface LintContext {
  now: number;
  /** Canonical host that was asked for, where there is one. */
  domain: string | undefined;
}

/** A document older than this was forgotten rather than settled. */
const OLD_DAYS = 365;
const FRESH_DAYS = 30;

interface Address {
  path: Path;
  text: string;
}

const DISCOVERY_PATHS = ["/.well-known/bridge.json", "/agent-bridge.json"];

/** The permission that a command needs; a command that is not here needs none that is known. */
const NEEDS: Readonly<Record<string, string>> = {
  read: "readContent",
  click: "click",
  fill: "fillForms",
  submit: "fillForms",
  select: "fillForms",
  scroll: "scroll",
  navigate: "navigate",
  back: "navigate",
  extract: "extractData",
  login: "automatedLogin",
  api: "apiAccess",
};

/** Faults of a document that its schema accepts. Hidden text first: what it disturbs is not said twice. */
export function lintFaults(document: DiscoveryDocument, context: LintContext): Diagnosis[] {
  const hidden = hiddenTextFaults(document);
  const { faults: ofDomain, host } = domainFaults(document, context);
  const rest = [
    ...ofDomain,
    ...addressFaults(document, host),
    ...permissionFaults(document),
    ...timeFaults(document, context),
    ...tagFaults(document),
    ...versionFaults(document),
    ...claimFaults(document),
  ];
  const told = new Set(hidden.map(({ pointer }) => pointer));
  return [...hidden, ...rest.filter(({ pointer }) => !told.has(pointer))];
}

/** The domain's faults, and the host that the rest is measured by. */
function domainFaults(
  document: DiscoveryDocument,
  { domain }: LintContext,
): { faults: Diagnosis[]; host: string | undefined } {
  const path: Path = ["provider", "domain"];
  const written = document.provider.domain;
  const host = canonical(written);
  const votes = new Map<string, number>();
  for (const { text } of addressesOf(document)) {
    const one = hostIn(text);
    if (one) votes.set(registrableDomain(one), (votes.get(registrableDomain(one)) ?? 0) + 1);
  }
  const [most, count = 0] = [...votes].sort((a, b) => b[1] - a[1])[0] ?? [];
  const mend = domain ?? hostIn(written) ?? most;
  const fix = mend === undefined ? null : replacing(path, mend);
  if (!host)
    return {
      host: mend,
      faults: [
        errorAt(
          "lint.domain_form",
          pointerOf(path),
          `${JSON.stringify(written)} is no public host name.`,
          fix,
        ),
      ],
    };
  if (domain !== undefined && host !== domain)
    return {
      host: domain,
      faults: [
        errorAt("lint.domain_mismatch", pointerOf(path), `The document is ${host}'s, not ${domain}'s.`, fix),
      ],
    };
  // One odd address is the address's fault; a domain that no address agrees with is the domain's.
  if (domain === undefined && most !== undefined && count > 1 && !votes.has(registrableDomain(host)))
    return {
      host: most,
      faults: [
        errorAt(
          "lint.domain_mismatch",
          pointerOf(path),
          `The document is ${host}'s, but its addresses are ${most}'s.`,
          replacing(path, most),
        ),
      ],
    };
  const faults =
    written === host
      ? []
      : [
          warningAt(
            "lint.domain_form",
            pointerOf(path),
            `Write the canonical form, ${host}.`,
            replacing(path, host),
          ),
        ];
  return { faults, host };
}

function canonical(written: string): string | undefined {
  const parsed = parseHost(written);
  return parsed.ok ? parsed.host : undefined;
}

/** Every address of the document; an empty one says that there is none. */
function addressesOf(document: DiscoveryDocument): Address[] {
  const found: Address[] = [];
  for (const [name, text] of Object.entries(document.agent_access))
    if (typeof text === "string" && text !== "") found.push({ path: ["agent_access", name], text });
  for (const [name, text] of Object.entries(document.endpoints))
    if (typeof text === "string") found.push({ path: ["endpoints", name], text });
  return found;
}

/** The host inside something that is more than a host: an address, a port, white space. */
function hostIn(written: string): string | undefined {
  const text = written.trim();
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  return url ? canonical(domainToASCII(url.hostname)) : undefined;
}

function addressFaults(document: DiscoveryDocument, host: string | undefined): Diagnosis[] {
  const faults: Diagnosis[] = [];
  const seen = new Set<string>();
  for (const address of addressesOf(document)) {
    const fault = addressFault(address, host);
    if (!fault) continue;
    faults.push(fault);
    seen.add(fault.pointer);
  }
  for (const [name, value] of Object.entries(document.endpoints))
    if (typeof value !== "string" && typeof value !== "object")
      faults.push(
        warningAt(
          "lint.endpoint_type",
          pointerOf(["endpoints", name]),
          "An endpoint is an absolute address.",
          [{ op: "remove", path: pointerOf(["endpoints", name]) }],
        ),
      );
  const path: Path = ["agent_access", "discovery"];
  const { discovery } = document.agent_access;
  const url = URL.parse(discovery);
  if (url && !seen.has(pointerOf(path)) && !DISCOVERY_PATHS.includes(url.pathname))
    faults.push(
      warningAt(
        "lint.discovery_path",
        pointerOf(path),
        `Agents look at ${DISCOVERY_PATHS.join(" and ")}.`,
        replacing(path, url.origin + DISCOVERY_PATHS[0]),
      ),
    );
  return faults;
}

function addressFault({ path, text }: Address, host: string | undefined): Diagnosis | undefined {
  const pointer = pointerOf(path);
  const mended = mendedAddress(text, path, host);
  const fix = mended === undefined ? null : replacing(path, mended);
  const url = URL.parse(text);
  if (!url || url.hostname === "" || /[\s\\]/.test(text))
    return errorAt(
      "lint.address",
      pointer,
      `${JSON.stringify(text.slice(0, 100))} is no absolute address.`,
      fix,
    );
  const wanted = isWebsocket(path) ? ["wss:"] : ["https:", "wss:"];
  if (!wanted.includes(url.protocol))
    return errorAt(
      "lint.https",
      pointer,
      `An address begins with ${wanted[0]}//, not ${url.protocol}//.`,
      fix,
    );
  if (url.username !== "" || url.password !== "")
    return errorAt("lint.credentials", pointer, "An address must not hold a user name or password.", fix);
  if (url.hash !== "")
    return warningAt("lint.fragment", pointer, "A fragment is never sent to a server.", fix);
  if (host !== undefined && !isSameSite(url.hostname, host))
    return errorAt(
      "lint.same_site",
      pointer,
      `${url.hostname} is not within ${registrableDomain(host)}.`,
      fix,
    );
  return undefined;
}

/** Where an address ought to be: the same, by TLS, on the domain's own host. */
function mendedAddress(text: string, path: Path, host: string | undefined): string | undefined {
  const scheme = isWebsocket(path) ? "wss:" : "https:";
  // A script or data in the place of an address says nothing of where it ought to lead.
  const own = path.at(-1) === "discovery" ? DISCOVERY_PATHS[0]! : "/";
  const written = /^[a-z][a-z0-9+.-]*:(?!\/\/)/i.test(text) ? own : text;
  const bare = /^[a-z][a-z0-9+.-]*:\/\//i.test(written)
    ? written
    : `${scheme}//${host ?? ""}${written.startsWith("/") ? "" : "/"}${written}`;
  const url = URL.parse(bare.replace(/^[a-z][a-z0-9+.-]*:/i, scheme));
  if (!url || (url.hostname === "" && host === undefined)) return undefined;
  const elsewhere = host !== undefined && !isSameSite(url.hostname, host);
  if (elsewhere) url.hostname = host;
  if (url.port === "80" || elsewhere) url.port = "";
  url.username = "";
  url.password = "";
  url.hash = "";
  return url.href;
}

const isWebsocket = (path: Path): boolean => path.at(-1) === "websocket" || path.at(-1) === "ws";

/** Nothing may be offered that is not permitted. The patch takes the offer away: it never widens a permission. */
function permissionFaults({ capabilities, actions = [] }: DiscoveryDocument): Diagnosis[] {
  const faults: Diagnosis[] = [];
  const { commands, permissions } = capabilities;
  const remove = (path: Path): PatchOperation[] => [{ op: "remove", path: pointerOf(path) }];
  const seen = new Set<string>();
  for (const [i, command] of commands.entries()) {
    const path: Path = ["capabilities", "commands", i];
    const needed = Object.hasOwn(NEEDS, command) ? NEEDS[command]! : undefined;
    if (command.trim() === "")
      faults.push(errorAt("lint.command_empty", pointerOf(path), "A command has a name.", remove(path)));
    else if (seen.has(command))
      faults.push(
        warningAt("lint.command_doubled", pointerOf(path), `${command} stands here twice.`, remove(path)),
      );
    else if (needed && permissions[needed] !== true)
      faults.push(
        errorAt(
          "lint.command_not_permitted",
          pointerOf(path),
          `The command ${command} needs the permission ${needed}, which is not given.`,
          remove(path),
        ),
      );
    seen.add(command);
  }
  const names = new Set<string>();
  for (const [i, action] of actions.entries()) {
    for (const [j, needed] of action.permissions_required.entries())
      if (permissions[needed] !== true)
        faults.push(
          errorAt(
            "lint.action_not_permitted",
            pointerOf(["actions", i, "permissions_required", j]),
            `The action ${action.name} needs the permission ${needed}, which is not given.`,
            remove(["actions", i]),
          ),
        );
    if (names.has(action.name))
      faults.push(
        errorAt(
          "lint.action_doubled",
          pointerOf(["actions", i, "name"]),
          `Another action is called ${action.name}.`,
          replacing(["actions", i, "name"], freeName(action.name, names)),
        ),
      );
    names.add(action.name);
    const parameters = new Set<string>();
    for (const [j, { name }] of action.parameters.entries()) {
      if (parameters.has(name))
        faults.push(
          errorAt(
            "lint.parameter_doubled",
            pointerOf(["actions", i, "parameters", j, "name"]),
            `Another parameter is called ${name}.`,
            remove(["actions", i, "parameters", j]),
          ),
        );
      parameters.add(name);
    }
  }
  return faults;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let n = 2; ; n++) if (!taken.has(`${name.slice(0, 58)}-${n}`)) return `${name.slice(0, 58)}-${n}`;
}

function timeFaults(document: DiscoveryDocument, { now }: LintContext): Diagnosis[] {
  const faults: Diagnosis[] = [];
  const made = Date.parse(document.generated_at);
  const fresh = replacing(["generated_at"], iso(now));
  if (made > now + CLOCK_SKEW_MS)
    faults.push(errorAt("lint.generated_in_future", "/generated_at", `It is ${iso(now)} now.`, fresh));
  else if (now - made > OLD_DAYS * DAY_MS)
    faults.push(warningAt("lint.old", "/generated_at", `Made over ${OLD_DAYS} days ago.`, fresh));
  if (document.expires_at === undefined) return faults;
  const expires = Date.parse(document.expires_at);
  const renewed = replacing(["expires_at"], iso(now + FRESH_DAYS * DAY_MS));
  if (expires <= now - CLOCK_SKEW_MS)
    faults.push(errorAt("lint.expired", "/expires_at", "The document has expired.", renewed));
  else if (expires <= made && made <= now + CLOCK_SKEW_MS)
    faults.push(
      errorAt("lint.expires_before_made", "/expires_at", "It expires before it was made.", renewed),
    );
  return faults;
}

function tagFaults({ intent_tags = [], location }: DiscoveryDocument): Diagnosis[] {
  const faults: Diagnosis[] = [];
  const seen = new Set<string>();
  for (const [i, tag] of intent_tags.entries()) {
    const path = pointerOf(["intent_tags", i]);
    const plain = tag.trim().toLowerCase();
    if (seen.has(plain) || plain === "")
      faults.push(
        warningAt("lint.tag_doubled", path, `The tag ${JSON.stringify(tag)} says nothing new.`, [
          { op: "remove", path },
        ]),
      );
    else if (tag !== tag.trim())
      faults.push(
        warningAt("lint.tag_form", path, "Blanks around a tag are dropped.", [
          { op: "replace", path, value: tag.trim() },
        ]),
      );
    seen.add(plain);
  }
  if (!location) return faults;
  for (const [one, other] of [
    ["lat", "lon"],
    ["lon", "lat"],
  ] as const)
    if (location[one] !== undefined && location[other] === undefined)
      faults.push(
        warningAt("lint.half_a_place", pointerOf(["location", one]), `A place needs ${other} too.`, [
          { op: "remove", path: pointerOf(["location", one]) },
        ]),
      );
  return faults;
}

const versionFaults = ({ bridge_version }: DiscoveryDocument): Diagnosis[] =>
  /^\d{1,5}\.\d{1,5}\.\d{1,5}(?:[-+][\w.+-]*)?$/.test(bridge_version)
    ? []
    : [
        warningAt(
          "lint.version",
          "/bridge_version",
          "A version is three numbers, such as 1.2.0.",
          replacing(["bridge_version"], /(?<!\d)\d+\.\d+\.\d+/.exec(bridge_version)?.[0] ?? "1.2.0"),
        ),
      ];

function claimFaults({ fairness, security, capabilities }: DiscoveryDocument): Diagnosis[] {
  const faults: Diagnosis[] = [];
  if (fairness.is_independent && fairness.commission_rate > 50)
    faults.push(
      warningAt(
        "lint.independent_by_commission",
        "/fairness/is_independent",
        "Independent, with over half of a sale going to others.",
        replacing(["fairness", "is_independent"], false),
      ),
    );
  const { permissions } = capabilities;
  if (!security.session_required && permissions.automatedLogin)
    faults.push(
      warningAt(
        "lint.acts_without_session",
        "/security/session_required",
        "Agents may log in here without a session.",
        replacing(["security", "session_required"], true),
      ),
    );
  return faults;
}
