/** The Price Time Machine, bound to this process. */
import { readFileSync } from "node:fs";
import { PriceHistory, PriceOffer } from "../../../schemas/price.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { followRecords } from "../../../src/stores/follow.ts";
import { openRecords } from "../../../src/stores/records.ts";
import { lookAtOffersOf } from "../common/offer-page.ts";
import type { Scans } from "../common/scans.ts";
import type { RunningModule } from "../role.ts";
import { price } from "./contract.ts";
import { priceHandlers } from "./handlers.ts";
import { createLooks } from "./looks.ts";
import type { MatchModel } from "./matching.ts";
import { Offers } from "./offers.ts";
import { trackLook } from "./tracking.ts";

const MODEL = new URL("../../../models/price/", import.meta.url);

/** The committed matcher (models/price). */
export const readMatchModel = (): MatchModel => {
  const { words, ...model } = JSON.parse(readFileSync(new URL("model.json", MODEL), "utf8"));
  return { ...model, words: { ...words, weights: new Int8Array(readFileSync(new URL("words.bin", MODEL))) } };
};

export const start = async (runtime: Runtime, scans: Scans): Promise<RunningModule> => {
  const { broker, identity, log } = runtime;
  const model = readMatchModel();
  const offers = new Offers(model);
  const following = await followRecords({
    bucket: broker.buckets.price_offers,
    schema: PriceOffer,
    onPut: (key, offer) => offers.put(key, offer),
    onRemove: (key) => offers.remove(key),
    log,
  });
  const tracking = {
    histories: openRecords(broker.buckets.prices, PriceHistory),
    latest: openRecords(broker.buckets.price_offers, PriceOffer),
    limiter: runtime.limiter,
    secret: identity.secret,
    now: broker.now,
  };
  const looks = createLooks(
    lookAtOffersOf(runtime, scans),
    (look, page) => trackLook(tracking, look, page),
    (error) => log.error({ err: error }, "a look at an offer failed"),
  );
  const handlers = priceHandlers({ ...tracking, looks, offers, model });
  return {
    serving: runtime.serve(price, handlers),
    close: async () => {
      await looks.close();
      following.stop();
    },
  };
};
