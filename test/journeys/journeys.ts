/** The ways into the registry, as people go them: each is a function of a walk and of what is there. */
import { siteKey } from "../../world/document.ts";
import { DESKTOP, PHONE } from "../support/page-checks.ts";
import type { Journey } from "./journey.ts";
import { QUESTIONS } from "./questions.ts";
import type { Walk } from "./walk.ts";

/** The commands below a heading of the page, as it shows them. */
const copied = async ({ page }: Walk, anchor: string): Promise<string> =>
  (await page
    .locator(`h2#${anchor} ~ .copyable pre, h2#${anchor} ~ .tabs pre, h2#${anchor} ~ pre`)
    .first()
    .textContent())!;

const heading = (walk: Walk) => walk.page.textContent("h1");

const visitor: Journey = {
  name: "visitor",
  who: "A curious visitor",
  goal: "understands what the registry says of a site, and why",
  viewport: PHONE,
  most: { seconds: 60, clicks: 12 },
  walk: async (walk, { registry, listed }) => {
    await walk.open("opens the registry", registry.url);
    await walk.shot("visitor-home", "The home page");
    await walk.type("#q", listed);
    await walk.click("searches for a name", ".ask button");
    await walk.until(".results", listed);
    await walk.shot("visitor-search", "What was found, and why it stands there");
    await walk.click("opens the verdict", `.results h2 a[href="/sites/${listed}"]`);
    await walk.until("main", listed);
    await walk.shot("visitor-site", "The verdict");
    await walk.click("looks at the proofs", `a[href$="/proofs"]`);
    await walk.click("follows the crawl", '.menu a[href="/status"]');
    await walk.until("main", "visits");
    await walk.click("reads how sites are judged", '.foot a[href="/about"]');
    await walk.shot("visitor-about", "How sites are judged");
  },
};

const HOME = `<!doctype html><html lang="en"><title>Tea from Graz</title><meta name=description content="Tea and spices since 1974.">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"TeaStore","name":"Corner Shop","address":{"@type":"PostalAddress","addressLocality":"Graz","addressCountry":"AT"}}</script>
<form action="/find"><label>Words <input name=q></label><button>Search</button></form><a href="/imprint">Imprint</a>`;

/** At a provider's page: found, filled in, saved. And a file put where the shop's files are. */
const PROVIDER_SECONDS = 60;
const UPLOAD_SECONDS = 20;

const owner: Journey = {
  name: "owner",
  who: "A shop owner without a terminal",
  goal: "gets a site that the registry has never seen listed",
  viewport: PHONE,
  most: { seconds: 180, clicks: 20 },
  walk: async (walk, { registry }) => {
    const { host } = await registry.world.add("no_txt");
    await registry.world.set(host, { document: "missing", robots: "allow_all", home: HOME });
    const endpoint = `https://${host}:${registry.world.port}`;
    await walk.open("opens the registry", registry.url);
    await walk.click("goes to “List a site”", '.menu a[href="/owners"]');
    await walk.type("#domain", host);
    await walk.click("enters the domain", "form[action='/owners'] button");
    await walk.shot("owner-draft", "The draft, as the front page says it");
    await walk.click("says that the shop is independent", "input[name=independent][value=yes]");
    await walk.type("#commission", "0");
    await walk.click("opens what is more", "details.more summary");
    await walk.paste("#endpoint", endpoint);
    await walk.click("goes on", "form.sheet button");
    await walk.download("makes the key", "[data-part=make]");
    await walk.until("[data-part=dns]", "no record yet");
    await walk.shot("owner-key", "The record to publish");
    const value = (await walk.page.textContent("[data-part=value]"))!;
    await walk.elsewhere("publishes the TXT record at the provider", PROVIDER_SECONDS, () =>
      registry.world.set(host, { moreTxt: [value] }),
    );
    const upload = await walk.download("saves the signed file", "[data-part=signed]");
    await walk.elsewhere("puts the file on the site", UPLOAD_SECONDS, () =>
      registry.world.set(host, { upload }),
    );
    await walk.until("[data-part=dns]", "DNS has your record.");
    await walk.click("has it checked", "form[action$='/check'] button");
    await walk.until("h1", "is in order");
    await walk.shot("owner-check", "The check");
    await walk.click("opens the verdict", "main a.button");
    await walk.untilAfterReload("main", "Identity verified");
    await walk.shot("owner-listed", "Listed");
  },
};

const ACCOUNT = { name: "Ada Lovelace", email: "ada@agents.example", password: "correct horse battery" };

const agent: Journey = {
  name: "agent",
  who: "An agent's developer",
  goal: "has a program find a site, get a license and read a page",
  viewport: DESKTOP,
  theme: "dark",
  most: { seconds: 180, clicks: 20 },
  walk: async (walk, { registry }) => {
    const BRIDGE = registry.url;
    await walk.open("opens the registry", BRIDGE);
    await walk.click("goes to the documentation", '.menu a[href="/docs"]');
    await walk.shot("agent-docs", "The documentation");
    const quickstart = 'a[href="/docs/quickstart-agents"]';
    await walk.click("opens the quickstart", quickstart);
    await walk.shot("agent-quickstart", "The quickstart");
    const found = await walk.shell("runs a search", await copied(walk, "find-a-site"), {
      BRIDGE,
    });
    if (!found.includes('"results":[')) throw new Error(`nothing was found: ${found.slice(0, 300)}`);
    await walk.click("goes to “Account”", '.menu a[href="/account"]');
    await walk.click("opens an account", "text=Open an account");
    for (const [field, value] of Object.entries(ACCOUNT)) await walk.type(`#${field}`, value);
    await walk.click("signs up", "main button");
    if ((await heading(walk)) !== ACCOUNT.name) throw new Error("the account did not open");
    await walk.shot("agent-account", "The account, right after");
    const env = { BRIDGE, EMAIL: ACCOUNT.email, PASSWORD: ACCOUNT.password };
    await walk.click("goes back to the documentation", '.menu a[href="/docs"]');
    await walk.click("opens the quickstart", quickstart);
    const commands = await copied(walk, "a-token-for-your-agent");
    const token = await walk.shell("makes a token for the agent", `${commands}\necho "$AGENT"`, env);
    const acted = await walk.shell(
      "asks for a license and reads a page",
      await copied(walk, "act-on-a-site"),
      {
        BRIDGE,
        AGENT: token.trim().split("\n").at(-1)!,
      },
    );
    if (!acted.includes('"success":true')) throw new Error(`nothing was read: ${acted.slice(0, 500)}`);
    await walk.click("looks at the account", '.menu a[href="/account"]');
  },
};

const registrar: Journey = {
  name: "registrar",
  who: "A DNS provider",
  goal: "switches a customer's site on, and sees it listed",
  viewport: DESKTOP,
  most: { seconds: 120, clicks: 14 },
  walk: async (walk, { registry }) => {
    const BRIDGE = registry.url;
    const { host } = await registry.world.add("no_txt");
    const endpoint = `https://${host}:${registry.world.port}`;
    const { publicKey } = siteKey({ seed: registry.worldSeed }, host, "current");
    await walk.open("opens the registry", BRIDGE);
    await walk.click("goes to the documentation", '.menu a[href="/docs"]');
    const env = { BRIDGE, SITE: host, KEY: publicKey, ENDPOINT: endpoint };
    await walk.click("opens the quickstart", 'a[href="/docs/quickstart-dns-providers"]');
    await walk.shot("registrar-quickstart", "The quickstart");
    const template = await walk.shell(
      "gets the record for a customer",
      await copied(walk, "the-record"),
      env,
    );
    const { record } = JSON.parse(template);
    await walk.elsewhere("publishes the record, by the provider's own code", 0, () =>
      registry.world.set(host, { moreTxt: [record.value] }),
    );
    const status = await copied(walk, "whether-it-works");
    // Absence is remembered for the zone's negative TTL.
    await walk.untilShell("asks until it works", status, env, '"state":"enabled"');
    await walk.open("opens the verdict", `${BRIDGE}/sites/${host}`);
    await walk.untilAfterReload("main", "Identity verified");
    await walk.shot("registrar-listed", "The customer's site, listed");
  },
};

const operator: Journey = {
  name: "operator",
  who: "An operator",
  goal: "answers what waits: a report, a block, a visit that kept failing, a plan",
  viewport: DESKTOP,
  most: { seconds: 180, clicks: 26 },
  walk: async (walk, { registry, operator: token, accused }) => {
    await walk.open("opens the console", registry.operatorsUrl);
    await walk.paste("#token", token);
    await walk.click("logs in", "main button");
    await walk.shot("operator-overview", "What waits, and how the crawl is");
    await walk.click("opens the reports", 'main a[href="/reports"]');
    await walk.shot("operator-reports", "A report to decide on");
    await walk.click("opens the host's record", "main .events a");
    await walk.until("h2", accused);
    await walk.shot("operator-host", "All that is kept of a host");
    await walk.click("goes back to the reports", '.menu a[href="/reports"]');
    await walk.choose("main select[name=state]", "informative");
    await walk.type("main input[name=why]", "Seen: an advertisement");
    await walk.click("decides", "main .events button");
    await walk.until("main", "Nothing waits");
    await walk.click("goes to the blocks", '.menu a[href="/blocks"]');
    await walk.type("#domain", "spam.example");
    await walk.type("#why", "Sends malware");
    await walk.click("blocks a site", "main form button.danger");
    await walk.until("main", "Sends malware");
    await walk.shot("operator-blocks", "Blocks, each with its reason");
    await walk.click("goes to the dead letters", '.menu a[href="/dead-letters"]');
    await walk.click("has a visit tried again", "main .events button");
    await walk.click("goes to the plans", '.menu a[href="/plans"]');
    await walk.type("main .events input[name=why]", "Paid by invoice");
    await walk.shot("operator-plans", "A plan that is asked for");
    await walk.click("approves a plan", "main button[value=approve]");
    await walk.until("main", "Nothing waits");
    await walk.click("reads the audit log", '.menu a[href="/audit"]');
    await walk.until("main", "holders.decidePlanRequest");
    await walk.shot("operator-audit", "What operators did");
  },
};

export const JOURNEYS: readonly Journey[] = [visitor, owner, agent, registrar, operator, ...QUESTIONS];
