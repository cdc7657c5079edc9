/** `bridge init`: a site's document drafted from its front page, its key, and the record to publish. */
import { existsSync, writeFileSync } from "node:fs";
import {
  DocumentAnswers,
  type DocumentDraft,
  type DraftedAnswers,
  originElsewhere,
} from "../../schemas/draft.ts";
import { composeDocument, draftOf } from "../../src/crawl/draft.ts";
import { readFrontPage } from "../../src/crawl/front-page.ts";
import { openPageReading } from "../../src/crawl/pages/page-reading.ts";
import { iso } from "../../src/ports/time.ts";
import type { Config } from "../../src/runtime/config.ts";
import { openOutgoing } from "../processes/outgoing.ts";
import { MAX_PAUSE_MS, politeAlone } from "./check.ts";
import { endpointOf, readKeyPair, recordLine, writeKeyPair } from "./keys.ts";
import { CommandError, print, printable, say } from "./terminal.ts";
import { domainOf } from "./why.ts";
import { homeWorld } from "./world.ts";

export interface InitOptions {
  independent?: string;
  commission?: string;
  name?: string;
  category?: string;
  description?: string;
  out: string;
  key?: string;
  endpoint?: string;
  json: boolean;
}

const OPTIONS: Readonly<Record<string, string>> = {
  name: "--name",
  is_independent: "--independent",
  commission_rate: "--commission",
};

/** Writes the document and, where there is none, the key; prints the record to publish. */
export async function init(config: Config, input: string, options: InitOptions): Promise<void> {
  const domain = domainOf(input);
  const own = given(options);
  endpointOf(domain, options.endpoint);
  if (!options.json && existsSync(options.out))
    throw new CommandError(`${options.out} already exists. Name another with --out.`, 2);
  const draft = await readDraft(config, domain);
  if (options.json) return print(JSON.stringify(draft));
  sayDraft(draft, own);
  const answers = { ...draft.answers, ...own };
  const missing = Object.keys(OPTIONS).filter((answer) => !(answer in answers));
  if (missing.length > 0)
    throw new CommandError(
      `Nothing is written yet: only you can say this. Run it again with ${missing.map((answer) => OPTIONS[answer]).join(", ")}.`,
      2,
    );
  const parsed = DocumentAnswers.safeParse(answers);
  if (!parsed.success)
    throw new CommandError(
      `/${parsed.error.issues[0]!.path.join("/")}: ${parsed.error.issues[0]!.message}`,
      2,
    );
  const endpoint = endpointOf(domain, options.endpoint ?? originElsewhere(draft)).origin;
  const document = composeDocument(domain, parsed.data, { endpoint, now: Date.now() });
  writeFileSync(options.out, `${JSON.stringify(document, undefined, 2)}\n`, { flag: "wx" });
  const keyFile = options.key ?? `${domain}.pem`;
  const isThere = existsSync(keyFile);
  const record = isThere
    ? recordLine(domain, readKeyPair(keyFile), endpoint)
    : writeKeyPair(domain, keyFile, endpoint).record;
  say(`Document written to ${options.out}: read it, and correct what is wrong.`);
  say(isThere ? `The key is ${keyFile}.` : `Private key written to ${keyFile}; keep it secret.`);
  say(
    "Publish this record, then sign the document and serve it (docs/serving.md has the lines for your server):",
  );
  print(record);
}

function given(options: InitOptions): DraftedAnswers {
  const { name, category, description } = options;
  const [is_independent, commission_rate] = [yesOrNo(options.independent), percent(options.commission)];
  return {
    ...(name !== undefined && { name }),
    ...(category !== undefined && { category }),
    ...(description !== undefined && { description }),
    ...(is_independent !== undefined && { is_independent }),
    ...(commission_rate !== undefined && { commission_rate }),
  };
}

function yesOrNo(text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== "yes" && text !== "no") throw new CommandError("--independent takes yes or no.", 2);
  return text === "yes";
}

function percent(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = /^\d{1,3}(?:\.\d{1,4})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(number <= 100)) throw new CommandError("--commission takes a number from 0 to 100.", 2);
  return number;
}

/** The draft of a domain, read as a registry reads it. */
async function readDraft(given: Config, domain: string): Promise<DocumentDraft> {
  const { config, ca } = homeWorld(given);
  const outgoing = openOutgoing(config, ca === undefined ? {} : { ca: [ca] });
  const pages = openPageReading(1);
  try {
    const entry = await politeAlone(outgoing, config).open(domain, MAX_PAUSE_MS);
    if (!entry.ok) throw new Error("the gate of one process was held");
    const read = await readFrontPage({
      visit: entry.visit,
      host: domain,
      readFacts: pages.facts,
      robotsToken: config.BRIDGE_USER_AGENT.split("/")[0]!,
      httpsPort: config.BRIDGE_HTTPS_PORT,
    }).finally(() => entry.visit.close());
    if (read.kind === "not_now")
      throw new CommandError(`${domain} must not be asked before ${iso(read.retryAt)}.`, 3);
    return draftOf(domain, { page: read.page, facts: read.facts, at: outgoing.clock.now() });
  } finally {
    await pages.close();
    await outgoing.close();
  }
}

function sayDraft(draft: DocumentDraft, own: DraftedAnswers): void {
  const { page, sources, unknown } = draft;
  say(
    page.state === "read"
      ? printable(`Read ${page.url} ${page.detail}`.trim())
      : printable(`Not read (${page.state}): ${page.detail}`),
  );
  for (const { answer, source } of sources) {
    const value = JSON.stringify(draft.answers[answer as keyof DraftedAnswers]) ?? "";
    const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value;
    say(`  ${answer.padEnd(15)} ${printable(shown)} (${source})`);
  }
  for (const { answer, detail } of unknown) if (!(answer in own)) say(`  ${answer.padEnd(15)} - ${detail}`);
}
