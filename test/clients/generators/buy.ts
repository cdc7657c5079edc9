/** Buys by a client that hey-api's generator wrote, at the total that the dry run told. */
import { executeAction, getSite, listReceipts, openSession, searchSites } from "./hey";
import { client } from "./hey/client.gen";
import type { operations } from "./schema";

const { REGISTRY = "", SITE = "", LICENSE = "" } = process.env;
const throwOnError = true as const;

async function buy(): Promise<string> {
  client.setConfig({ baseUrl: REGISTRY });
  const query: operations["searchSites"]["parameters"]["query"] = { q: "kettle" };
  const { data: found } = await searchSites({ query, throwOnError });
  if (!found.results.some(({ domain }) => domain === SITE)) throw new Error(`${SITE} is not found`);
  const { data: site } = await getSite({ path: { domain: SITE }, throwOnError });
  if (site.state !== "enabled") throw new Error(site.reason);
  const { data: opened } = await openSession({ body: { licenseKey: LICENSE }, throwOnError });
  client.setConfig({ headers: { authorization: `Bearer ${opened.session.token}` } });
  const act = async (body: Parameters<typeof executeAction>[0]["body"]) => {
    const { data } = await executeAction({ body, throwOnError });
    return data;
  };
  await act({ action: "navigate", target: "/" });
  await act({ action: "click", target: ".products a" });
  await act({ action: "submit-buy", context: { quantity: 1 } });
  await act({ action: "click", target: "#to-checkout" });
  const order = {
    action: "submit-checkout",
    context: { name: "Ada", email: "ada@agent.example", terms: true },
  };
  const told = await act({ ...order, dry_run: true });
  if (told.outcome !== "dry_run" || !told.result.confirm) throw new Error("no dry run");
  const bought = await act({ ...order, ...told.result.confirm });
  if (bought.outcome !== "done") throw new Error(bought.outcome);
  const { data: kept } = await listReceipts({ throwOnError });
  return `${bought.result.title}, receipt ${kept.receipts[0]?.state}`;
}
buy().then(console.log);
