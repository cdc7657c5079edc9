/** Documents with one fault each, and where it is: what a validator must find and mend. */
import type { DiscoveryDocument } from "../../../../schemas/discovery-document.ts";
import { mulberry32 } from "../../../../src/domain/listing/mulberry32.ts";
import { pointerOf } from "../../../../workers/gateway/protocol/diagnostics.ts";
import { type Base, drawBase, NOW, signed } from "./documents.ts";

export interface Mutant {
  /** Kind of fault. */
  name: string;
  base: Base;
  /** The document's text with the fault. */
  text: string;
  /** Where the fault is. */
  pointer: string;
  code: RegExp;
  /** TXT records that are told to the validator. */
  txt: string[] | undefined;
  /** False where only the owner's key can mend it. */
  mendable: boolean;
}

type Steps = (string | number)[];
type Document = Record<string, unknown>;

const DAY_MS = 86_400_000;
const iso = (ms: number): string => new Date(ms).toISOString();

const holder = (document: unknown, path: Steps): Record<string | number, unknown> =>
  path
    .slice(0, -1)
    .reduce((value, step) => (value as Record<string | number, unknown>)[step], document) as Record<
    string | number,
    unknown
  >;
const get = (document: unknown, path: Steps): unknown => holder(document, path)[path.at(-1)!];
const put =
  (path: Steps, value: unknown) =>
  (document: Document): void => {
    holder(document, path)[path.at(-1)!] = value;
  };
const drop =
  (path: Steps) =>
  (document: Document): void => {
    delete holder(document, path)[path.at(-1)!];
  };

interface Fault {
  name: string;
  path: Steps;
  code: RegExp;
  change: (document: Document) => void;
  signed?: boolean;
  mendable?: false;
}

const leaves = (value: unknown, path: Steps = []): Steps[] =>
  typeof value !== "object" || value === null
    ? [path]
    : Object.entries(value).flatMap(([name, member]) =>
        leaves(member, [...path, Array.isArray(value) ? Number(name) : name]),
      );

const branches = (value: unknown, path: Steps = []): Steps[] =>
  typeof value !== "object" || value === null
    ? []
    : [
        path,
        ...Object.entries(value).flatMap(([name, member]) =>
          branches(member, [...path, Array.isArray(value) ? Number(name) : name]),
        ),
      ];

/** Members that the schema lets be absent, or that any name may stand for. */
const FREE =
  /^\/(?:intent_tags|location|actions|owner)$|^\/(?:location|endpoints|capabilities\/permissions)\//;
const LONG = "x".repeat(3_000);

function schemaFaults(document: DiscoveryDocument): Fault[] {
  const faults: Fault[] = [];
  const members = [...leaves(document), ...branches(document).slice(1)];
  for (const path of members) {
    const pointer = pointerOf(path);
    const value = get(document, path);
    if (typeof path.at(-1) === "string" && !FREE.test(pointer))
      faults.push({ name: "member missing", path, code: /^schema\.required$/, change: drop(path) });
    if (pointer.startsWith("/endpoints/")) continue;
    faults.push({
      name: `${typeof value} of another type`,
      path,
      code: /^schema\.type$/,
      change: put(path, typeof value === "object" ? 7 : typeof value === "boolean" ? "perhaps" : [true, 7]),
    });
    if (typeof value === "string" && !/_at$/.test(pointer))
      faults.push({
        name: "text too long",
        path,
        code: /^schema\.(maxLength|enum)$/,
        change: put(path, LONG),
      });
  }
  faults.push(
    {
      name: "number too great",
      path: ["fairness", "commission_rate"],
      code: /maximum/,
      change: put(["fairness", "commission_rate"], 101),
    },
    {
      name: "number too small",
      path: ["fairness", "neutrality_score"],
      code: /minimum/,
      change: put(["fairness", "neutrality_score"], -1),
    },
    {
      name: "not an integer",
      path: ["security", "rate_limit"],
      code: /type/,
      change: put(["security", "rate_limit"], 1.5),
    },
    {
      name: "number as text",
      path: ["security", "rate_limit"],
      code: /type/,
      change: put(["security", "rate_limit"], "60"),
    },
    {
      name: "empty name",
      path: ["provider", "name"],
      code: /minLength/,
      change: put(["provider", "name"], ""),
    },
    {
      name: "not a time",
      path: ["generated_at"],
      code: /format|pattern/,
      change: put(["generated_at"], "yesterday"),
    },
    {
      name: "local time",
      path: ["generated_at"],
      code: /format|pattern/,
      change: put(["generated_at"], "2026-11-20T10:00:00+01:00"),
    },
    {
      name: "latitude beyond a pole",
      path: ["location", "lat"],
      code: /maximum/,
      change: put(["location", "lat"], 91),
    },
    {
      name: "unknown category",
      path: ["actions", 0, "category"],
      code: /enum/,
      change: put(["actions", 0, "category"], "magic"),
    },
    {
      name: "too many tags",
      path: ["intent_tags"],
      code: /maxItems/,
      change: put(
        ["intent_tags"],
        Array.from({ length: 17 }, (_, i) => `tag-${i}`),
      ),
    },
    {
      name: "long permission name",
      path: ["capabilities", "permissions", LONG],
      code: /propertyNames/,
      change: put(["capabilities", "permissions", LONG], true),
    },
  );
  return faults;
}

const ADDRESSES: Steps[] = [
  ["agent_access", "api_base"],
  ["agent_access", "noscript"],
  ["agent_access", "discovery"],
  ["endpoints", "ping"],
  ["endpoints", "search"],
];

const addressFaults = (document: DiscoveryDocument): Fault[] =>
  ADDRESSES.flatMap((path): Fault[] => {
    const text = get(document, path) as string;
    const elsewhere = new URL(text);
    elsewhere.hostname = "tracker.elsewhere.example.net";
    return [
      { name: "not https", path, code: /^lint\.https$/, change: put(path, text.replace("https:", "http:")) },
      { name: "another site's address", path, code: /^lint\.same_site$/, change: put(path, elsewhere.href) },
      { name: "relative address", path, code: /^lint\.address$/, change: put(path, new URL(text).pathname) },
      {
        name: "password in an address",
        path,
        code: /^lint\.credentials$/,
        change: put(path, text.replace("://", "://me:secret@")),
      },
      { name: "fragment in an address", path, code: /^lint\.fragment$/, change: put(path, `${text}#top`) },
      { name: "script as an address", path, code: /^lint\./, change: put(path, "javascript:alert(1)") },
    ];
  });

function agreementFaults(document: DiscoveryDocument): Fault[] {
  const { commands } = document.capabilities;
  const last = commands.length;
  const command = ["capabilities", "commands", last];
  const withCommand = (name: string) => (copy: Document) =>
    void (get(copy, ["capabilities", "commands"]) as string[]).push(name);
  const tags = document.intent_tags!;
  return [
    ...["login", "api"]
      .filter((name) => name === "login" || !document.capabilities.permissions.apiAccess)
      .map(
        (name): Fault => ({
          name: "command without permission",
          path: command,
          code: /command_not_permitted/,
          change: withCommand(name),
        }),
      ),
    { name: "command twice", path: command, code: /command_doubled/, change: withCommand(commands[0]!) },
    { name: "command without a name", path: command, code: /command_empty/, change: withCommand("") },
    {
      name: "action without permission",
      path: ["actions", 1, "permissions_required", 1],
      code: /action_not_permitted/,
      change: put(["actions", 1, "permissions_required", 1], "automatedLogin"),
    },
    {
      name: "action twice",
      path: ["actions", 1, "name"],
      code: /action_doubled/,
      change: put(["actions", 1, "name"], "add-to-basket"),
    },
    {
      name: "parameter twice",
      path: ["actions", 0, "parameters", 1, "name"],
      code: /parameter_doubled/,
      change: put(["actions", 0, "parameters", 1, "name"], "id"),
    },
    {
      name: "tag twice",
      path: ["intent_tags", tags.length],
      code: /tag_doubled/,
      change: (copy) => void (copy.intent_tags as string[]).push(tags[0]!.toUpperCase()),
    },
    {
      name: "blanks around a tag",
      path: ["intent_tags", 0],
      code: /tag_form/,
      change: put(["intent_tags", 0], ` ${tags[0]} `),
    },
    {
      name: "half a place",
      path: ["location", "lat"],
      code: /half_a_place/,
      change: drop(["location", "lon"]),
    },
    {
      name: "logs in without a session",
      path: ["security", "session_required"],
      code: /acts_without_session/,
      change: (copy) => {
        put(["capabilities", "permissions", "automatedLogin"], true)(copy);
        put(["security", "session_required"], false)(copy);
      },
    },
    {
      name: "independent for commission",
      path: ["fairness", "is_independent"],
      code: /independent_by_commission/,
      change: (copy) =>
        put(["fairness"], { ...document.fairness, is_independent: true, commission_rate: 80 })(copy),
    },
    {
      name: "made in the future",
      path: ["generated_at"],
      code: /generated_in_future/,
      change: put(["generated_at"], iso(NOW + DAY_MS)),
    },
    {
      name: "made long ago",
      path: ["generated_at"],
      code: /lint\.old/,
      change: put(["generated_at"], iso(NOW - 500 * DAY_MS)),
    },
    {
      name: "expired",
      path: ["expires_at"],
      code: /lint\.expired/,
      change: put(["expires_at"], iso(NOW - DAY_MS)),
    },
    {
      name: "odd version",
      path: ["bridge_version"],
      code: /lint\.version/,
      change: put(["bridge_version"], "latest"),
    },
    {
      name: "discovery elsewhere",
      path: ["agent_access", "discovery"],
      code: /discovery_path/,
      change: put(["agent_access", "discovery"], `https://${document.provider.domain}/about.json`),
    },
    {
      name: "number as an endpoint",
      path: ["endpoints", "odd"],
      code: /endpoint_type/,
      change: put(["endpoints", "odd"], 7),
    },
    {
      name: "another domain",
      path: ["provider", "domain"],
      code: /domain_mismatch/,
      change: put(["provider", "domain"], "other-shop.example.net"),
    },
    {
      name: "address as a domain",
      path: ["provider", "domain"],
      code: /domain_form/,
      change: put(["provider", "domain"], `https://${document.provider.domain}/`),
    },
    {
      name: "domain in capitals",
      path: ["provider", "domain"],
      code: /domain_form/,
      change: put(["provider", "domain"], document.provider.domain.toUpperCase()),
    },
  ];
}

const HIDDEN = [
  "\u200b",
  "\u202e",
  "\u{e0041}\u{e0042}",
  "\u2060",
  "\u00ad",
  "\ufeff",
  "\u{e0101}",
  "a\u200d",
];

function hiddenFaults(document: DiscoveryDocument, draw: () => number): Fault[] {
  const texts = leaves(document).filter(
    (path) =>
      typeof get(document, path) === "string" &&
      /^\/(provider\/(name|category|description)|fairness|capabilities\/(tier|features|transport)|actions\/\d+\/(name|description|parameters\/\d+\/description)|location\/city)/.test(
        pointerOf(path),
      ),
  );
  return texts.map((path) => {
    const text = get(document, path) as string;
    const at = Math.floor(draw() * (text.length + 1));
    const hidden = HIDDEN[Math.floor(draw() * HIDDEN.length)]!;
    const value = text.slice(0, at) + hidden + text.slice(at);
    return { name: "hidden text", path, code: /hidden_text/, change: put(path, value.toWellFormed()) };
  });
}

function trustFaults(document: DiscoveryDocument): Fault[] {
  const { payload, signature } = document.manifest!;
  const turned = (text: string): string => (text[0] === "A" ? "B" : "A") + text.slice(1);
  return [
    {
      name: "expiry is not the signed one",
      path: ["expires_at"],
      code: /repeat_differs/,
      change: put(["expires_at"], iso(NOW + 60 * DAY_MS)),
      signed: true,
    },
    {
      name: "profile is not the signed one",
      path: ["trust_profile"],
      code: /repeat_differs/,
      change: put(["trust_profile", "ttl_seconds"], 7_200),
      signed: true,
    },
    {
      name: "changed after signing",
      path: ["manifest", "payload"],
      code: /document_mismatch/,
      change: put(["provider", "description"], "Quite another shop."),
      signed: true,
    },
    {
      name: "signature turned",
      path: ["manifest", "signature"],
      code: /signature_invalid/,
      change: put(["manifest", "signature"], turned(signature)),
      signed: true,
    },
    {
      name: "payload cut",
      path: ["manifest", "payload"],
      code: /manifest_invalid/,
      change: put(["manifest", "payload"], payload.slice(0, -9)),
      signed: true,
    },
    {
      name: "manifest without a signature",
      path: ["manifest", "signature"],
      code: /schema\.required/,
      change: drop(["manifest", "signature"]),
      signed: true,
    },
    {
      name: "manifest with a key of its own",
      path: ["manifest", "header"],
      code: /additionalProperties/,
      change: put(["manifest", "header"], { jwk: {} }),
      signed: true,
    },
    {
      name: "signature taken away",
      path: ["manifest"],
      code: /trust\.unsigned/,
      change: drop(["manifest"]),
      signed: true,
      mendable: false,
    },
  ];
}

const write = (document: unknown): string => JSON.stringify(document, undefined, 2);

/** The same member twice, the second with another value: no parsed value shows it. */
const doubled = (base: Base): Mutant => ({
  name: "member twice",
  base,
  text: write(base.document).replace('  "provider"', '  "bridge_version": "9.9.9",\n  "provider"'),
  pointer: "/bridge_version",
  code: /json\.doubled_key/,
  txt: undefined,
  mendable: true,
});

/** Mutants of the first `bases` documents of a seed, `most` of each one's, drawn evenly over the kinds of fault. */
export const drawMutants = (seed: number, bases: number, most: number): Mutant[] =>
  Array.from({ length: bases }, (_, index) => {
    const base = drawBase(seed, index);
    const sealed = signed(base);
    const draw = mulberry32(seed * 7_919 + index);
    const faults = [
      ...schemaFaults(base.document),
      ...addressFaults(base.document),
      ...agreementFaults(base.document),
      ...hiddenFaults(base.document, draw),
      ...trustFaults(sealed),
    ];
    const order = faults.map((fault) => ({ fault, at: draw() })).sort((a, b) => a.at - b.at);
    const kinds = new Set<string>();
    // One of each kind first, then whatever the draw gives.
    const first = order.filter(({ fault }) => !kinds.has(fault.name) && kinds.add(fault.name));
    const chosen = [...first, ...order.filter((one) => !first.includes(one))].slice(0, most);
    const mutants = chosen.map(({ fault }): Mutant => {
      const document = structuredClone(fault.signed ? sealed : base.document) as Document;
      fault.change(document);
      const { name, path, code, mendable = true } = fault;
      return {
        name,
        base,
        text: write(document),
        pointer: pointerOf(path),
        code,
        txt: fault.signed ? base.txt : undefined,
        mendable,
      };
    });
    return [doubled(base), ...mutants];
  }).flat();
