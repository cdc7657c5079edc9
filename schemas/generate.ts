/**
 * Writes the generated files of this folder: the OpenAPI document of every service and the JSON Schema of a discovery
 * document. With --check nothing is written: exit 1 names the files that are not what the contracts say.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Json, jsonSchemaOf } from "../src/json-schema.ts";
import { openapiDocument } from "../src/openapi.ts";
import { services } from "../workers/index.ts";
import { DiscoveryDocument } from "./discovery-document.ts";

/** A URN: the schema is not promised to be served anywhere. */
const SCHEMA_ID = "urn:bridge:schema:discovery-document";

/** JSON Schema 2020-12 of what a site publishes. */
const discoveryDocumentSchema = (): Json => {
  const { $schema, id: _, ...schema } = jsonSchemaOf(DiscoveryDocument, "input");
  return { $schema, $id: SCHEMA_ID, title: "Bridge discovery document", ...schema };
};

const GENERATED: Readonly<Record<string, () => unknown>> = {
  "openapi.json": () => openapiDocument(services),
  "discovery-document.schema.json": discoveryDocumentSchema,
};

const stale = Object.entries(GENERATED).flatMap(([name, make]) => {
  const file = new URL(name, import.meta.url);
  const text = `${JSON.stringify(make(), undefined, 2)}\n`;
  if (existsSync(file) && readFileSync(file, "utf8") === text) return [];
  return [{ name: `schemas/${name}`, file, text }];
});

if (process.argv.includes("--check")) {
  for (const { name } of stale) console.error(`${name} is stale: run \`npm run openapi\`.`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const { name, file, text } of stale) {
    writeFileSync(file, text);
    console.log(`wrote ${name}`);
  }
}
