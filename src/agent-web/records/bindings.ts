/**
 * Service bindings (RFC 9460) that name where a domain's agents are listed: DNS-AID's index (draft-mozleywilliams-dnsop-dnsaid-02
 * section 3.2), and ARD's entries and search (ards-project/ard-spec 0.91 section 5.1, which names the owners and leaves all else open).
 */
import { parseHost } from "../../domain/names/domain-name.ts";
import type { ServiceBinding } from "../../ports/dns.ts";
import { ARD } from "../formats/catalogs.ts";
import { describedService, Findings, linkedAddress, servicesOf } from "../formats/document.ts";
import type { NamedDocument, Reading } from "../formats/format.ts";
import { MAX_RECORDS, type RecordContext, type RecordFormat } from "./record-format.ts";

const PORT = 3;
/**
 * The draft's `well-known`, which has no number yet: those that its reference implementation (dns-aid-core) and ANS write, of the
 * range for private use. A name below `/.well-known/`, or a path.
 */
const WELL_KNOWN = [65_409, 65_280];
const MAX_PATH = 400;

export const DNS_AID: RecordFormat = {
  name: "dns-aid",
  label: "_index._agents",
  type: "SVCB",
  read: (bindings, context) =>
    read(bindings, context, (binding, at, findings, address) => {
      const path = pathOf(binding);
      if (path === undefined)
        findings.advises("no_path", at, "Say by well-known (key65409) where on the host the index is.");
      return path === undefined ? {} : { document: { url: address(path), type: "" } };
    }),
};

export const ARD_ENTRIES: RecordFormat = {
  name: "ard-entries",
  label: "_entries._agents",
  type: "SVCB",
  read: (bindings, context) =>
    read(bindings, context, (binding, _at, _findings, address) => ({
      document: { url: address(pathOf(binding) ?? ARD.paths[0]!.path), type: ARD.mediaTypes[0]! },
    })),
};

export const ARD_SEARCH: RecordFormat = {
  name: "ard-search",
  label: "_search._agents",
  type: "SVCB",
  read: (bindings, context) =>
    read(bindings, context, (binding, _at, _findings, address) => ({
      service: describedService("http", address(pathOf(binding) ?? "/")),
    })),
};

type Said = (
  binding: ServiceBinding,
  at: string,
  findings: Findings,
  address: (path: string) => string,
) => { document?: NamedDocument; service?: Reading["services"][number] };

function read(
  bindings: readonly ServiceBinding[],
  { domain }: RecordContext,
  said: Said,
): Reading | undefined {
  const findings = new Findings();
  const found = bindings.slice(0, MAX_RECORDS).map((binding, i) => {
    const at = `/${i}`;
    const { priority, target } = binding;
    if (priority === 0) {
      findings.advises("alias_mode", at, "Name the host itself, with its port: few clients follow aliases.");
      return {};
    }
    // "." is the owner (RFC 9460 section 2.5.2), whose name has underscores, as no certificate's has.
    if (!parseHost(target).ok) {
      findings.breaks("target_form", at, `Name a host such as ${domain}, without underscores.`);
      return {};
    }
    const origin = `https://${target}:${portOf(binding)}`;
    const address = (path: string): string => linkedAddress(path, new URL(origin)) ?? `${origin}/`;
    return said(binding, at, findings, address);
  });
  if (found.length === 0) return undefined;
  const documents = found.flatMap(({ document }) => document ?? []);
  const services = servicesOf(found.flatMap(({ service }) => service ?? []));
  return {
    revision: null,
    conforms: findings.conforms,
    usable: documents.length + services.length > 0,
    findings: findings.list,
    services,
    documents,
  };
}

const valueAt = ({ parameters }: ServiceBinding, key: number): string | undefined =>
  parameters.find(([each]) => each === key)?.[1];

function portOf(binding: ServiceBinding): number {
  const value = Buffer.from(valueAt(binding, PORT) ?? "", "latin1");
  return value.length === 2 ? value.readUInt16BE() : 443;
}

function pathOf(binding: ServiceBinding): string | undefined {
  const [value] = WELL_KNOWN.flatMap((key) => valueAt(binding, key) ?? []);
  const text = value?.replace(/^path=/, "");
  if (!text || text.length > MAX_PATH || !/^[\w/.~-]+$/.test(text)) return undefined;
  return text.startsWith("/") ? text : `/.well-known/${text}`;
}
