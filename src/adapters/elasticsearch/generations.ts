/**
 * Generations of the index in Elasticsearch: one index each, numbered, and an alias on the one in use. The alias names
 * the version of the schema, so that processes of two versions keep an index each while an upgrade rolls.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, errors } from "@elastic/elasticsearch";
import type { IndexGenerations, SiteIndex } from "../../ports/index.ts";
import { FOLLOWED_AFTER_MS, followGenerations } from "../index/following-index.ts";
import {
  asOurs,
  type Clients,
  connect,
  disconnect,
  type ElasticsearchSettings,
  errorType,
} from "./connection.ts";
import { engineRefusal } from "./refusal.ts";
import { ELASTICSEARCH_SCHEMA_VERSION, mappingOf, settingsOf } from "./schema.ts";
import { openElasticsearchIndex, writeAlias } from "./site-index.ts";

const CREATE_ATTEMPTS = 5;

interface Generation {
  name: string;
  id: string;
}

/**
 * @param prefix that tells registries on one cluster apart
 * @throws Error when the file of certificates cannot be read; what the promises reject with is as in site-index.ts, or
 * IndexRefused
 */
export function elasticsearchGenerations(settings: ElasticsearchSettings, prefix: string): IndexGenerations {
  const clients = connect(settings);
  const { reading, writing } = clients;
  const alias = aliasOf(prefix);
  const ours = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw (await engineRefusal(settings, error)) ?? asOurs(error);
    }
  };
  const createNext = async () => {
    // What a reindex that was stopped has left.
    for (const { name, isUsed } of await all(reading, alias))
      if (!isUsed) await writing.indices.delete({ index: name, ignore_unavailable: true });
    const { name, id } = await create(writing, settings, await nextName(reading, alias), undefined);
    return { name, index: openElasticsearchIndex(clients, name, id) };
  };
  const switchTo = async (name: string): Promise<string> => {
    const { name: old } = await ensureInUse(clients, settings, alias);
    await writing.indices.updateAliases({
      actions: [{ remove: { index: old, alias } }, { add: { index: name, alias } }],
    });
    return old;
  };
  const remove = async (name: string): Promise<void> => {
    // The engine keeps nothing of an index for those that still search it: every process has followed by then.
    await sleep(FOLLOWED_AFTER_MS);
    await writing.indices.delete({ index: name, ignore_unavailable: true });
  };
  return {
    openLive: () => ours(openLive(clients, settings, alias)),
    createNext: () => ours(createNext()),
    switchTo: (name) => ours(switchTo(name)),
    remove: (name) => ours(remove(name)),
    close: () => disconnect(clients),
  };
}

/** Names of Elasticsearch are lower case: "A" becomes "+a", so that no two prefixes share an index. */
const aliasOf = (prefix: string): string =>
  `sites-${prefix.replace(/[A-Z]/g, (char) => `+${char.toLowerCase()}`)}-schema${ELASTICSEARCH_SCHEMA_VERSION}`;

/** Every generation and whether it is in use. */
async function all(client: Client, alias: string): Promise<{ name: string; isUsed: boolean }[]> {
  const found = await client.indices.getAlias({ index: `${alias}-v*` });
  return Object.entries(found).map(([name, { aliases }]) => ({ name, isUsed: alias in aliases }));
}

async function create(
  client: Client,
  settings: ElasticsearchSettings,
  name: string,
  alias: string | undefined,
): Promise<Generation> {
  const id = randomUUID();
  await client.indices.create({
    index: name,
    settings: settingsOf(settings),
    mappings: mappingOf(id),
    aliases: { [writeAlias(name)]: {}, ...(alias !== undefined && { [alias]: {} }) },
  });
  return { name, id };
}

async function nextName(client: Client, alias: string): Promise<string> {
  const numbers = (await all(client, alias)).map(({ name }) => Number(/-v(\d+)$/.exec(name)?.[1] ?? 0));
  return `${alias}-v${Math.max(0, ...numbers) + 1}`;
}

/** The generation in use, made when there is none; several processes may do this at once. */
async function ensureInUse(
  { reading, writing }: Clients,
  settings: ElasticsearchSettings,
  alias: string,
): Promise<Generation> {
  for (let attempt = 1; ; attempt++) {
    const found = await inUse(reading, alias);
    if (found) return found;
    try {
      return await create(writing, settings, await nextName(reading, alias), alias);
    } catch (error) {
      // Another process was first with this name, and its alias comes with it.
      const taken = errorType(error) === "resource_already_exists_exception";
      if (!taken || attempt === CREATE_ATTEMPTS) throw error;
    }
  }
}

/** The generation that the alias names; undefined when there is none. */
async function inUse(client: Client, alias: string): Promise<Generation | undefined> {
  try {
    const found = await client.indices.getMapping({ index: alias });
    const [name, index] = Object.entries(found)[0] ?? [];
    const id: unknown = index?.mappings._meta?.id;
    if (name === undefined || name === alias || typeof id !== "string")
      throw new Error(`Elasticsearch: ${alias} is no alias of an index of ours`);
    return { name, id };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof errors.ResponseError && error.statusCode === 404;

/** Follows the alias. An index that was deleted is made anew, and filled again. */
const openLive = (clients: Clients, settings: ElasticsearchSettings, alias: string): Promise<SiteIndex> =>
  followGenerations(
    () => ensureInUse(clients, settings, alias),
    async ({ name, id }) => openElasticsearchIndex(clients, name, id),
  );
