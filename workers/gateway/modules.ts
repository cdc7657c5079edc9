/**
 * The modules of the gateway, one line each, in the order of the documentation: a contract, and how its handlers open on
 * what all modules share. The front reads the contracts of this table; handlers load where the role starts.
 */
import type { Handlers, Service } from "../../src/rpc/contract.ts";
import type { RunningService } from "../../src/rpc/serving.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { affiliate } from "./affiliate/contract.ts";
import { bargaining } from "./bargaining/contract.ts";
import { bounty } from "./bounty/contract.ts";
import type { GatewayContext } from "./common/context.ts";
import { darkPattern } from "./dark-pattern/contract.ts";
import { firewall } from "./firewall/contract.ts";
import { gov } from "./gov/contract.ts";
import { neural } from "./neural/contract.ts";
import { notary } from "./notary/contract.ts";
import { price } from "./price/contract.ts";
import { protocolModule } from "./protocol/contract.ts";

interface GatewayModule {
  readonly service: Service;
  start(runtime: Runtime, context: GatewayContext): Promise<RunningService>;
}

/** @param open gives the handlers; what it starts beside them it registers with `context.onClose` */
const module = <S extends Service>(
  service: S,
  open: (context: GatewayContext) => Promise<Handlers<S>>,
): GatewayModule => ({
  service,
  start: async (runtime, context) => runtime.serve(service, await open(context)),
});

export const MODULES: readonly GatewayModule[] = [
  module(neural, async (context) => (await import("./neural/handlers.ts")).openNeural(context)),
  module(darkPattern, async (context) =>
    (await import("./dark-pattern/handlers.ts")).darkPatternHandlers(context),
  ),
  module(firewall, async (context) => (await import("./firewall/handlers.ts")).firewallHandlers(context)),
  module(price, async (context) => (await import("./price/state.ts")).openPrice(context)),
  module(bargaining, async (context) => (await import("./bargaining/state.ts")).openBargaining(context)),
  module(bounty, async (context) => (await import("./bounty/state.ts")).openBounty(context)),
  module(notary, async (context) => (await import("./notary/state.ts")).openNotary(context)),
  module(protocolModule, async (context) =>
    (await import("./protocol/handlers.ts")).protocolModuleHandlers(context),
  ),
  module(affiliate, async (context) => (await import("./affiliate/handlers.ts")).affiliateHandlers(context)),
  module(gov, async (context) => (await import("./gov/handlers.ts")).govHandlers(context)),
];
