/** What the transparency log says of a site and its services, with proofs: anybody can check the history without trusting this registry. */
import { ChangeEntry, type LoggedChain, type SiteObservations } from "../../schemas/observation-log.ts";
import { knownSite } from "../../src/crawl/known-site.ts";
import {
  chainKey,
  isLogged,
  type SubjectState,
  standingsOf,
  subjectSha256,
} from "../../src/crawl/logged-states.ts";
import { parsePastedDomain } from "../../src/domain/names/pasted-domain.ts";
import type { Input } from "../../src/rpc/contract.ts";
import { type Failure, fail } from "../../src/rpc/errors.ts";
import { loggedKey } from "../../src/stores/logged-hosts.ts";
import type { trust } from "./contract.ts";
import type { TrustDeps } from "./deps.ts";

type Asked = Input<(typeof trust)["operations"]["listObservations"]>;
type Refused = Failure<"invalid_domain" | "site_not_registered" | "not_found" | "invalid_cursor">;
type History = Pick<SiteObservations, "entries" | "next_cursor" | "erased">;

export async function siteObservations(
  deps: TrustDeps,
  { params, query }: Asked,
): Promise<SiteObservations | Refused> {
  const parsed = parsePastedDomain(params.domain);
  if (!parsed.ok)
    return fail("invalid_domain", `domain ${parsed.detail}. Send a domain such as shop.example.`);
  const { host } = parsed;
  const [known, logged] = await Promise.all([knownSite(deps, host), deps.logged.get(loggedKey(host))]);
  if (!logged || known.isBlocked)
    return fail("site_not_registered", `The log has nothing of ${host}, or no more.`);
  const standings = standingsOf(known, deps.now());
  const subjects = logged.value.chains.map((chain) => subjectOf(host, chain, standings));
  const asked = query.subject ?? subjectSha256(host, null);
  const chosen = subjects.find(({ subject }) => subject === asked);
  if (!chosen && query.subject !== undefined)
    return fail("not_found", `No subject of ${host} has this digest; subjects lists those that there are.`);
  const head = await deps.transparency.head();
  const from = query.cursor === undefined ? (chosen?.leaf_index ?? null) : Number(query.cursor);
  if (from !== null && from >= head.size) return invalidCursor();
  const history = await historyOf(deps, asked, from, query.limit, head.size);
  if (!history) return invalidCursor();
  const since = query.log_size;
  const isAhead = since === undefined || since > head.size;
  return {
    domain: host,
    log: {
      checkpoint: await deps.cosignatures.under(head),
      consistency_proof: isAhead
        ? null
        : (await deps.transparency.consistencyProof(since, head.size)).map(base64),
    },
    subjects,
    subject: from === null ? null : asked,
    ...history,
  };
}

const invalidCursor = () => fail("invalid_cursor", "Start again without a cursor.");

function subjectOf(
  host: string,
  chain: LoggedChain,
  standings: readonly SubjectState[],
): SiteObservations["subjects"][number] {
  const { service, newest } = chain;
  const standing = standings.find((each) => chainKey(each.service) === chainKey(service));
  const isSaid = standing !== undefined && isLogged(chain, standing.state);
  return {
    subject: subjectSha256(host, service),
    service,
    leaf_index: newest?.index ?? null,
    waits: !isSaid,
    confirmed_at: isSaid && standing.state !== null ? standing.seenAt : null,
  };
}

/** Entries of a subject from a leaf on, the newest first. @returns undefined where that leaf is not one of its entries */
async function historyOf(
  { transparency }: Pick<TrustDeps, "transparency">,
  subject: string,
  from: number | null,
  limit: number,
  size: number,
): Promise<History | undefined> {
  const entries: History["entries"] = [];
  let next = from;
  while (next !== null && entries.length < limit) {
    const found = await transparency.leaf(next);
    if (!found) return undefined;
    if ("leaf_index" in found) return { entries, next_cursor: null, erased: next };
    const { leaf, opening } = found;
    const entry = opening && textOf(opening.entry);
    const read = entry === undefined ? undefined : ChangeEntry.safeParse(JSON.parse(entry));
    if (!opening || entry === undefined || !read?.success || read.data.subject !== subject) return undefined;
    const proof = await transparency.inclusionProof(next, size);
    const proved = { leaf_index: next, leaf: textOf(leaf), salt: base64(opening.salt), entry };
    entries.push({ ...proved, inclusion_proof: proof.map(base64) });
    next = read.data.previous?.index ?? null;
  }
  return { entries, next_cursor: next === null ? null : String(next), erased: null };
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
