/** Names that a running registry uses where others rely on them: its store, its messages, its addresses. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { createInbox } from "@nats-io/nats-core";
import { connectTo, messagesOf } from "./moved.ts";
import type { Version } from "./version.ts";

export interface Names {
  /** Stream, a key-value bucket's among them → its subjects. */
  streams: Record<string, string[]>;
  /** "<stream> <durable name>"; `*` stands for an index's id. */
  consumers: string[];
  /** Members of stored records: "<stream> <member>". */
  members: string[];
  /** Subjects that roles answer. */
  operations: string[];
  /** "<method> <path>" */
  paths: string[];
  /** Tables of the embedded index. */
  tables: string[];
  /** Files and folders of BRIDGE_HOME. */
  home: string[];
  commands: string[];
  settings: string[];
}

/** Served beside the operations of the OpenAPI document. */
export const MORE_PATHS = ["GET /docs", "GET /openapi.json", "GET /ws"];
const HEARD_FOR_MS = 1_500;

/** Names of members in a value, those of what it holds among them; keys of tables (hosts, ids) are none. */
const membersIn = (value: unknown): string[] => {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(membersIn);
  return Object.entries(value).flatMap(([name, held]) => [
    ...(/^[a-z][A-Za-z0-9_]{0,31}$/.test(name) ? [name] : []),
    ...membersIn(held),
  ]);
};

/** Records that are not JSON (compressed ones, counts, entries by their own format) have none. */
const storedMembers = async (jsm: JetStreamManager, stream: string): Promise<string[]> => {
  const members: string[] = [];
  for await (const message of messagesOf(jsm, stream))
    if (/^[{[]/.test(message.string())) members.push(...membersIn(message.json()));
  return [...new Set(members)].map((member) => `${stream} ${member}`);
};

type BrokerNames = Pick<Names, "streams" | "consumers" | "members" | "operations">;

const brokerNames = async (url: string): Promise<BrokerNames> => {
  const connection = await connectTo(url);
  const jsm = await jetstreamManager(connection);
  const streams: Names["streams"] = {};
  const consumers: string[] = [];
  const members: string[] = [];
  for await (const { config } of jsm.streams.list()) {
    streams[config.name] = config.subjects ?? [];
    members.push(...(await storedMembers(jsm, config.name)));
    for await (const { config: consumer } of jsm.consumers.list(config.name))
      if (consumer.durable_name)
        consumers.push(`${config.name} ${consumer.durable_name.replace(/^index_.+$/, "index_*")}`);
  }
  const inbox = createInbox();
  const operations = new Set<string>();
  const listening = connection.subscribe(inbox);
  connection.publish("$SRV.INFO", "", { reply: inbox });
  setTimeout(() => void listening.drain(), HEARD_FOR_MS);
  for await (const message of listening)
    for (const { subject } of message.json<{ endpoints: { subject: string }[] }>().endpoints)
      operations.add(subject);
  await connection.close();
  return {
    streams,
    consumers: consumers.sort(),
    members: members.sort(),
    operations: [...operations].sort(),
  };
};

/** Of an OpenAPI document. */
export const pathsOf = ({ paths }: { paths: object }): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );

const opensWebsocket = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/ws`);
    socket.onopen = () => {
      socket.close();
      resolve(true);
    };
    socket.onerror = () => resolve(false);
  });

const servedPaths = async ({ ask, url }: Version): Promise<string[]> => {
  const isServed = async (path: string): Promise<boolean> =>
    path === "/ws" ? opensWebsocket(url) : (await ask(path)).status === 200;
  const served = await Promise.all(MORE_PATHS.map((path) => isServed(path.slice("GET ".length))));
  const more = MORE_PATHS.filter((_, i) => served[i]);
  return [...pathsOf((await ask("/openapi.json")).body), ...more].sort();
};

/** The file of the index that a home uses. */
export const indexOf = (home: string): string =>
  join(home, "index", readFileSync(join(home, "index", "current"), "utf8").trim());

/** Tables of an index. */
export const tablesOf = (file: string): string[] => {
  const database = new DatabaseSync(file, { readOnly: true });
  const rows = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all();
  database.close();
  return rows.map(({ name }) => String(name)).filter((name) => !name.startsWith("sqlite_"));
};

/** Of the text of `bridge --help`. */
export const helpNames = (help: string): Pick<Names, "commands" | "settings"> => {
  const [usage, settings] = help.split("Settings (environment):") as [string, string];
  /** First words of lines that a heading stands above; options have a dash. */
  const firstWords = (text: string): string[] =>
    [...text.matchAll(/^ {2}([a-zA-Z][\w-]*)/gm)].map(([, word]) => word!);
  return {
    commands: firstWords(usage)
      .filter((name) => name !== "help")
      .sort(),
    settings: firstWords(settings.split("\n\n", 1)[0]!).sort(),
  };
};

/** Names of a version that runs on `home` with the broker at `url`. */
export const namesOf = async (version: Version, home: string, url: string): Promise<Names> => ({
  ...(await brokerNames(url)),
  paths: await servedPaths(version),
  tables: tablesOf(indexOf(home)),
  home: readdirSync(home)
    .filter((name) => !name.endsWith("-journal"))
    .sort(),
  ...helpNames(await version.bridge("--help")),
});

const UPGRADES = new URL("../../docs/upgrades.md", import.meta.url);

/** Names of an older version that are neither used any more nor named, in backticks, by docs/upgrades.md. */
export const lostNames = (was: Partial<Names>, now: Partial<Names>): string[] => {
  const told = readFileSync(UPGRADES, "utf8");
  const listOf = (names: Partial<Names>, kind: keyof Names): string[] => {
    const value = names[kind] ?? [];
    if (Array.isArray(value)) return value;
    return Object.entries(value).flatMap(([stream, subjects]) => [
      stream,
      ...subjects.map((subject) => `${stream} ${subject}`),
    ]);
  };
  return (Object.keys(now) as (keyof Names)[]).flatMap((kind) => {
    const known = new Set(listOf(now, kind));
    return listOf(was, kind).filter((name) => !known.has(name) && !told.includes(`\`${name}\``));
  });
};
