/** Operators of the registry: from a token to who it is, and the log of what they did. */
import { AuditEntry, MAX_AUDITED_CHARS, OperatorRecord, type OperatorRole } from "../../schemas/operator.ts";
import type { Broker } from "../ports/broker.ts";
import { iso } from "../ports/time.ts";
import { uuidv7 } from "../rpc/ids.ts";
import { hashOfKey, isKeyForm, makeKey } from "./api-keys.ts";
import { allRecords, openRecords, type Records } from "./records.ts";

/** The prefix of every operator's token. */
export const OPERATOR_PREFIX = "bridge_operator_";

export interface Operators {
  /** Adds an operator. @returns the token, which is shown once. undefined if the name is taken */
  add(name: string, role: OperatorRole): Promise<{ operator: OperatorRecord; token: string } | undefined>;
  /** The operator of a token; undefined for one that is malformed, unknown or removed. */
  find(token: string): Promise<OperatorRecord | undefined>;
  /** By name. */
  list(): Promise<OperatorRecord[]>;
  /** Removes an operator, whose token is invalid at once. @returns whether there was one */
  remove(name: string): Promise<boolean>;
}

type Buckets = Pick<Broker["buckets"], "operators" | "operator_audit">;

/** What an operator asks for, before it is done. */
export type Act = Pick<AuditEntry, "operator" | "operator_id" | "action"> & { input: unknown };

export interface AuditLog {
  /**
   * Notes an act, does it, and notes how it ended.
   * @param outcomeOf "done", or the code of what was refused
   * @throws what the act throws; and the broker's fault if the act cannot be noted, which is then not done
   */
  during<T>(act: Act, work: () => Promise<T>, outcomeOf: (result: T) => string): Promise<T>;
  /** The newest entries first. @param before entries older than this one */
  newest(limit: number, before?: string): Promise<AuditEntry[]>;
}

/** @param now broker milliseconds */
export function openOperators({ operators }: Pick<Buckets, "operators">, now: () => number): Operators {
  const records = openRecords(operators, OperatorRecord);
  const list = async (): Promise<OperatorRecord[]> =>
    (await allRecords(records)).sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    list,
    add: async (name, role) => {
      if ((await list()).some((each) => each.name === name)) return undefined;
      const token = makeKey(OPERATOR_PREFIX);
      const keyHash = hashOfKey(token);
      const operator = { v: 1 as const, operatorId: uuidv7(), name, role, keyHash, createdAt: iso(now()) };
      await records.compareAndSet(keyHash, operator, 0);
      return { operator, token };
    },
    find: async (token) =>
      isKeyForm(OPERATOR_PREFIX, token) ? (await records.get(hashOfKey(token)))?.value : undefined,
    remove: async (name) => {
      const operator = (await list()).find((each) => each.name === name);
      if (operator) await records.remove(operator.keyHash);
      return operator !== undefined;
    },
  };
}

export function openAuditLog(
  { operator_audit }: Pick<Buckets, "operator_audit">,
  now: () => number,
): AuditLog {
  const records: Records<AuditEntry> = openRecords(operator_audit, AuditEntry);
  return {
    during: async ({ input, ...act }, work, outcomeOf) => {
      const entryId = uuidv7();
      const asked = (JSON.stringify(input) ?? "").slice(0, MAX_AUDITED_CHARS).toWellFormed();
      const entry = { v: 1 as const, entryId, at: iso(now()), ...act, input: asked };
      const note = (outcome: string) => records.put(entryId, { ...entry, outcome });
      await note("started");
      const result = await work().catch(async (error: unknown) => {
        await note("failed");
        throw error;
      });
      await note(outcomeOf(result));
      return result;
    },
    newest: async (limit, before) => {
      const ids: string[] = [];
      // Ids are UUIDv7: their order is that of their times.
      for await (const id of records.keys()) if (before === undefined || id < before) ids.push(id);
      const wanted = ids.sort().slice(-limit).toReversed();
      const entries = await Promise.all(wanted.map((id) => records.get(id)));
      return entries.flatMap((entry) => (entry ? [entry.value] : []));
    },
  };
}
