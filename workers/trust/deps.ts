/** Dependencies of the trust handlers. */
import type { LoggedHost } from "../../schemas/observation-log.ts";
import type { Registration } from "../../schemas/ring4.ts";
import type { SiteStores } from "../../src/crawl/known-site.ts";
import type { Looks } from "../../src/crawl/look.ts";
import type { Polite } from "../../src/egress/polite.ts";
import type { Resolver, SignedSets } from "../../src/ports/dns.ts";
import type { Frontier } from "../../src/ports/frontier.ts";
import type { TransparencyLog } from "../../src/ports/log.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import type { Contents } from "../../src/stores/contents.ts";
import type { Records } from "../../src/stores/records.ts";
import type { Cosignatures } from "./witnesses.ts";

export interface TrustDeps extends SiteStores {
  registrations: Records<Registration>;
  /** What hosts publish for agents, too. */
  looks: Pick<Looks, "presence">;
  /** Where the log has hosts' verdicts and services. */
  logged: Pick<Records<LoggedHost>, "get">;
  contents: Contents;
  frontier: Frontier;
  polite: Polite;
  resolver: Resolver & SignedSets;
  transparency: TransparencyLog;
  cosignatures: Cosignatures;
  limiter: Pick<Limiter, "refusal">;
  /** Broker milliseconds. */
  now: () => number;
}
