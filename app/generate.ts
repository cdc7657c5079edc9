/**
 * Writes the files generated from contracts and tables: the OpenAPI document of every service and the JSON Schema of a
 * discovery document (schemas/), the types of the SDKs (sdk/), and the tables of commands, limits, settings and storage (docs/). With --check it writes
 * nothing, names stale files and exits with 1.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { DiscoveryDocument } from "../schemas/discovery-document.ts";
import { type Json, jsonSchemaOf } from "../src/rpc/json-schema.ts";
import { commandsMarkdown } from "./command-table.ts";
import { configurationMarkdown } from "./configuration-table.ts";
import { TOOL_LIST } from "./front/mcp/tools/table.ts";
import { openapiDocument, readExamples } from "./front/openapi.ts";
import { limitsMarkdown } from "./processes/limit-report.ts";
import { asyncClient, pythonTools, pythonTypes } from "./sdk/python.ts";
import { sdkTypes, type ToolDefinition } from "./sdk/types.ts";
import { typescriptTools, typescriptTypes } from "./sdk/typescript.ts";
import { services } from "./services.ts";
import { storageMarkdown } from "./storage-table.ts";

/** A URN, because no address serves the schema. */
const SCHEMA_ID = "urn:bridge:schema:discovery-document";

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;

const toolDefinitions: readonly ToolDefinition[] = TOOL_LIST.map(({ name, description, inputSchema }) => ({
  name,
  description,
  input: { ...inputSchema },
}));

/** Path from the project's root → text. */
const GENERATED: Readonly<Record<string, () => string>> = {
  "schemas/openapi.json": () => json(openapiDocument(services, readExamples())),
  "sdk/typescript/src/api.ts": () => typescriptTypes(sdkTypes(openapiDocument(services))),
  "sdk/python/src/agent_web_bridge/_api.py": () => pythonTypes(sdkTypes(openapiDocument(services))),
  "sdk/python/src/agent_web_bridge/_async.py": () =>
    asyncClient(read("sdk/python/src/agent_web_bridge/_sync.py")),
  "sdk/python/src/agent_web_bridge/_tool_definitions.py": () => pythonTools(toolDefinitions),
  "sdk/typescript/src/tool-definitions.ts": () => typescriptTools(toolDefinitions),
  "schemas/discovery-document.schema.json": () => json(discoveryDocumentSchema()),
  "docs/limits.md": () => limitsMarkdown(services),
  "docs/command-line.md": commandsMarkdown,
  "docs/configuration.md": configurationMarkdown,
  "docs/storage.md": storageMarkdown,
};

const stale = Object.entries(GENERATED).flatMap(([name, make]) => {
  const file = new URL(`../${name}`, import.meta.url);
  const text = make();
  if (existsSync(file) && readFileSync(file, "utf8") === text) return [];
  return [{ name, file, text }];
});

if (process.argv.includes("--check")) {
  for (const { name } of stale) console.error(`${name} is stale: run \`npm run generate\`.`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { name, file, text } of stale) {
    writeFileSync(file, text);
    console.log(`wrote ${name}`);
  }
}

/** JSON Schema 2020-12 of the discovery document. */
function discoveryDocumentSchema(): Json {
  const { $schema, id: _, ...schema } = jsonSchemaOf(DiscoveryDocument, "input");
  return { $schema, $id: SCHEMA_ID, title: "Bridge discovery document", ...schema };
}
