/** `bridge call`: one operation of a registry. Those of operators go over its broker, all others over HTTP. */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";
import { text as streamText } from "node:stream/consumers";
import { Command } from "commander";
import { isOpenToAll, operationSubject, timeoutOf } from "../../src/rpc/contract.ts";
import { Failure, httpStatusOf } from "../../src/rpc/errors.ts";
import { parseRequest } from "../../src/rpc/validation.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openAuditLog } from "../../src/stores/operators.ts";
import { callBytes } from "../../src/transport/client.ts";
import type { OperationInput } from "../front/mcp/tools/tool.ts";
import { publicUrlOf } from "../processes/registry-address.ts";
import { callOverHttp, registryOf } from "./http-caller.ts";
import {
  type CallableOperation,
  type CommonOptions,
  failureText,
  inputOf,
  isOfOperators,
  listOperations,
  operationCommand,
  operationNamed,
} from "./operation-command.ts";
import { withRuntime } from "./parts.ts";
import { replyLines } from "./reply-lines.ts";
import { CommandError, print, readTextFile } from "./terminal.ts";

/** By the rights of whoever holds the broker's address: an act is in the audit log under the name of `as`. */
export const callOverBroker = (
  config: Config,
  { service, key, spec }: CallableOperation,
  input: OperationInput,
  as: string = userInfo().username,
): Promise<unknown> =>
  withRuntime(config, async ({ broker }) => {
    const principal = { kind: "operator", name: as, role: "admin", accountId: null } as const;
    const context = { requestId: randomUUID(), timeoutMs: timeoutOf(spec), principal, allowances: [] };
    const subject = operationSubject(broker.prefix, service.name, key);
    const ask = () =>
      callBytes(broker.connection, subject, JSON.stringify(input), {
        ...context,
        host: "",
        clientAddress: "",
      });
    const act = { operator: as, account_id: null, action: `${service.name}.${key}`, input };
    const reply =
      spec.method === "GET"
        ? await ask()
        : await openAuditLog(broker.buckets, broker.now).during(act, ask, (made) =>
            made instanceof Failure ? made.code : "done",
          );
    return reply instanceof Failure ? reply : JSON.parse(new TextDecoder().decode(reply.bytes));
  });

/** @param words the operation's name and its options; `--help` alone lists the operations */
export async function callCommand(config: Config, words: readonly string[]): Promise<void> {
  const [name, ...rest] = words;
  if (name === "--help" || name === "-h") return list();
  if (name === undefined) throw new CommandError("Name an operation: `bridge call --help` lists them.", 2);
  const operation = operationNamed(name);
  const program = new Command("bridge call")
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .showHelpAfterError("(run with --help for its options)");
  program.addCommand(operationCommand(operation, use(config, operation)).copyInheritedSettings(program));
  await program.parseAsync([operation.name, ...rest], { from: "user" });
}

function list(): void {
  const operations = listOperations();
  const width = Math.max(...operations.map(({ name }) => name.length));
  let last = "";
  for (const { name, service, spec } of operations) {
    if (service.description !== last) print(`${last === "" ? "" : "\n"}${service.description}:`);
    last = service.description;
    print(`  ${name.padEnd(width)}  ${spec.summary}`);
  }
}

const use =
  (config: Config, operation: CallableOperation) =>
  async (options: ReadonlyMap<string, readonly string[]>, common: CommonOptions): Promise<void> => {
    const { spec } = operation;
    const given = new Map<string, string[]>();
    for (const [name, values] of options) given.set(name, await Promise.all(values.map(readArgument)));
    const input = inputOf(spec, given);
    const checked = parseRequest(spec, input);
    if (checked instanceof Failure) throw new CommandError(failureText(checked), 2);
    const reply =
      isOfOperators(operation) && common.registry === undefined
        ? await callOverBroker(config, operation, checked as OperationInput, common.as)
        : await callOverHttp(
            registryOf(common.registry ?? publicUrlOf(config)),
            credentialsFor(config, operation, common),
            spec,
            input,
          );
    if (reply instanceof Failure) throw new CommandError(failureText(reply), exitCodeOf(reply));
    if (typeof reply === "string") print(reply);
    else if (common.json || !process.stdout.isTTY) print(JSON.stringify(reply));
    else for (const line of replyLines(reply, process.stdout.columns)) print(line);
  };

/** `-` is standard input, where others of the machine do not see a secret; `@file` a file. */
async function readArgument(value: string): Promise<string> {
  if (value === "-") return (await streamText(process.stdin)).trim();
  return value.startsWith("@") ? readTextFile(value.slice(1)).trim() : value;
}

function credentialsFor(config: Config, { name, spec }: CallableOperation, { token, key }: CommonOptions) {
  const credentials = { token: token ?? config.BRIDGE_TOKEN, key: key ?? config.BRIDGE_KEY };
  if (!isOpenToAll(spec) && credentials.token === undefined && credentials.key === undefined)
    throw new CommandError(
      `Give your token with --token or BRIDGE_TOKEN; \`bridge call ${name} --help\` says whose.`,
      2,
    );
  return credentials;
}

/** A refusal of what was given ends with 2, what is not there with 4, any other failure with 1. */
function exitCodeOf({ code }: Failure): number {
  const status = httpStatusOf(code);
  return status === 400 || status === 422 ? 2 : status === 404 ? 4 : 1;
}
