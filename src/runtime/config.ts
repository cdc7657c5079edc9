/** The only reader of process.env: every setting with its default, its unit in the name, and its error message. */
import { isIP } from "node:net";
import { resolve } from "node:path";
import { z } from "zod";
import { CONTROL_GROUPS, type ControlGroup } from "../../schemas/agent-web.ts";
import { emailIdentity } from "../domain/names/email.ts";
import { SIGNATURE_AGENT_FORMS } from "../domain/trust/bot-auth.ts";
import { probablyMeant } from "../rpc/unknown-members.ts";

/** Digits only: "0x50", "1e3" and a blank are numbers in JavaScript, but mistakes in a setting. */
const wholeNumber = (least: number, most: number, fallback: number) =>
  z
    .string()
    .refine((text) => /^\d{1,12}$/.test(text) && Number(text) >= least && Number(text) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number)
    .default(fallback);
const port = (fallback: number) => wholeNumber(0, 65_535, fallback);
const milliseconds = (fallback: number) => wholeNumber(0, 86_400_000, fallback);
const flag = z
  .enum(["true", "false", "1", "0"], { error: "must be true or false" })
  .transform((text) => text === "true" || text === "1");
const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
  );

const controlGroup = list.pipe(
  z
    .array(
      z.templateLiteral([z.string(), "=", z.enum(CONTROL_GROUPS)], {
        error: `must be host=${CONTROL_GROUPS.join(" or host=")}`,
      }),
    )
    .transform((all) => new Map(all.map((each) => each.split("=") as [string, ControlGroup]))),
);

/** The encoder is used where it is installed, static vectors where it is not. */
const MEANINGS = ["encoder", "static", "none"] as const;

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

const DnsServer = z.string().transform((text, context) => {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([0-9.]+)):(\d{1,5})$/.exec(text);
  const number = Number(match?.[3]);
  if (!match || isIP(match[1] ?? match[2]!) === 0 || number < 1 || number > 65_535) {
    context.addIssue({
      code: "custom",
      message: `"${text}" is not ip:port, like 192.0.2.53:53 or [2001:db8::53]:53`,
    });
    return z.NEVER;
  }
  return { address: (match[1] ?? match[2])!, port: number };
});

/**
 * Name → schema and one line of documentation: the operator's guide is generated from this table. `default`: in words,
 * where the schema's own does not say it.
 */
export const SETTINGS = {
  PORT: { schema: port(8080), about: "Port of the public HTTP front" },
  HOST: {
    schema: z.string().min(1).default("127.0.0.1"),
    about: "Address the front listens on",
  },
  BRIDGE_PUBLIC_URL: {
    schema: z
      .url({ protocol: /^https?$/, error: "must be an http or https address" })
      .transform((text) => new URL(text).origin)
      .optional(),
    default: "the listening address",
    about: "Origin in replies; never taken from a Host header",
  },
  BRIDGE_ALIASES: {
    schema: list.pipe(
      z.array(
        z
          .string()
          .toLowerCase()
          .regex(/^[a-z0-9.-]{1,253}$/, "must be host names without ports"),
      ),
    ),
    default: "none",
    about: "Other host names of the registry itself: `www.registry.example,…`",
  },
  BRIDGE_ADMIN_HOST: {
    schema: z.string().min(1).default("127.0.0.1"),
    about: "Address of /metrics, /startupz, /healthz and /readyz of each process, without authentication",
  },
  BRIDGE_ADMIN_PORT: { schema: port(9464), about: "Port of the same; 0 picks a free one" },
  BRIDGE_OPERATORS_PORT: {
    schema: port(9465),
    about: "Port of the operators' API of a front, on BRIDGE_ADMIN_HOST; 0 picks a free one",
  },
  BRIDGE_HOME: {
    schema: z
      .string()
      .min(1)
      .default("data")
      .transform((path) => resolve(path)),
    default: "./data",
    about: "Folder of all local state: the broker's store, the index, certificates",
  },
  BRIDGE_NATS_URL: {
    schema: z.string().min(1).optional(),
    default: "an embedded nats-server",
    about: "Broker to join, such as nats://user:secret@host:4222",
  },
  BRIDGE_NATS_USER: {
    schema: z.string().min(1).optional(),
    default: "as in the address",
    about: "User of the broker; `bridge broker-users` prints one for each role",
  },
  BRIDGE_NATS_PASSWORD: {
    schema: z.string().min(1).optional(),
    default: "as in the address",
    about: "Its password",
  },
  BRIDGE_NATS_SETUP: {
    schema: flag.default(false),
    about:
      "Whether a start does what `bridge setup` does: for trials, one process at a time; `bridge up` needs it only with BRIDGE_NATS_URL",
  },
  BRIDGE_NATS_CA: {
    schema: z.string().min(1).optional(),
    default: "the system's",
    about: "PEM certificates to verify the broker's; with it, a broker without TLS is refused",
  },
  BRIDGE_NATS_CERT: {
    schema: z.string().min(1).optional(),
    default: "none",
    about: "File of the PEM client certificate, and its key, for a broker that requires one",
  },
  BRIDGE_NATS_PREFIX: {
    schema: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,32}$/, "must be 1 to 32 letters, digits, _ or -")
      .default("bridge"),
    about: "Prefix of every subject, stream and bucket, so that several registries can share a broker",
  },
  BRIDGE_NATS_REPLICAS: {
    schema: z
      .enum(["1", "3", "5"], {
        error: "must be 1, 3 or 5: an even number of replicas tolerates no more failures than one less",
      })
      .transform(Number)
      .default(1),
    about: "Replicas of each stream and bucket in a broker cluster, for `bridge setup`; never lowered",
  },
  BRIDGE_STORE_GIB: {
    schema: z.coerce.number().min(1).max(65_536).default(64),
    about:
      "GiB that all streams and buckets may take together on one broker server, for `bridge setup` and the embedded broker; docs/storage.md divides it",
  },
  BRIDGE_ELASTICSEARCH_URL: {
    schema: z
      .string()
      .refine(
        (text) =>
          text.split(",").every((node) => z.url({ protocol: /^https?$/ }).safeParse(node.trim()).success),
        "must be an http or https address, or several separated by commas",
      )
      .optional(),
    default: "an embedded index",
    about:
      "Elasticsearch 9 for the index, such as https://search.example:9200; several nodes of a cluster separated by commas",
  },
  BRIDGE_ELASTICSEARCH_API_KEY: {
    schema: z.string().min(1).optional(),
    default: "none",
    about: "API key for it, in Elasticsearch's encoded form",
  },
  BRIDGE_TOKEN: {
    schema: z.string().min(1).optional(),
    default: "none",
    about: "Your token at the registry that `bridge mcp` speaks to: an agent's",
  },
  BRIDGE_KEY: {
    schema: z.string().min(1).optional(),
    default: "none",
    about: "Your key of its module gateway",
  },
  BRIDGE_ELASTICSEARCH_CA: {
    schema: z.string().min(1).optional(),
    default: "the system's",
    about: "File of PEM certificates to verify its certificate",
  },
  BRIDGE_ELASTICSEARCH_SHARDS: {
    schema: wholeNumber(1, 64, 1),
    about: "Shards of an index that is made from now on: run `bridge reindex` after a change",
  },
  BRIDGE_DNS_SERVERS: {
    schema: list.pipe(z.array(DnsServer)),
    default: "the system's",
    about: "Resolvers, ip:port separated by commas",
  },
  BRIDGE_DNS_VALIDATING: {
    schema: flag.default(false),
    about: "Whether those resolvers validate DNSSEC, so that their AD bit is trusted",
  },
  BRIDGE_EGRESS_ALLOW: {
    schema: z.string().default(""),
    default: "empty",
    about: "What the guarded client may reach besides public addresses: cidr:port separated by commas",
  },
  BRIDGE_HOST_DELAY_MS: {
    schema: milliseconds(4_000),
    about: "Milliseconds between the end of a request and the next one to the same host",
  },
  BRIDGE_IP_DELAY_MS: {
    schema: milliseconds(500),
    about:
      "Milliseconds between the end of a request and the next one to the same address; and of agents' sessions, which owners license, to the same host",
  },
  BRIDGE_CRAWL_CONCURRENCY: {
    schema: wholeNumber(1, 4_096, 128),
    about: "Concurrent visits of one crawler process",
  },
  BRIDGE_HTTPS_PORT: {
    schema: port(443),
    about: "Port of sites whose TXT record names none; change it only for a synthetic web",
  },
  BRIDGE_CONTROL_GROUP: {
    schema: controlGroup,
    default: "none",
    about: `Hosts of which you know what a look finds, as X by commas: \`/status\` says how often looks err there`,
  },
  BRIDGE_SEARCH_MEANING: {
    schema: z.enum(MEANINGS, { error: `must be one of ${MEANINGS.join(", ")}` }).default("encoder"),
    about:
      "By what search finds meaning besides words: the sentence `encoder`, which `bridge up` installs, `static` vectors, or `none`; after a change from or to `none`, `bridge reindex` rebuilds the index",
  },
  BRIDGE_IMPORT_FROM: {
    schema: list.pipe(
      z.array(z.url({ protocol: /^https?$/, error: "must be http or https addresses, separated by commas" })),
    ),
    default: "none",
    about:
      "Addresses of MCP registries, such as https://registry.modelcontextprotocol.io, or of other Bridges, separated by commas: a crawler takes over every hour what changed there",
  },
  BRIDGE_USER_AGENT: {
    schema: z
      .string()
      .regex(/^[\x20-\x7e]{1,200}$/, "must be 1 to 200 printable ASCII characters")
      .default("BridgeBot/1.2 (+https://example.com/bridgebot; bridgebot@example.com)"),
    default: "BridgeBot/1.2 (+…)",
    about: "User-Agent of the crawl, with an address of yours: without one, the real web is not crawled",
  },
  BRIDGE_SIGNATURE_AGENT: {
    schema: z
      .enum(SIGNATURE_AGENT_FORMS, { error: `must be ${SIGNATURE_AGENT_FORMS.join(" or ")}` })
      .default("dictionary"),
    about:
      "Form of Signature-Agent: the draft's `dictionary`, or the quoted `string` that content networks verified first",
  },
  BRIDGE_CORS_ORIGINS: {
    schema: list,
    default: "none",
    about: "Origins whose pages may call operations that require a credential: `https://app.example,…`",
  },
  BRIDGE_TRUSTED_PROXIES: {
    schema: list.pipe(
      z.array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: "must be addresses or CIDR blocks" }),
      ),
    ),
    default: "none",
    about: "Addresses whose X-Forwarded-For is trusted",
  },
  BRIDGE_LIMITS_PERCENT: {
    schema: wholeNumber(1, 1_000_000, 100),
    about:
      "Scale of the quotas in the limit table (docs/limits.md), in percent; quotas of plans do not change",
  },
  BRIDGE_LAME_DUCK_MS: {
    schema: wholeNumber(0, 60_000, 5_000),
    about:
      "Milliseconds that a front serves on after SIGTERM while /readyz says 503: longer than your balancer needs to see that",
  },
  BRIDGE_ACCESS_LOG_PERCENT: {
    schema: wholeNumber(0, 100, 0).removeDefault().optional(),
    default: "100 of `bridge front`, 0 of `bridge up`",
    about:
      "Share of requests in the access log (JSON, on standard output), in percent; 5xx always, unless it is 0",
  },
  BRIDGE_SMTP_URL: {
    schema: z
      .string()
      .refine((text) => /^smtps?:$/.test(URL.parse(text)?.protocol ?? ""), {
        error: "must be smtp://user:password@host:587 or smtps://user:password@host:465",
      })
      .optional(),
    default: "none",
    about:
      "Mail server for proofs of addresses, new passwords and notices; none: no mail is sent. A log-in is made over TLS alone",
  },
  BRIDGE_MAIL_FROM: {
    schema: z.string().refine(isSender, { error: "must be an address or `Name <address>`" }).optional(),
    default: "bridge@ and the public address's host",
    about: "Sender of mails",
  },
  BRIDGE_DOMAIN_CONNECT_KEY: {
    schema: z.string().min(1).optional(),
    default: "none",
    about:
      "File of an RSA key (PEM, at least 2,048 bits) that signs requests of Domain Connect; none: it is not offered",
  },
  BRIDGE_WITNESS_POLICY: {
    schema: z.string().min(1).optional(),
    default: "none",
    about:
      "File of a policy (C2SP tlog-policy) with the addresses of witnesses that are asked to cosign the transparency log's checkpoints",
  },
  BRIDGE_LOG_LEVEL: {
    schema: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(", ")}` }).default("warn"),
    about: "Minimum severity of log lines (JSON, on standard error)",
  },
} as const satisfies Record<string, { schema: z.ZodType; default?: string; about: string }>;

const shape = Object.fromEntries(Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema])) as {
  [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]["schema"];
};
const Environment = z.object(shape);

/** What no operator sets: tests choose other values, and a demo says that it is one. */
export const CONSTANTS = {
  /** Without a sign of life for so long, a process's visits and webhooks go to another: the same for all processes. */
  leaseMs: 20_000,
  /** HTML pages read in one visit, the home page first. */
  pagesPerVisit: 3,
  /** Deadline of a batch verification; unfinished domains are pending. */
  batchDeadlineMs: 10_000,
  /** Before each attempt of a webhook, the first included; the last attempt ends it (Standard Webhooks 1.0.0). */
  webhookRetryMs: [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map(
    (seconds) => seconds * 1_000,
  ),
  /** Pages say that the sites are made up. */
  isDemo: false,
};

export type Config = z.output<typeof Environment> & typeof CONSTANTS;

/** An invalid setting; the message names it, for the operator. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** Letters that a misspelled name may be away from the setting that was meant. */
const MOST_SLIPS = 2;

/** Variables that are none of the program's settings though nearly named like one: of compose.yaml and of tests. */
const OTHERS = new Set(["BRIDGE_HOST", "BRIDGE_PORT"]);

/** A setting's default, as the operator's guide and the help show it. */
export const defaultOf = (setting: { schema: z.ZodType; default?: string }): string =>
  setting.default ?? String(setting.schema.parse(undefined));

/**
 * Reads the settings from an environment. Empty variables count as unset.
 * @throws ConfigError naming every invalid setting, one per line
 */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  refuseMisspelled(Object.keys(environment));
  const given = Object.fromEntries(
    Object.keys(SETTINGS).flatMap((name) => {
      const value = environment[name];
      return value ? [[name, value]] : [];
    }),
  );
  const result = Environment.safeParse(given);
  if (result.success) return { ...CONSTANTS, ...result.data };
  const lines = result.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  throw new ConfigError(lines.join("\n"));
}

/**
 * Variables of other programs may begin as ours do (Kubernetes makes some for its services): only those that are nearly a
 * setting are refused.
 */
function refuseMisspelled(names: readonly string[]): void {
  const known = Object.keys(SETTINGS);
  const slips = names
    .filter((name) => name.startsWith("BRIDGE_") && !Object.hasOwn(SETTINGS, name) && !OTHERS.has(name))
    .flatMap((name) => {
      const meant = probablyMeant(name, known, MOST_SLIPS);
      return meant === undefined ? [] : [`${name} is no setting; did you mean ${meant}?`];
    });
  if (slips.length > 0) throw new ConfigError(slips.join("\n"));
}

/** `Name <address>`, or an address alone. */
function isSender(text: string): boolean {
  const at = text.lastIndexOf("<");
  const address = at < 0 ? text : text.endsWith(">") ? text.slice(at + 1, -1) : "";
  return text.length <= 320 && !/[\r\n]/.test(text) && emailIdentity(address) !== undefined;
}
