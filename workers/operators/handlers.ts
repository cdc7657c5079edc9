/** What operators see and change. Who did it is written by the front, for every operation that changes something. */
import type { Logger } from "pino";
import type { SiteRecord } from "../../schemas/site.ts";
import type { SiteVerdicts } from "../../src/crawl/known-site.ts";
import { hostKey, registrableDomain } from "../../src/domain/names/domain-name.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { type Frontier, visitNow } from "../../src/ports/frontier.ts";
import type { Handlers } from "../../src/rpc/contract.ts";
import { Failure, fail } from "../../src/rpc/errors.ts";
import {
  allBlocks,
  type Block,
  blockHost,
  blockHosts,
  blockKey,
  parseBlockTarget,
} from "../../src/stores/block-list.ts";
import type { AuditLog } from "../../src/stores/operators.ts";
import { allRecords, type Records } from "../../src/stores/records.ts";
import type { ReportStore } from "../../src/stores/reports.ts";
import type { DeadLetter } from "../crawler/contract.ts";
import { decideReport } from "../gateway/bounty/decide.ts";
import { reportQueue, WAITING } from "../gateway/bounty/queue.ts";
import { type AppealDeps, appealQueue, decideAppeal } from "./appeals.ts";
import type { operators } from "./contract.ts";
import { listHosts } from "./hosts.ts";
import { getOverview, type OverviewDeps } from "./overview.ts";

export interface OperatorDeps extends OverviewDeps, Pick<AppealDeps, "appeals" | "operators"> {
  broker: Pick<Broker, "buckets" | "counters" | "now" | "storage">;
  sites: Pick<Records<SiteRecord>, "get" | "count" | "newest">;
  verdictOn: SiteVerdicts;
  blocks: Records<Block>;
  letters: Records<DeadLetter>;
  reports: ReportStore;
  frontier: Pick<Frontier, "bringForward" | "add" | "lag">;
  audit: AuditLog;
  clock: Clock;
  log: Logger;
}

type ReportHandlers = Pick<Handlers<typeof operators>, "listReports" | "decideReport">;

type BlockHandlers = Pick<
  Handlers<typeof operators>,
  "listBlocks" | "blockSite" | "blockSites" | "unblockSite"
>;

type AppealHandlers = Pick<Handlers<typeof operators>, "listAppeals" | "decideAppeal">;

export const operatorsHandlers = (deps: OperatorDeps): Handlers<typeof operators> => ({
  ...reportHandlers(deps),
  ...blockHandlers(deps),
  ...appealHandlers(deps),

  getOperator: async (_, { principal: { name, role } }) => ({ name, role }),

  getOverview: getOverview(deps),
  listHosts: listHosts(deps),

  readSite: async ({ params: { domain } }) => {
    const host = hostOf(domain);
    if (host instanceof Failure) return host;
    const { verdict, record } = await deps.verdictOn(host, deps.broker.now());
    return { verdict, record: record ?? null };
  },

  listDeadLetters: async ({ query: { limit } }) => {
    const letters = (await allRecords(deps.letters)).sort((a, b) => (a.at < b.at ? 1 : -1));
    const shown = letters.slice(0, limit).map(({ host, ...letter }) => ({ domain: host, ...letter }));
    return { total: letters.length, letters: shown };
  },

  retryVisit: async ({ params: { domain } }) => {
    const host = hostOf(domain);
    if (host instanceof Failure) return host;
    const letter = await deps.letters.get(hostKey(host));
    if (!letter) return fail("not_found", `There is no dead letter of ${host}.`);
    const again = { source: "audit", visited: true } as const;
    await visitNow(deps.frontier, letter.value.host, deps.broker.now(), again);
    await deps.letters.remove(hostKey(host));
    return { domain: host, queued: true as const };
  },

  readAudit: async ({ query: { limit, before } }) => ({ entries: await deps.audit.newest(limit, before) }),
});

const reportHandlers = ({ broker, reports, clock, log }: OperatorDeps): ReportHandlers => ({
  listReports: async ({ query: { state, domain, limit } }) => {
    const host = domain === undefined ? undefined : hostOf(domain);
    if (host instanceof Failure) return host;
    const filter = {
      states: state ? [state] : WAITING,
      domain: host === undefined ? undefined : registrableDomain(host),
      limit,
    };
    return reportQueue(broker.buckets.bounty_reports, filter, { clock, log });
  },
  decideReport: async ({ params: { id }, body: { state, why, of } }, { principal: { name: who } }) => {
    const made = await decideReport(reports, { id, state, reason: why, who, of }, broker.now());
    if (made.ok) return { report: made.report };
    return made.code === "not_found"
      ? fail("not_found", `There is no report ${made.id}.`)
      : fail("decision_refused", made.detail);
  },
});

function hostOf(text: string): string | Failure<"invalid_domain"> {
  const parsed = parsePastedDomain(text);
  return parsed.ok ? parsed.host : fail("invalid_domain", `The domain ${parsed.detail}.`);
}

function blockHandlers(deps: OperatorDeps): BlockHandlers {
  const { blocks } = deps;
  const by = "operator";
  return {
    listBlocks: async ({ query: { limit } }) => {
      const found = await allBlocks(blocks);
      return { total: found.length, blocks: found.slice(0, limit).map(shownBlock) };
    },
    blockSite: async ({ params: { domain }, body: { why } }, { principal: { name: who } }) => {
      const target = targetOf(domain);
      if (target instanceof Failure) return target;
      await blockHost(deps, target, { why, by, who });
      return shownBlock((await blocks.get(blockKey(target)))!.value);
    },
    blockSites: async ({ body: { domains, why } }, { principal: { name: who } }) => {
      const named = domains.map((domain) => ({ domain, parsed: parseBlockTarget(domain) }));
      const targets = [...new Set(named.flatMap(({ parsed }) => (parsed.ok ? parsed.target : [])))];
      await blockHosts(deps, targets, { why, by, who });
      const refused = named.flatMap(({ domain, parsed }) =>
        parsed.ok ? [] : { domain, detail: `The domain ${parsed.detail}.` },
      );
      return { blocked: targets, refused };
    },
    unblockSite: async ({ params: { domain } }) => {
      const target = targetOf(domain);
      if (target instanceof Failure) return target;
      if (!(await blocks.get(blockKey(target)))) return fail("not_found", `${target} is not blocked.`);
      await blocks.remove(blockKey(target));
      return { domain: target, lifted: true as const };
    },
  };
}

const shownBlock = ({ host, at, why, by }: Block) => ({ domain: host, at, why, by: by ?? null });

function targetOf(text: string): string | Failure<"invalid_domain"> {
  const parsed = parseBlockTarget(text);
  return parsed.ok ? parsed.target : fail("invalid_domain", `The domain ${parsed.detail}.`);
}

const appealHandlers = (deps: OperatorDeps): AppealHandlers => ({
  listAppeals: ({ query: { state, limit } }) =>
    appealQueue(deps, { state: state === "all" ? undefined : state, limit }),
  decideAppeal: async (
    { params: { domain, appealId }, body: { state, why } },
    { principal: { name: who } },
  ) => {
    const host = hostOf(domain);
    return host instanceof Failure ? host : decideAppeal(deps, { domain: host, appealId, state, why, who });
  },
});
