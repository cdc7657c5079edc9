/** Dependencies of the access handlers. */
import type { AccessQueueRecord, AccessRequestRecord } from "../../schemas/access.ts";
import type { SiteStores } from "../../src/crawl/known-site.ts";
import type { Limiter } from "../../src/rpc/limits.ts";
import type { AccountStore } from "../../src/stores/accounts.ts";
import type { Records } from "../../src/stores/records.ts";
import type { Wallets } from "../../src/stores/wallets.ts";

export interface AccessDeps extends SiteStores {
  store: AccountStore;
  requests: Records<AccessRequestRecord>;
  queues: Records<AccessQueueRecord>;
  wallets: Wallets;
  limiter: Pick<Limiter, "refusal">;
  /** Milliseconds. */
  now: () => number;
}

/** Keys within the bucket `access_requests`. */
export const requestKey = (requestId: string): string => `request.${requestId}`;
export const queueKey = (ownerId: string): string => `queue.${ownerId}`;
