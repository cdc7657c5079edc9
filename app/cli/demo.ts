/**
 * `bridge demo`: an agent buys from the synthetic web's shop over the public HTTP API. What it prints is a shell script
 * that does the same: the curl of each step, and as comments what came back.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { z } from "zod";
import type { Config } from "../../src/runtime/config.ts";
import type { search } from "../../workers/search/contract.ts";
import type { session } from "../../workers/session/contract.ts";
import { homePaths } from "../processes/home.ts";
import { askRegistry } from "./ask.ts";
import { type DemoShop, readDemoShop } from "./shop-owner.ts";
import { CommandError, print, printable } from "./terminal.ts";

/** What the shop sells, and no other site of the synthetic web. */
export const WANTED = "teapot";

const TIMEOUT_MS = 40_000;
const LISTED_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 250;
const MAX_SHOWN_NAMES = 12;
/** Values that steps take from earlier ones: variables of the shell, too. */
const LICENSE = "$license";
const TOTAL = "$total";

type Found = z.infer<typeof search.operations.searchSites.reply>;
type Listed = z.infer<typeof search.operations.searchDirectory.reply>;
type Opened = z.infer<typeof session.operations.openSession.reply>;
type Listing = z.infer<typeof session.operations.listActions.reply>;
/** What actions of a text browser say of the page, as far as it is shown here. */
interface Done {
  success: boolean;
  result: {
    title?: string;
    url?: string;
    elements?: { text: string }[];
    error?: { message: string };
    effect?: string;
    confirm?: { confirm_total?: string };
    receipt?: { receipt_id: string; total: { amount: string; currency: string } | null };
  };
}

interface Step {
  title: string;
  path: string;
  /** POST with this body; without one GET. */
  body?: Record<string, unknown>;
  /** Within the session. */
  inSession?: true;
  /** Lines that tell what came. */
  shown(reply: never): string[];
}

const pageOf = ({ result: { title, url } }: Done): string[] => [
  `${title ?? "(no title)"}  ${URL.parse(url ?? "")?.pathname ?? ""}`,
];

const act = (
  title: string,
  body: { action: string } & Record<string, unknown>,
  shown: (reply: Done) => string[] = pageOf,
): Step => ({ title, path: "/api/bridge/execute", body, inSession: true, shown });

const finding: Step = {
  title: "Search the registry",
  path: `/api/bridge/search?q=${WANTED}&limit=3`,
  shown: ({ results }: Found) =>
    results.map(({ domain, name, neutrality_score }) => `${domain}  ${name}, neutrality ${neutrality_score}`),
};

const ORDER = {
  action: "submit-checkout",
  context: { name: "Ada Lovelace", email: "ada@agent.example", terms: true },
};

const BUYING: readonly Step[] = [
  act("Go to the shop", { action: "navigate", target: "/" }),
  act("Search it, by the name of a listed action", { action: "submit-search", context: { q: WANTED } }),
  act("Open the product", { action: "click", target: ".products a" }),
  act("Put two into the basket", { action: "submit-buy", context: { quantity: "2" } }),
  act("Go to the checkout", { action: "click", target: "#to-checkout" }),
  act("Ask what the order would do and cost", { ...ORDER, dry_run: true }, ({ result }) => [
    `${result.effect}, ${result.confirm?.confirm_total ?? "of an unknown total"}`,
  ]),
  act("Order on invoice, for that total and no other", { ...ORDER, confirm_total: TOTAL }, (reply) => [
    ...pageOf(reply),
    `receipt ${reply.result.receipt?.receipt_id}`,
  ]),
  act("Read the confirmation", { action: "read", target: "#thanks, #total" }, ({ result: { elements } }) => [
    (elements ?? []).map(({ text }) => text).join(" "),
  ]),
];

/** What earlier steps gave. */
interface Taken {
  token: string;
  total: string;
}

/** Buys, and prints each step. @throws CommandError when a step fails */
export async function demo({ BRIDGE_HOME: home }: Config): Promise<void> {
  const shop = readDemoShop(home);
  if (!shop)
    throw new CommandError(
      `${home} has no synthetic shop to buy from. Start one with \`bridge up\`, without seeds, and wait until it says \`ready\`.`,
    );
  await untilListed(shop);
  print(`# An agent buys from ${shop.site}: the same in a shell, step by step.`);
  print(`base=${shop.registry}`);
  print(`license=$(grep -o 'bridge_lic_[^"]*' '${homePaths(home).demo}')`);
  const taken: Taken = { token: "", total: "" };
  for (const [i, step] of [finding, ...opening(shop.site), ...BUYING].entries()) {
    const reply = await send<Partial<Opened & Done>>(shop, step, taken);
    taken.token = reply.session?.token ?? taken.token;
    taken.total = reply.result?.confirm?.confirm_total ?? taken.total;
    print(`\n# ${i + 1}. ${step.title}\n${curlOf(step)}`);
    for (const line of step.shown(reply as never)) print(`#    ${printable(line)}`);
  }
}

/** Waits until the registry has listed the shop: a first crawl begins with it. */
async function untilListed(shop: DemoShop): Promise<void> {
  const giveUpAt = performance.now() + LISTED_WITHIN_MS;
  for (;;) {
    const { results } = await send<Found>(shop, finding);
    if (results.some(({ siteId }) => siteId === shop.site)) return;
    if (performance.now() > giveUpAt)
      throw new CommandError(`${shop.site} is not listed yet. \`bridge status\` shows how far the crawl is.`);
    await delay(LOOK_EVERY_MS);
  }
}

async function send<Reply>(
  shop: DemoShop,
  { path, body, inSession }: Step,
  { token, total }: Taken = { token: "", total: "" },
): Promise<Reply> {
  const values: Record<string, string> = { [LICENSE]: shop.license_key, [TOTAL]: total };
  const filled =
    body &&
    Object.fromEntries(Object.entries(body).map(([name, value]) => [name, values[value as string] ?? value]));
  const asked = { body: filled, timeoutMs: TIMEOUT_MS, ...(inSession && { token }) };
  const reply = await askRegistry<Reply & Partial<Done>>(shop.registry, path, asked).catch((error: Error) => {
    throw new CommandError(`${printable(error.message)}. Is \`bridge up\` running?`);
  });
  if (reply.success === false)
    throw new CommandError(
      `${JSON.stringify(body)}: ${printable(reply.result?.error?.message ?? "not done")}`,
    );
  return reply;
}

const opening = (site: string): Step[] => [
  {
    title: "Read the site's listing: its ring, its trust score, when it was verified",
    path: `/api/discovery/search?q=${site}&limit=1`,
    shown: ({ results }: Listed) =>
      results.map(
        ({ domain, trust_ring, trust_score, verified_at }) =>
          `${domain}  ring ${trust_ring}, trust ${trust_score}, verified ${verified_at}`,
      ),
  },
  {
    title: "Open a session with the license of the shop's owner",
    path: "/api/bridge/authenticate",
    body: { licenseKey: LICENSE, agentId: "bridge-demo" },
    shown: ({ session: { permissions, expiresIn } }: Opened) => {
      const granted = Object.entries(permissions).filter(([, isGranted]) => isGranted);
      return [`for ${expiresIn} s, may ${granted.map(([name]) => name).join(", ")}`];
    },
  },
  {
    title: "List what can be done",
    path: "/api/bridge/actions",
    inSession: true,
    shown: ({ actions }: Listing) => [
      actions
        .slice(0, MAX_SHOWN_NAMES)
        .map(({ name }) => name)
        .join(", "),
    ],
  },
];

/** The step as a command of a POSIX shell; `base`, `license`, `token` and `total` are its variables. */
function curlOf({ path, body, inSession }: Step): string {
  const words = [`curl -sw '\\n' "$base${path}"`];
  if (inSession) words.push('-H "authorization: Bearer $token"');
  if (!body) return words.join(" ");
  const json = JSON.stringify(body).replace(LICENSE, `'${LICENSE}'`).replace(TOTAL, `'"${TOTAL}"'`);
  words.push("-H 'content-type: application/json'", `-d '${json}'`);
  const line = words.join(" ");
  const taken = (name: string, member: string): string =>
    `${name}=$(${line} | grep -o '"${member}":"[^"]*' | cut -d '"' -f 4)`;
  if (path.endsWith("/authenticate")) return taken("token", "token");
  return body.dry_run === true ? taken("total", "confirm_total") : line;
}
