/** The Price Time Machine, bound to this process. */
import { readFileSync } from "node:fs";
import { PriceHistory, PriceOffer } from "../../../schemas/price.ts";
import { followRecords } from "../../../src/adapters/nats/follow.ts";
import { openRecords } from "../../../src/adapters/nats/records.ts";
import type { Runtime } from "../../../src/runtime.ts";
import { serve } from "../../../src/serve.ts";
import type { RunningModule } from "../role.ts";
import { price } from "./contract.ts";
import { priceHandlers } from "./handlers.ts";
import type { MatchModel } from "./matching.ts";
import { Offers } from "./offers.ts";

const MODEL = new URL("../../../models/price/", import.meta.url);

/** The committed matcher (models/price). */
export const readMatchModel = (): MatchModel => {
  const { words, ...model } = JSON.parse(readFileSync(new URL("model.json", MODEL), "utf8"));
  return { ...model, words: { ...words, weights: new Int8Array(readFileSync(new URL("words.bin", MODEL))) } };
};

export const start = async ({ broker, log }: Runtime): Promise<RunningModule> => {
  const model = readMatchModel();
  const offers = new Offers(model);
  const following = await followRecords({
    bucket: broker.buckets.price_offers,
    schema: PriceOffer,
    onPut: (key, offer) => offers.put(key, offer),
    onRemove: (key) => offers.remove(key),
    log,
  });
  const handlers = priceHandlers({
    histories: openRecords(broker.buckets.prices, PriceHistory),
    latest: openRecords(broker.buckets.price_offers, PriceOffer),
    offers,
    model,
    now: broker.now,
  });
  return {
    serving: serve(broker.connection, broker.prefix, price, handlers, log),
    close: async () => following.stop(),
  };
};
