/** `listReceipts` and `getReceipt`: what was sent, for the agent and for the site's owner. */
import type { ReceiptRecord } from "../../../schemas/receipt.ts";
import type { Handlers, Principals } from "../../../src/rpc/contract.ts";
import { fail } from "../../../src/rpc/errors.ts";
import type { session } from "../contract.ts";
import type { SessionDeps } from "../deps.ts";
import { entryOf, receiptOf } from "./receipt.ts";

type Reading = Pick<SessionDeps, "receipts" | "transparency" | "now">;
type SessionHandlers = Handlers<typeof session>;

/** Puts a finished receipt into the transparency log. @returns its place there */
export async function logReceipt(
  { receipts, transparency, now }: Reading,
  record: ReceiptRecord,
): Promise<number> {
  if (record.leafIndex !== null) return record.leafIndex;
  const log = await transparency();
  const entry = new TextEncoder().encode(entryOf(receiptOf(record, now())));
  const { leafIndex } = await log.append({ kind: "receipt" }, record.receiptId, entry);
  await receipts.change(record.receiptId, { leafIndex });
  return leafIndex;
}

export function receiptHandlers(deps: Reading): Pick<SessionHandlers, "listReceipts" | "getReceipt"> {
  return {
    listReceipts: async (_, { principal }) => ({
      receipts: (await listedFor(deps, principal)).map((record) => receiptOf(record, deps.now())),
    }),
    getReceipt: async ({ params: { receiptId } }, { principal }) => {
      const record = (await deps.receipts.records.get(receiptId))?.value;
      return record && isTheirs(record, principal) ? logged(deps, record) : notFound();
    },
  };
}

type Reader = Principals["session" | "agent" | "account"];

function listedFor({ receipts }: Reading, reader: Reader): Promise<ReceiptRecord[]> {
  if (reader.kind === "account") return receipts.ofAccount(reader.accountId);
  if (reader.kind === "agent") return receipts.ofToken(reader.agentId);
  return receipts.ofAgent(reader.licenseId, reader.agentId);
}

function isTheirs({ licenseId, agentId, byAgent, accountId }: ReceiptRecord, reader: Reader): boolean {
  if (reader.kind === "account") return accountId === reader.accountId;
  if (reader.kind === "agent") return byAgent === reader.agentId;
  return licenseId === reader.licenseId && agentId === reader.agentId;
}

async function logged(deps: Reading, found: ReceiptRecord) {
  const record = await settled(deps, found);
  const receipt = receiptOf(record, deps.now());
  // One that a worker could not log in time is logged when somebody asks for it.
  if (record.state !== "done") return { receipt, log: null };
  const leafIndex = await logReceipt(deps, record);
  const log = await deps.transparency();
  const { size, note } = await log.head();
  const proof = await log.inclusionProof(leafIndex, size);
  return {
    receipt,
    log: { leaf_index: leafIndex, entry: entryOf(receipt), size, proof: proof.map(base64), checkpoint: note },
  };
}

/** What a worker that died left as answered is done. */
const settled = async ({ receipts, now }: Reading, record: ReceiptRecord): Promise<ReceiptRecord> =>
  record.state === "sent" && record.until < now()
    ? ((await receipts.change(record.receiptId, { state: "done" })) ?? record)
    : record;

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const notFound = () => fail("not_found", "No receipt with this id is yours.");
