/** `bridge operators`: who may use the operators' API. */
import { MAX_OPERATOR_NAME, OPERATOR_ROLES, type OperatorRole } from "../../schemas/operator.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openOperators } from "../../src/stores/operators.ts";
import { actOn, withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

/** Adds an operator, and prints the token, which is shown this once. */
export async function addOperator(config: Config, name: string, roleName: string): Promise<void> {
  const role = roleOf(roleName);
  if (!/^[\w.@ -]+$/.test(name) || name.length > MAX_OPERATOR_NAME)
    throw new CommandError(
      `A name is 1 to ${MAX_OPERATOR_NAME} letters, digits, spaces and any of . _ @ -`,
      2,
    );
  await actOn(config, "add-operator", { name, role }, async ({ broker }) => {
    const added = await openOperators(broker.buckets, broker.now).add(name, role);
    if (!added) throw new CommandError(`There is an operator ${name} already.`);
    say(`${name} is ${role === "admin" ? "an" : "a"} ${role}. The token is shown this once:`);
    print(added.token);
  });
}

function roleOf(text: string): OperatorRole {
  const role = OPERATOR_ROLES.find((one) => one === text);
  if (!role) throw new CommandError(`${printable(text)} is not a role: ${OPERATOR_ROLES.join(", ")}.`, 2);
  return role;
}

/** Removes an operator, whose token is invalid at once. */
export const removeOperator = (config: Config, name: string): Promise<void> =>
  actOn(config, "remove-operator", { name }, async ({ broker }) => {
    if (!(await openOperators(broker.buckets, broker.now).remove(name)))
      throw new CommandError(`There is no operator ${printable(name)}.`, 4);
    print(`${printable(name)} is no operator any more.`);
  });

/** Lists operators by name. */
export const listOperators = (config: Config, { json }: { json: boolean }): Promise<void> =>
  withRuntime(config, async ({ broker }) => {
    const operators = await openOperators(broker.buckets, broker.now).list();
    const shown = operators.map(({ name, role, createdAt }) => ({ name, role, created_at: createdAt }));
    if (json) print(JSON.stringify(shown));
    else for (const { name, role, created_at } of shown) print(`${name}  ${role}, since ${created_at}`);
    if (operators.length === 0 && !json) say("No operators: `bridge operators add <name>`.");
  });
