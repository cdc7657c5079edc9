/** Formats that others replaced: OpenAI's plugin manifest, and agents.json (wild-card-ai/agents-json 0.1.0, and what is published so). */
import {
  describedService,
  Findings,
  itemsOf,
  linkedAddress,
  listedItems,
  type Members,
  membersIn,
  memberText,
  readObject,
  shortText,
} from "./document.ts";
import type { Format } from "./format.ts";

const PLUGIN_MEMBERS = [
  "schema_version",
  "name_for_model",
  "name_for_human",
  "description_for_model",
  "description_for_human",
  "auth",
  "api",
  "logo_url",
  "contact_email",
  "legal_info_url",
];
const AGENTS_MEMBERS = ["agentsJson", "info", "sources", "flows"];
/** What is published so names itself or what can be asked for; other JSON does not. */
const AGENTS_MARKS = [
  ...AGENTS_MEMBERS,
  "schema_version",
  "agents",
  "name",
  "capabilities",
  "endpoints",
  "canonical",
  "url",
];

export const AI_PLUGIN: Format = {
  name: "ai-plugin",
  paths: [{ path: "/.well-known/ai-plugin.json", yield: 14 }],
  relations: [],
  mediaTypes: [],
  legacy: true,
  read(bytes, url) {
    const findings = new Findings();
    const plugin = readObject(bytes, findings);
    if (plugin === undefined || !namesItself(plugin)) return undefined;
    replaced(findings, "an A2A card, an MCP server card or an API catalog");
    findings.requires(plugin, PLUGIN_MEMBERS);
    const api = membersIn(plugin.api);
    if (findings.isA("object", plugin, "api")) findings.requires(api, ["type", "url"], "/api");
    if (api.type !== undefined && api.type !== "openapi")
      findings.breaks("unknown_type", "/api/type", "Say openapi.");
    const address = linkedAddress(api.url, url);
    return {
      revision: memberText(plugin.schema_version, 40) || null,
      conforms: findings.conforms,
      usable: address !== undefined && shortText(plugin.name_for_model ?? plugin.name_for_human) !== "",
      findings: findings.list,
      services: [],
      names: listedItems([plugin], ["name_for_model"]),
      documents: address === undefined ? [] : [{ url: address, type: "application/openapi+json" }],
    };
  },
};

export const AGENTS_JSON: Format = {
  name: "agents-json",
  paths: [
    { path: "/.well-known/agents.json", yield: 7 },
    { path: "/agents.json", yield: 1 },
  ],
  relations: [],
  mediaTypes: [],
  legacy: true,
  read(bytes, url) {
    const findings = new Findings();
    const document = readObject(bytes, findings);
    if (document === undefined || !AGENTS_MARKS.some((mark) => document[mark] !== undefined))
      return undefined;
    replaced(findings, "an A2A card or an API catalog");
    findings.requires(document, AGENTS_MEMBERS);
    const documents = itemsOf(document.sources).flatMap((source) => {
      const address = linkedAddress(membersIn(source).path, url);
      return address === undefined ? [] : [{ url: address, type: "application/openapi+json" }];
    });
    const mcp = linkedAddress(membersIn(document.mcp).url ?? membersIn(document.mcp).endpoint, url);
    return {
      revision: memberText(document.agentsJson, 40) || null,
      conforms: findings.conforms,
      usable: documents.length > 0 || mcp !== undefined,
      findings: findings.list,
      names: listedItems(itemsOf(document.flows), ["title"], ["id"]),
      services: mcp === undefined ? [] : [describedService("mcp", mcp, { name: shortText(document.name) })],
      documents: documents.slice(0, 20),
    };
  },
};

const namesItself = (plugin: Members): boolean =>
  Object.keys(plugin).some((name) =>
    /_for_(?:model|human)$|^schema_version$|^api$|^name$|^openapi$|^x-mb$/.test(name),
  );

const replaced = (findings: Findings, by: string): void =>
  findings.advises("legacy", "", `Few clients still read this: publish ${by} as well.`);
