/**
 * What the transparency log says of a host: the verdict, and what was last seen of each service, each as closed words and digests. A
 * state that changed is an entry that names the one before it, so that none can be left out. Pure.
 */
import { hash } from "node:crypto";
import type { AgentService } from "../../schemas/agent-web.ts";
import {
  type ChangeEntry,
  type EarlierLeaf,
  type LoggedChain,
  type LoggedState,
  MAX_CHAINS,
  type ServiceName,
} from "../../schemas/observation-log.ts";
import { normalEndpoint, serviceKey } from "../agent-web/service-key.ts";
import { ringOf } from "../domain/listing/listing.ts";
import { canonicalize } from "../domain/trust/jcs.ts";
import { recordAt, type VerdictFacts, verdictSummary } from "./verdict.ts";

/** How a subject stands now. */
export interface SubjectState {
  service: ServiceName;
  /** null: nothing is concluded now, and what was before may still hold. */
  state: LoggedState | null;
  /** When it was seen so, RFC 3339. */
  seenAt: string | null;
}

/** The verdict first, then the services that were spoken to. @param now broker milliseconds */
export function standingsOf(known: VerdictFacts, now: number): SubjectState[] {
  const { record, presence } = known;
  const { state, reason } = verdictSummary(known, now);
  const ring = record ? ringOf(recordAt(record, now)) : 0;
  const verdict: SubjectState = {
    service: null,
    state: { kind: "verdict", state, reason, ring },
    seenAt: record?.last_visit_at ?? presence?.seen_at ?? null,
  };
  return [verdict, ...(presence?.services ?? []).flatMap(standingOfService)];
}

function standingOfService({ protocol, endpoint, auth, observation }: AgentService): SubjectState[] {
  if (!observation) return [];
  const { class: seen, name, revision, tools_sha256, seen_at } = observation;
  // No answer, or one that puts off, says nothing of the service.
  const isUncertain = seen === "unknown" || seen === "rate_limited";
  const identity_sha256 = name === null && revision === null ? null : digestOf({ name, revision });
  const state = { kind: "observation" as const, class: seen, auth, identity_sha256, tools_sha256 };
  const service = { protocol, endpoint: normalEndpoint(endpoint) };
  return [{ service, state: isUncertain ? null : state, seenAt: seen_at }];
}

/** SHA-256 of a value's RFC 8785 form, in hexadecimal. */
const digestOf = (value: object): string => hash("sha256", canonicalize(value));

export const stateSha256 = (state: LoggedState): string => digestOf(state);

/** What an entry is about: the host alone, or one of its services. */
export const subjectSha256 = (host: string, service: ServiceName): string =>
  digestOf({ host, ...(service && { protocol: service.protocol, endpoint: service.endpoint }) });

/** Name of a chain within its host. */
export const chainKey = (service: ServiceName): string => (service ? serviceKey(service) : "");

/** Whether the newest leaf of a chain says what is so now, as far as anything is concluded now. */
export const isLogged = ({ newest, pending }: LoggedChain, state: LoggedState | null): boolean =>
  pending === undefined && (state === null || newest?.state_sha256 === stateSha256(state));

/** A chain, and the state that the log is still to have of it; null: it has it. */
export interface WantedChain {
  chain: LoggedChain;
  wants: LoggedState | null;
}

/** The chains of a host with what changed: new ones, and those of services that are there no more, which end. */
export function wantedChains(
  chains: readonly LoggedChain[],
  standings: readonly SubjectState[],
): WantedChain[] {
  const known = new Map(chains.map((chain) => [chainKey(chain.service), chain]));
  const current = standings.map(({ service, state }): WantedChain => {
    const chain = known.get(chainKey(service)) ?? { service, newest: null };
    known.delete(chainKey(service));
    return { chain, wants: isLogged(chain, state) || isNoBeginning(chain, state) ? null : state };
  });
  const gone = [...known.values()]
    // What has no leaf yet ends without one.
    .filter(({ newest, pending }) => newest !== null || pending !== undefined)
    .map((chain) => ({ chain, wants: isLogged(chain, WITHDRAWN) ? null : WITHDRAWN }));
  return [...current, ...gone]
    .filter(({ chain, wants }) => wants !== null || chain.newest !== null || chain.pending !== undefined)
    .slice(0, MAX_CHAINS);
}

/** That there is nothing is no news of a host of which nothing was said. */
const isNoBeginning = ({ newest }: LoggedChain, state: LoggedState | null): boolean =>
  newest === null && state?.kind === "verdict" && (state.state === "disabled" || state.state === "unknown");

const WITHDRAWN: LoggedState = {
  kind: "observation",
  class: "withdrawn",
  auth: "unknown",
  identity_sha256: null,
  tools_sha256: null,
};

/** Whether a chain says that its service is there no more: it is kept no longer. */
export const isEnded = ({ newest, pending }: LoggedChain): boolean =>
  pending === undefined && newest?.state_sha256 === stateSha256(WITHDRAWN);

/** The next entry of a chain, in RFC 8785 form. @param at RFC 3339 */
export function changeEntry(
  host: string,
  { service, newest }: LoggedChain,
  state: LoggedState,
  { id, at }: { id: string; at: string },
): string {
  const previous: EarlierLeaf = newest && { index: newest.index, leaf_sha256: newest.leaf_sha256 };
  const entry: ChangeEntry = { v: 1, id, at, subject: subjectSha256(host, service), previous, ...state };
  return canonicalize(entry);
}

/** The state that an entry says. */
export function stateOfEntry({
  v: _,
  id: __,
  at: ___,
  subject: ____,
  previous: _____,
  ...state
}: ChangeEntry) {
  return state as LoggedState;
}
