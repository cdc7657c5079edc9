/** Threads of the module's own: its models are larger than all the rest of the gateway. */
import type { Handlers } from "../../../src/rpc/contract.ts";
import type { GatewayContext } from "../common/context.ts";
import { openScans } from "../common/scans.ts";
import type { neural } from "./contract.ts";
import { neuralHandlers } from "./handlers.ts";

export const openNeural = ({ fetchPage, onClose }: GatewayContext): Handlers<typeof neural> => {
  const { scans, close } = openScans();
  onClose(close);
  return neuralHandlers({ fetchPage, scans });
};
