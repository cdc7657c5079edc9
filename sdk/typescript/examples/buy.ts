/** Buys one thing from a shop, at the total that it told before: REGISTRY=… SITE=… LICENSE=… node buy.ts */
import { Bridge } from "@agent-web-bridge/sdk";

const { REGISTRY = "http://127.0.0.1:8080", SITE = "", LICENSE = "", WANTED = "kettle" } = process.env;
const bridge = new Bridge({ registry: REGISTRY, wallet: { [SITE]: LICENSE } });
const buyer = { name: "Ada Lovelace", email: "ada@agent.example", terms: true };

const session = await bridge.open(SITE, { purpose: `buy a ${WANTED}` });
await session.navigate("/");
await session.do("submit-search", { q: WANTED });
await session.click(".products a");
await session.do("submit-buy", { quantity: "1" });
await session.click("#to-checkout");

// Nothing is sent: what would be, and what it costs.
const { confirm } = await session.do("submit-checkout", buyer, { dryRun: true });
const order = await session.do("submit-checkout", buyer, { confirm });
console.log(`${order.title}, for ${confirm?.confirm_total ?? "a total that the page does not show"}`);
session.close();
