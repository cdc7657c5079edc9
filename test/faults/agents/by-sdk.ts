/** An agent of a page, by the TypeScript SDK: it finds a shop, checks it, asks for access, buys one thing there and keeps the receipt. */
import { setTimeout as sleep } from "node:timers/promises";
import { Bridge, PermissionError, UnknownOutcomeError } from "../../../sdk/typescript/src/index.ts";

const { REGISTRY = "", TOKEN = "", BUYER = "", ORDER_KEY = "" } = process.env;
const bridge = new Bridge({ registry: REGISTRY, token: TOKEN });

const found = await bridge.search("kettle", { minRing: 3 });
const site = found.find(({ listing }) => listing?.access !== "none")!;
if ((await site.verdict()).state !== "enabled") throw new Error(`${site.domain} is not enabled`);
const purpose = "buy a kettle";
const session = await site.open({ purpose }).catch(async (error) => {
  if (!(error instanceof PermissionError) || error.code !== "license_missing") throw error;
  let asked = await site.requestAccess({
    purpose,
    permissions: ["readContent", "navigate", "click", "fillForms"],
  });
  for (; asked.state === "pending"; asked = await bridge.accessRequest(asked.request_id)) await sleep(300);
  await bridge.collect(asked.request_id);
  return site.open({ purpose });
});

await session.actions();
await session.navigate("/");
await session.do("click", { target: ".products a" });
await session.do("submit-buy", { quantity: 1 });
await session.do("click", { target: "#to-checkout" });
const buyer = { name: BUYER, email: "ada@agent.example", terms: true };
const { confirm } = (await session.do("submit-checkout", buyer, { dryRun: true })) as any;
const order = { confirmTotal: confirm.confirm_total, idempotencyKey: ORDER_KEY };
const outcome = await session.do("submit-checkout", buyer, order).then(
  () => "done",
  (error) => {
    // Done before, by the session that was lost.
    if (error.code === "reply_not_kept") return "done";
    if (error instanceof UnknownOutcomeError) return error.code;
    throw error;
  },
);
const [receipt] = await session.receipts();
console.log(JSON.stringify({ outcome, receipt: receipt?.state }));
