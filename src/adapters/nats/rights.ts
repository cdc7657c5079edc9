/**
 * Who may do what on the broker: a user for each role, for the front and for the operator, with the subjects that each needs
 * and no others. Rows of buckets name who uses them (src/ports/storage.ts); what else a user needs is here. `bridge broker-users` writes nats-server's configuration from this table; docs/operators.md says what it
 * holds off and what it does not.
 */
import { BUCKETS, type BucketName } from "../../ports/storage.ts";
import type { BucketRow, StorageUser } from "../../ports/storage-rows/row.ts";
import { cancelSubject, liveSubject } from "../../rpc/contract.ts";
import { storedStreams } from "./storage-use.ts";
import { bucketName, counterStream, queueSubjects, streamConfigs } from "./topology.ts";

/** A durable consumer of a role, of one filter. */
interface ConsumerRight {
  stream: string;
  name: string;
}

export interface Rights {
  /** Services whose requests it answers. */
  serves?: readonly string[];
  /** Whether it sends requests to every service, and hands requests of sessions to scripts in pages. */
  isFront?: true;
  /** Keys of buckets that it writes: the rest of each is others'. */
  writesKeys?: Readonly<Partial<Record<BucketName, readonly string[]>>>;
  /** Whether it names hosts for the crawl, or hastens them. */
  schedulesVisits?: true;
  counts?: true;
  /** Topics of the transparency log that it appends. */
  logs?: readonly string[];
  /** Subjects beyond these, below the prefix. */
  publishes?: readonly string[];
  /** The one that works off a scheduled queue or a stream. */
  consumes?: (prefix: string) => readonly ConsumerRight[];
  /** Whether it reads how full every stream is. */
  watchesStorage?: true;
  /** Consumers whose state it reads, without taking what they deliver. */
  looksAt?: (prefix: string) => readonly ConsumerRight[];
  /** Streams whose messages it reads by sequence, and removes: a queue's keeper. */
  keeps?: (prefix: string) => readonly string[];
}

/** The keys that sign tokens: whoever issues them renews them. */
const TOKEN_KEYS = { keys: ["tokens.*"] } as const;
const streamName = (prefix: string, stream: keyof ReturnType<typeof streamConfigs>): string =>
  streamConfigs(prefix)[stream].name;

/** One line a user; roles have the names of app/roles.ts. */
export const RIGHTS = {
  front: { isFront: true, counts: true, writesKeys: TOKEN_KEYS },
  crawler: {
    writesKeys: { service: ["audit"] },
    schedulesVisits: true,
    // New entries that it imports, of each registrable domain and day; and what its looks see.
    counts: true,
    logs: ["change"],
    publishes: ["discovered"],
    consumes: (prefix) => [{ stream: streamName(prefix, "frontier"), name: "crawlers" }],
    keeps: (prefix) => [streamName(prefix, "frontier")],
    // How full the log is.
    watchesStorage: true,
  },
  indexer: {
    consumes: (prefix) => [
      { stream: `KV_${bucketName(prefix, "sites")}`, name: "*" },
      // What hosts publish for agents is beside the contents of sites.
      { stream: `KV_${bucketName(prefix, "contents")}`, name: "*" },
    ],
  },
  gossip: {
    serves: ["gossip"],
    schedulesVisits: true,
    consumes: (prefix) => [{ stream: streamName(prefix, "discovered"), name: "gossip" }],
  },
  search: { serves: ["search"] },
  protocol: {
    serves: ["protocol"],
    writesKeys: { service: ["document"] },
    counts: true,
    // It says how far the crawl is.
    looksAt: (prefix) => [{ stream: streamName(prefix, "frontier"), name: "crawlers" }],
  },
  trust: {
    serves: ["trust"],
    schedulesVisits: true,
    counts: true,
    logs: ["registration.*", "interaction.*"],
  },
  accounts: {
    serves: ["accounts", "access", "holders", "keys"],
    schedulesVisits: true,
    counts: true,
    writesKeys: { service: ["mail_audit"] },
    // Webhooks of watches: into the queue alone.
    publishes: ["mail.*.sched", "mail.*.due", "hook.*.due"],
    consumes: (prefix) => [{ stream: streamName(prefix, "mail"), name: "mail" }],
    keeps: (prefix) => [streamName(prefix, "mail")],
  },
  provider: {
    serves: ["provider"],
    writesKeys: { service: ["webhooks_audit"] },
    schedulesVisits: true,
    counts: true,
    publishes: ["hook.*.sched", "hook.*.due"],
    consumes: (prefix) => [{ stream: streamName(prefix, "webhooks"), name: "webhooks" }],
    keeps: (prefix) => [streamName(prefix, "webhooks")],
  },
  session: {
    serves: ["session"],
    writesKeys: { ...TOKEN_KEYS, service: ["document"] },
    counts: true,
    publishes: ["script.*"],
    logs: ["receipt"],
  },
  operators: {
    serves: ["operators"],
    schedulesVisits: true,
    // What visits of today came to.
    counts: true,
    // How far the crawl is.
    looksAt: (prefix) => [{ stream: streamName(prefix, "frontier"), name: "crawlers" }],
    watchesStorage: true,
  },
  gateway: {
    serves: [
      ...["neural", "dark-pattern", "firewall", "price", "bargaining"],
      ...["bounty", "notary", "protocol-validator", "affiliate", "gov"],
    ],
    // A site with a newly confirmed report is visited next.
    schedulesVisits: true,
    counts: true,
    logs: ["certificate"],
  },
} as const satisfies Record<StorageUser, Rights>;
export type BrokerUser = keyof typeof RIGHTS | "operator";
export const BROKER_USERS = ["operator", ...(Object.keys(RIGHTS) as (keyof typeof RIGHTS)[])] as const;

export interface SubjectRights {
  publish: string[];
  subscribe: string[];
}

/** All buckets that a user may not change: for tests and tables. */
export const foreignBuckets = (user: StorageUser): BucketName[] =>
  bucketsOf(({ writers }) => !writers.includes(user));

const bucketsOf = (isOne: (row: BucketRow) => boolean): BucketName[] =>
  (Object.keys(BUCKETS) as BucketName[]).filter((name) => isOne(BUCKETS[name]));

/** The `authorization` of nats-server's configuration, passwords left to its environment. */
export function brokerAuthorization(prefix: string): string {
  const list = (subjects: readonly string[]): string =>
    subjects.map((subject) => `        ${JSON.stringify(subject)}`).join("\n");
  const users = BROKER_USERS.map((user) => {
    const permissions = subjectRights(prefix, user);
    const head = `    user: ${user}, password: $${passwordVariable(user)}`;
    if (!permissions) return `  {\n${head}\n  }`;
    const { publish, subscribe } = permissions;
    return `  {\n${head}\n    permissions {\n      publish {\n       allow: [\n${list(publish)}\n       ]\n      }\n      subscribe {\n       allow: [\n${list(subscribe)}\n       ]\n      }\n      allow_responses: true\n    }\n  }`;
  });
  return `authorization {\n  users: [\n${users.join("\n")}\n  ]\n}\n`;
}

/** Subjects of a user; beside them it may answer what it is asked. Undefined: all of its account, for the operator. */
export function subjectRights(prefix: string, user: BrokerUser): SubjectRights | undefined {
  if (user === "operator") return undefined;
  const rights: Rights = RIGHTS[user];
  const announced = `bridge-${user}`;
  return {
    publish: [...new Set(publishesOf(prefix, user, rights))],
    subscribe: [
      `${inboxOf(user)}.>`,
      // In the queue alone: what a role is asked, one of its processes gets.
      ...(rights.serves ?? []).map((service) => `${prefix}.op.${service}.* bridge`),
      // Each of them hears who has gone away.
      ...(rights.serves ?? []).map((service) => cancelSubject(prefix, service)),
      // Who is there, and what is sent to one that said so.
      ...(rights.serves ?? []).flatMap((service) => [
        liveSubject(prefix, service),
        `${prefix}.op.${service}.*.*`,
      ]),
      ...(rights.isFront
        ? [`${prefix}.script.* script`]
        : ["$SRV.*", `$SRV.*.${announced}`, `$SRV.*.${announced}.*`]),
    ],
  };
}

function publishesOf(prefix: string, user: StorageUser, rights: Rights): string[] {
  const { writesKeys = {}, logs = [], publishes = [] } = rights;
  const writes = bucketsOf(({ writers }) => writers.includes(user));
  const reads = bucketsOf(({ writers, readers = [] }) => [...writers, ...readers].includes(user));
  const follows = bucketsOf(({ followers = [] }) => followers.includes(user));
  const counters = (["minute", "day", "month"] as const).map((window) => counterStream(prefix, window));
  return [
    ...commonOf(prefix),
    ...(rights.isFront ? [`${prefix}.op.>`] : []),
    ...reads.flatMap((bucket) => readsOf(prefix, bucket)),
    ...writes.map((bucket) => writesOf(prefix, bucket)),
    ...follows.flatMap((bucket) => followsOf(prefix, bucket)),
    ...Object.entries(writesKeys).flatMap(([bucket, keys]) =>
      keys.map((key) => `$KV.${bucketName(prefix, bucket as BucketName)}.${key}`),
    ),
    ...(rights.counts ? [`${prefix}.count.>`, ...counters.flatMap(readsStream)] : []),
    ...(rights.schedulesVisits
      ? [queueSubjects(prefix, "frontier").sched, ...readsStream(streamName(prefix, "frontier"))]
      : []),
    ...logs.map((topic) => `${prefix}.log.${topic}`),
    ...(logs.length > 0 ? readsStream(streamName(prefix, "log")) : []),
    ...publishes.map((subject) => `${prefix}.${subject}`),
    ...(rights.watchesStorage
      ? storedStreams(prefix).map(([, stream]) => `$JS.API.STREAM.INFO.${stream}`)
      : []),
    ...(rights.consumes?.(prefix) ?? []).flatMap(consumesOf),
    ...(rights.looksAt?.(prefix) ?? []).map(({ stream, name }) => `$JS.API.CONSUMER.INFO.${stream}.${name}`),
    ...(rights.keeps?.(prefix) ?? []).flatMap((stream) => [
      ...readsStream(stream),
      `$JS.API.STREAM.MSG.DELETE.${stream}`,
    ]),
  ];
}

/** What every process asks: whether there is JetStream, what time it is there, and the registry's own key. */
const commonOf = (prefix: string): string[] => [
  "$JS.API.INFO",
  `$JS.API.STREAM.INFO.${streamName(prefix, "frontier")}`,
  ...readsOf(prefix, "service"),
];

/** Reading single values: from any copy, by key, or from the leader, which is asked where there are several copies. */
function readsOf(prefix: string, bucket: BucketName): string[] {
  const name = bucketName(prefix, bucket);
  return [`$JS.API.DIRECT.GET.KV_${name}.>`, `$JS.API.STREAM.MSG.GET.KV_${name}`];
}
const writesOf = (prefix: string, bucket: BucketName): string => `$KV.${bucketName(prefix, bucket)}.>`;
function followsOf(prefix: string, bucket: BucketName): string[] {
  const stream = `KV_${bucketName(prefix, bucket)}`;
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.>`,
    `$JS.API.CONSUMER.INFO.${stream}.*`,
    `$JS.API.CONSUMER.DELETE.${stream}.*`,
    `$JS.FC.${stream}.>`,
  ];
}

const readsStream = (stream: string): string[] => [
  `$JS.API.STREAM.MSG.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}`,
  `$JS.API.DIRECT.GET.${stream}.>`,
  `$JS.API.STREAM.INFO.${stream}`,
];

const consumesOf = ({ stream, name }: ConsumerRight): string[] => [
  `$JS.API.CONSUMER.CREATE.${stream}.${name === "*" ? ">" : name}`,
  ...(name === "*" ? [] : [`$JS.API.CONSUMER.CREATE.${stream}.${name}.>`]),
  `$JS.API.CONSUMER.INFO.${stream}.${name}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
  `$JS.ACK.${stream}.${name}.>`,
];

/** Where the replies to a user's requests arrive: nobody else may listen there. */
export const inboxOf = (user: string): string => `_INBOX_${user}`;

/** Name of the variable that nats-server reads a user's password from, and the program too where it is given it. */
export const passwordVariable = (user: BrokerUser): string => `NATS_${user.toUpperCase()}_PASSWORD`;
