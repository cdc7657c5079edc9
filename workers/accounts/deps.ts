/** Dependencies of the accounts handlers. */
import type { Logger } from "pino";
import type { ConfirmedReports } from "../../schemas/bounty.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import type { AddressException } from "../../src/domain/names/address.ts";
import type { Broker } from "../../src/ports/broker.ts";
import type { Counters } from "../../src/ports/counters.ts";
import type { Resolver } from "../../src/ports/dns.ts";
import type { DelayedQueue } from "../../src/ports/queue.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import type { AccountStore } from "../../src/stores/accounts.ts";
import type { Appeals } from "../../src/stores/appeals.ts";
import type { BlockingDeps } from "../../src/stores/block-list.ts";
import type { Contents } from "../../src/stores/contents.ts";
import type { UploadedDocument } from "../../src/stores/hosted-documents.ts";
import type { MailTokens } from "../../src/stores/mail-tokens.ts";
import type { Passwords } from "../../src/stores/passwords.ts";
import type { PlanRequests } from "../../src/stores/plan-requests.ts";
import type { Plans } from "../../src/stores/plans.ts";
import type { Presences } from "../../src/stores/presences.ts";
import type { Records } from "../../src/stores/records.ts";
import type { Tokens } from "../../src/stores/tokens.ts";
import type { Wallets } from "../../src/stores/wallets.ts";
import type { Outbox } from "./mail/outbox.ts";
import type { Watches } from "./watches/store.ts";

export interface AccountsDeps extends BlockingDeps {
  broker: Pick<Broker, "buckets" | "now">;
  store: AccountStore;
  /** Documents that owners gave for their sites. */
  uploaded: Records<UploadedDocument>;
  wallets: Wallets;
  plans: Plans;
  planRequests: PlanRequests;
  passwords: Passwords;
  /** Log-in tokens. */
  tokens: Tokens;
  counters: Counters;
  limiter: Limiter;
  resolver: Pick<Resolver, "txt" | "addresses">;
  /** Addresses beyond public ones that webhooks may go to. */
  allow: readonly AddressException[];
  /** Where webhooks are put on their way. */
  webhooks: Pick<DelayedQueue, "add">;
  watches: Watches;
  presences: Pick<Presences, "get">;
  sites: Pick<Records<SiteRecord>, "get">;
  /** Of owners, against decisions about their sites. */
  appeals: Appeals;
  confirmed: Pick<Records<ConfirmedReports>, "get">;
  contents: Pick<Contents, "get">;
  /** Key of the HMACs that hide addresses in accounts and derive ownership proofs. */
  secret: string;
  /** Milliseconds. */
  now: () => number;
  outbox: Outbox;
  mailTokens: MailTokens;
  /** Address of the registry, without a final slash. */
  publicUrl: string;
  log: Logger;
}
