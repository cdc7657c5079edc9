/** Durable pull consumers that all processes of a role share. */
import { AckPolicy, type Consumer, type ConsumerConfig } from "@nats-io/jetstream";
import type { NatsBroker } from "./nats-broker.ts";
import { isBrokerFault } from "./requests.ts";

/** Every message is acked by itself: the ack of one worker must not speak for what another holds. */
type Settings = Partial<ConsumerConfig> & { ack_wait: number; max_ack_pending: number };

/**
 * Opens a consumer that is created where it is missing, and brought up to date where an older version made it.
 * @throws a broker's fault (requests.ts)
 */
export const openConsumer = async (
  { js, jsm }: NatsBroker,
  stream: string,
  name: string,
  settings: Settings,
): Promise<Consumer> => {
  const config = { durable_name: name, ack_policy: AckPolicy.Explicit, ...settings };
  await jsm.consumers.add(stream, config).catch((error: unknown) => {
    if (isBrokerFault(error)) throw error;
    return jsm.consumers.update(stream, name, config);
  });
  return js.consumers.get(stream, name);
};
