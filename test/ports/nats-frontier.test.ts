import { openFrontier } from "../../src/adapters/nats/frontier.ts";
import { joinBroker } from "../support/gate.ts";
import { frontierSuite } from "./frontier.ts";

frontierSuite("the frontier on NATS", async (leaseMs) => {
  const broker = await joinBroker();
  return { frontier: openFrontier(broker, leaseMs), now: broker.now, close: broker.close };
});
