/**
 * Each change of a host's verdict or services becomes a leaf of the transparency log. A visit waits for its leaves, so that what it
 * stores names none that a power cut takes along; a log that takes none now holds up no visit: the next one tries again.
 */
import type { AgentPresence } from "../../schemas/agent-web.ts";
import { ChangeEntry, type LoggedChain, type LoggedHost } from "../../schemas/observation-log.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { serviceKey } from "../../src/agent-web/service-key.ts";
import { type OnChange, warnOnChange } from "../../src/concurrency/warn-on-change.ts";
import {
  chainKey,
  changeEntry,
  isEnded,
  isLogged,
  type SubjectState,
  standingsOf,
  stateOfEntry,
  stateSha256,
  type WantedChain,
  wantedChains,
} from "../../src/crawl/logged-states.ts";
import { registrableDomain } from "../../src/domain/names/domain-name.ts";
import { leafHash } from "../../src/domain/trust/tlog/merkle.ts";
import type { TransparencyLog } from "../../src/ports/log.ts";
import { iso } from "../../src/ports/time.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { loggedKey, openLoggedHosts } from "../../src/stores/logged-hosts.ts";
import type { Records } from "../../src/stores/records.ts";

export interface ChangesDeps {
  logged: Pick<Records<LoggedHost>, "get" | "compareAndSet" | "remove">;
  transparency: () => Promise<Pick<TransparencyLog, "commit">>;
  limiter: Pick<Limiter, "refusal">;
  said: OnChange;
  /** Broker milliseconds. */
  now: () => number;
}

export const openChanges = ({
  broker,
  transparency,
  limiter,
  log,
}: Pick<Runtime, "broker" | "transparency" | "limiter" | "log">): ChangesDeps => ({
  logged: openLoggedHosts(broker.buckets.contents),
  transparency,
  limiter,
  said: warnOnChange(log),
  now: broker.now,
});

/** What a visit leaves of a host; without record and presence it is forgotten. */
export interface Left {
  record?: SiteRecord | undefined;
  presence?: AgentPresence | undefined;
  isBlocked?: boolean;
}

/** What the log has of a host's services now: index of the leaf, by `serviceKey`. */
export type Leaves = ReadonlyMap<string, number>;

/** Logs what changed of a host. @throws a broker's fault */
export async function logChanges(
  deps: ChangesDeps,
  host: string,
  { record, presence, isBlocked = false }: Left,
): Promise<Leaves> {
  const { logged, now } = deps;
  const key = loggedKey(host);
  const stored = await logged.get(key);
  const isKept = record !== undefined || presence !== undefined;
  if (!stored && !isKept) return new Map();
  const before = stored?.value.chains ?? [];
  const standings = standingsOf({ host, record, presence, isBlocked }, now());
  const chains = await withPending(deps, host, wantedChains(before, standings));
  let revision = stored?.revision ?? 0;
  const isAny = chains.some(({ pending }) => pending !== undefined);
  if (isAny) {
    const noted = await logged.compareAndSet(key, { v: 1, host, chains }, revision);
    // Another visit of this host logs.
    if (noted === undefined) return new Map();
    revision = noted;
  }
  const after = await Promise.all(chains.map((chain) => appended(deps, chain)));
  const kept = after.filter((chain) => !isEnded(chain));
  if (!isKept) await logged.remove(key);
  else if (isAny || kept.length < before.length)
    await logged.compareAndSet(key, { v: 1, host, chains: kept }, revision);
  return leavesOf(kept, standings);
}

/** The chains with the entries that they are to have, as many as the host may still have today. */
async function withPending(
  { limiter, now }: ChangesDeps,
  host: string,
  wanted: readonly WantedChain[],
): Promise<LoggedChain[]> {
  const payer = { host, domain: registrableDomain(host) };
  const chains: LoggedChain[] = [];
  let isSpent = false;
  for (const { chain, wants } of wanted) {
    // What is on its way goes first: the next entry names it.
    const isNext = wants !== null && chain.pending === undefined;
    isSpent ||= isNext && (await limiter.refusal("logged_changes", payer)) !== undefined;
    const isAdded = isNext && !isSpent;
    const pending = isAdded
      ? changeEntry(host, chain, wants, { id: uuidv7(), at: iso(now()) })
      : chain.pending;
    chains.push({ ...chain, ...(pending !== undefined && { pending }) });
  }
  return chains;
}

/** The chain with its entry in the log; as it was where the log does not take it now. */
async function appended({ transparency, said }: ChangesDeps, chain: LoggedChain): Promise<LoggedChain> {
  const { pending, ...rest } = chain;
  if (pending === undefined) return chain;
  const entry = ChangeEntry.parse(JSON.parse(pending));
  try {
    const log = await transparency();
    const { leafIndex, leaf } = await log.commit({ kind: "change" }, entry.id, Buffer.from(pending));
    const leaf_sha256 = Buffer.from(leafHash(leaf)).toString("hex");
    const newest = { index: leafIndex, leaf_sha256, state_sha256: stateSha256(stateOfEntry(entry)) };
    said.works(NOT_LOGGED);
    return { ...rest, newest };
  } catch (error) {
    said.warn(NOT_LOGGED, error);
    return chain;
  }
}

const NOT_LOGGED = "changes of sites are not in the log; their next visits try again";

function leavesOf(chains: readonly LoggedChain[], standings: readonly SubjectState[]): Leaves {
  const byKey = new Map(chains.map((chain) => [chainKey(chain.service), chain]));
  return new Map(
    standings.flatMap(({ service, state }) => {
      const chain = byKey.get(chainKey(service));
      const isSaid = chain?.newest && state !== null && isLogged(chain, state);
      return service && isSaid ? [[serviceKey(service), chain.newest!.index] as const] : [];
    }),
  );
}

/** A presence whose observations name their leaves. */
export const withLeaves = (presence: AgentPresence, leaves: Leaves): AgentPresence => ({
  ...presence,
  services: presence.services.map((service) => {
    if (!service.observation) return service;
    const { leaf_index: _, ...observation } = service.observation;
    const leaf_index = leaves.get(serviceKey(service));
    return { ...service, observation: { ...observation, ...(leaf_index !== undefined && { leaf_index }) } };
  }),
});
