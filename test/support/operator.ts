/** What an operator does on the registry's machine: operations over its broker, as `bridge call` makes them. */
import { callOverBroker } from "../../app/cli/call.ts";
import { operationNamed } from "../../app/cli/operation-command.ts";
import type { OperationInput } from "../../app/front/mcp/tools/tool.ts";
import { Failure } from "../../src/rpc/errors.ts";
import type { Config } from "../../src/runtime/config.ts";

export function createOperator(config: Config) {
  /** @throws the failure, where there is one */
  const call = async (name: string, input: OperationInput): Promise<any> => {
    const reply = await callOverBroker(config, operationNamed(name), input, "ada");
    if (reply instanceof Failure) throw reply;
    return reply;
  };
  const accountId = async (email: string): Promise<string> =>
    (await call("findAccount", { query: { email } })).user.id;
  return {
    call,
    block: (domain: string, why = "test") => call("blockSite", { params: { domain }, body: { why } }),
    unblock: (domain: string) => call("unblockSite", { params: { domain } }),
    suspend: async (email: string, suspended = true) =>
      call("suspendAccount", {
        params: { accountId: await accountId(email) },
        body: { suspended, why: "test" },
      }),
    grant: async (email: string, tier: string) =>
      call("setPlan", { params: { accountId: await accountId(email) }, body: { tier, why: "test" } }),
  };
}
export type TestOperator = ReturnType<typeof createOperator>;
