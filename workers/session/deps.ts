/** What the operations of sessions work with. */
import type { DiscoveryDocument } from "../../schemas/discovery-document.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import type { KeyedMutex } from "../../src/concurrency/keyed-mutex.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { TransparencyLog } from "../../src/ports/log.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import type { AccountStore } from "../../src/stores/accounts.ts";
import type { HostedSites } from "../../src/stores/hosted-documents.ts";
import type { Records } from "../../src/stores/records.ts";
import type { Tokens } from "../../src/stores/tokens.ts";
import type { Wallets } from "../../src/stores/wallets.ts";
import type { FetchPageOptions } from "./pages/fetch-page.ts";
import type { PageReader } from "./pages/page-reader.ts";
import type { DescribedPage } from "./pages/page-tasks.ts";
import type { PublicPages } from "./pages/public-pages.ts";
import type { ReadText, TextReader } from "./pages/text-reader.ts";
import type { Receipts } from "./receipts/store.ts";
import type { Scripts } from "./scripts.ts";
import type { Documents } from "./site.ts";
import type { Sessions } from "./store.ts";

export interface SessionDeps {
  sessions: Sessions;
  receipts: Receipts;
  /** The transparency log, which receipts' hashes go to. */
  transparency: () => Promise<TransparencyLog>;
  /** One command of a session at a time, in this process. */
  bySession: KeyedMutex;
  /** Session tokens. */
  tokens: Tokens;
  siteTokens: Tokens;
  accounts: AccountStore;
  wallets: Pick<Wallets, "licenseFor">;
  limiter: Limiter;
  sites: Records<SiteRecord>;
  documents: Documents;
  hosted: HostedSites;
  scripts: Scripts;
  reader: PageReader;
  publicPages: PublicPages<DescribedPage>;
  publicTexts: PublicPages<ReadText>;
  /** Scans texts of sites. */
  screen: TextReader["screen"];
  fetching: FetchPageOptions;
  clock: Clock;
  /** Broker milliseconds. */
  now: () => number;
  /** Names this process. */
  holder: string;
  publicUrl: string;
  /** The registry's own host. */
  ownHost: string;
  ownDocument: () => Promise<DiscoveryDocument>;
  /** Port of https addresses that name none. */
  httpsPort: number;
}
