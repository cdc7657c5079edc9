/** `bridge operators`: which accounts have a role, and may use the operators' API. */
import { randomBytes } from "node:crypto";
import type { AccountRecord } from "../../schemas/account.ts";
import { OPERATOR_ROLES, type OperatorRole } from "../../schemas/operator.ts";
import { emailIdentity } from "../../src/domain/names/email.ts";
import type { Broker } from "../../src/ports/broker.ts";
import { iso } from "../../src/ports/time.ts";
import { Failure } from "../../src/rpc/errors.ts";
import { uuidv7 } from "../../src/rpc/ids.ts";
import type { Config } from "../../src/runtime/config.ts";
import { createAccount, openAccountStore } from "../../src/stores/accounts.ts";
import { openOperators } from "../../src/stores/operators.ts";
import { createPasswords } from "../../src/stores/passwords.ts";
import { actOn, withRuntime } from "./parts.ts";
import { CommandError, print, printable, say } from "./terminal.ts";

const PASSWORD_BYTES = 32;

/** Gives an account a role, and prints its key, which is shown this once. */
export async function addOperator(config: Config, email: string, roleName: string): Promise<void> {
  const role = roleOf(roleName);
  await actOn(config, "add-operator", { email, role }, async ({ broker }) => {
    const key = await grantRole(broker, email, role);
    say(`${printable(email)} is ${role === "admin" ? "an" : "a"} ${role}. The key is shown this once:`);
    print(key);
  });
}

function roleOf(text: string): OperatorRole {
  const role = OPERATOR_ROLES.find((one) => one === text);
  if (!role) throw new CommandError(`${printable(text)} is not a role: ${OPERATOR_ROLES.join(", ")}.`, 2);
  return role;
}

/** Gives the account of an address a role; opens the account where there is none. @returns its key */
export async function grantRole(broker: Broker, email: string, role: OperatorRole): Promise<string> {
  const known = await openAccountStore(broker).byEmail(identityOf(email));
  const key = await openOperators(broker).grant(known?.value ?? (await opened(broker, email)), role);
  if (key instanceof Failure) throw new CommandError(key.detail);
  return key;
}

function identityOf(email: string): string {
  const identity = emailIdentity(email);
  if (identity === undefined) throw new CommandError(`${printable(email)} is not an e-mail address.`, 2);
  return identity;
}

/** A new account with a password that nobody knows: its holder needs none to be an operator, and can set another. */
async function opened(broker: Broker, email: string): Promise<AccountRecord> {
  const passwordHash = (await createPasswords().hash(randomBytes(PASSWORD_BYTES).toString("base64url")))!;
  const account = await createAccount(openAccountStore(broker), {
    accountId: uuidv7(),
    email,
    name: email,
    passwordHash,
    generation: 1,
    createdAt: iso(broker.now()),
  });
  if (!account) throw new CommandError("Somebody registered this address at the same time: try again.");
  return account;
}

/** Takes an account's role, and ends its key. */
export const removeOperator = (config: Config, email: string): Promise<void> =>
  actOn(config, "remove-operator", { email }, async ({ broker }) => {
    if (!(await openOperators(broker).revoke(identityOf(email))))
      throw new CommandError(`${printable(email)} is no operator.`, 4);
    print(`${printable(email)} is no operator any more.`);
  });

/** Lists operators by address. */
export const listOperators = (config: Config, { json }: { json: boolean }): Promise<void> =>
  withRuntime(config, async ({ broker }) => {
    const operators = await openOperators(broker).list();
    const shown = operators.map(({ email, role, grantedAt }) => ({ email, role, granted_at: grantedAt }));
    if (json) print(JSON.stringify(shown));
    else for (const { email, role, granted_at } of shown) print(`${email}  ${role}, since ${granted_at}`);
    if (operators.length === 0 && !json) say("No operators: `bridge operators add <email>`.");
  });
