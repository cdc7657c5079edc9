/** What the module keeps in a process: every named offer, followed in memory, and a queue of observations. */
import { PriceHistory, PriceOffer } from "../../../schemas/price.ts";
import type { Handlers } from "../../../src/rpc/contract.ts";
import { followRecords } from "../../../src/stores/follow.ts";
import { openRecords } from "../../../src/stores/records.ts";
import type { GatewayContext } from "../common/context.ts";
import type { price } from "./contract.ts";
import { priceHandlers } from "./handlers.ts";
import { OFFER_KEYS } from "./history.ts";
import { readMatchModel } from "./model.ts";
import { openObservationQueue } from "./observations.ts";
import { trackObservation } from "./observed-offers.ts";
import { Offers } from "./offers.ts";

export async function openPrice({
  buckets,
  clock,
  limiter,
  log,
  now,
  onClose,
  readOfferPage,
  secret,
}: GatewayContext): Promise<Handlers<typeof price>> {
  const model = readMatchModel();
  const offers = new Offers(model);
  const following = await followRecords({
    bucket: buckets.prices,
    schema: PriceOffer,
    key: OFFER_KEYS,
    onPut: (key, offer) => offers.put(key, offer),
    onRemove: (key) => offers.remove(key),
    clock,
    log,
  });
  onClose(() => following.stop());
  const tracking = {
    histories: openRecords(buckets.prices, PriceHistory),
    latest: openRecords(buckets.prices, PriceOffer),
    limiter,
    secret,
    now,
  };
  const queue = openObservationQueue(
    readOfferPage,
    (request, page) => trackObservation(tracking, request, page),
    (error) => log.error({ err: error }, "an observation of an offer failed"),
  );
  onClose(() => queue.close());
  return priceHandlers({ ...tracking, queue, offers, model });
}
