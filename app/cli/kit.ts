/** `bridge kit`: the files with which an owner's own server serves the signed document. */
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { KITS, type KitName } from "../../schemas/kit.ts";
import { servingKit } from "../../src/kits/kits.ts";
import { endpointOf, readDocument } from "./keys.ts";
import { CommandError, print, say } from "./terminal.ts";
import { domainOf } from "./why.ts";

export interface KitOptions {
  out: string;
  endpoint?: string;
  /** The signed document, which is put where the kit looks for it. */
  document?: string;
}

const isKit = (name: string): name is KitName => (KITS as readonly string[]).includes(name);

/** @throws CommandError unless it is this domain's, and signed: a kit never gets another file, such as a key */
const checkDocument = (path: string, domain: string): void => {
  const { provider, manifest } = readDocument(path);
  if (provider.domain !== domain)
    throw new CommandError(`${path} is the document of ${provider.domain}, not of ${domain}.`, 2);
  if (!manifest) throw new CommandError(`${path} is not signed. Sign it with \`bridge sign\`.`, 2);
};

/** Writes a kit's files, none over another file, and prints what to do. */
export const kit = (name: string, input: string, { out, endpoint, document }: KitOptions): void => {
  if (!isKit(name)) throw new CommandError(`There is no kit ${JSON.stringify(name)}: ${KITS.join(", ")}.`, 2);
  const domain = domainOf(input);
  const { files, steps, document_path } = servingKit(name, {
    domain,
    endpoint: endpointOf(domain, endpoint).origin,
  });
  if (document !== undefined) checkDocument(document, domain);
  const there = files.map(({ path }) => join(out, path)).find(existsSync);
  if (there !== undefined)
    throw new CommandError(`${there} already exists. Name another folder with --out, and merge the two.`, 2);
  for (const { path, content, encoding } of files) {
    const target = join(out, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, Buffer.from(content, encoding), { flag: "wx" });
    say(`Written: ${target}`);
  }
  if (document_path !== null) {
    const target = join(out, document_path);
    mkdirSync(dirname(target), { recursive: true });
    if (document === undefined) say(`The signed bridge.json goes to ${target}.`);
    else {
      copyFileSync(document, target);
      say(`Written: ${target}, of ${document}`);
    }
  }
  for (const [i, step] of steps.entries()) print(`${i + 1}. ${step}`);
};
