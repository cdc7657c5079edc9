import { joinBroker } from "../support/gate.ts";
import { bucketSuite } from "./buckets.ts";

bucketSuite("a bucket on NATS", async () => {
  const broker = await joinBroker();
  return { bucket: broker.buckets.accounts, close: broker.close };
});
