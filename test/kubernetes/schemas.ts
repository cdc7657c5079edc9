/**
 * The schemas of Kubernetes' own objects, as its API server publishes them, and of the custom ones, as their definitions have
 * them. Unlike a server, which drops what it does not know, an unknown member is a fault here: it is a slip of the pen.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import { parseAllDocuments } from "yaml";

type Schema = Record<string, any>;

/** The same, without members that are not named, in place. */
function closed(schema: Schema): Schema {
  for (const value of Object.values(schema)) if (value && typeof value === "object") closed(value as Schema);
  const open = schema.additionalProperties !== undefined || schema["x-kubernetes-preserve-unknown-fields"];
  if (schema.properties && typeof schema.properties === "object" && !open && typeof schema.type === "string")
    schema.additionalProperties = false;
  return schema;
}

interface Kind {
  group?: string;
  version: string;
  kind: string;
}
const keyOf = ({ group, version, kind }: Kind): string => `${group ? `${group}/` : ""}${version} ${kind}`;

/** Of the folder of an OpenAPI document a group. */
const ownSchemas = (folder: string): [string, Schema][] =>
  readdirSync(folder)
    .filter((file) => file.endsWith("_openapi.json"))
    .flatMap((file) => {
      const { components } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Schema;
      const schemas = (components?.schemas ?? {}) as Record<string, Schema>;
      const definitions = { components: closed({ schemas }) };
      return Object.entries(schemas).flatMap(([name, schema]) =>
        ((schema["x-kubernetes-group-version-kind"] ?? []) as Kind[]).map((kind): [string, Schema] => [
          keyOf(kind),
          { ...definitions, $ref: `#/components/schemas/${name}` },
        ]),
      );
    });

/** What every object has besides its own members. */
const META = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: {
    type: "object",
    additionalProperties: false,
    properties: {
      name: { type: "string" },
      namespace: { type: "string" },
      labels: { type: "object", additionalProperties: { type: "string" } },
      annotations: { type: "object", additionalProperties: { type: "string" } },
    },
  },
};

const definitionsIn = (folder: string): Schema[] =>
  readdirSync(folder)
    .filter((file) => /\.ya?ml$/.test(file))
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), "utf8")).map((each) => each.toJS() as Schema),
    )
    .filter((each) => each?.kind === "CustomResourceDefinition");

const customSchemas = (folder: string): [string, Schema][] =>
  definitionsIn(folder).flatMap(({ spec: { group, names, versions } }) =>
    (versions as Schema[]).map(({ name: version, schema }): [string, Schema] => {
      const own = schema.openAPIV3Schema as Schema;
      return [
        keyOf({ group, version, kind: names.kind }),
        closed({ ...own, properties: { ...own.properties, ...META } }),
      ];
    }),
  );

/** @param own folder of OpenAPI documents @param custom folders of definitions */
export function openValidators(own: string, custom: readonly string[]): (object: Schema) => string[] {
  const schemas = new Map([...ownSchemas(own), ...custom.flatMap(customSchemas)]);
  // Formats such as int32 say nothing that the numbers of a manifest could break.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  const compiled = new Map<string, ValidateFunction>();
  return (object) => {
    const key = `${object.apiVersion} ${object.kind}`;
    const schema = schemas.get(key);
    if (!schema) return [`${key} is no kind that is known`];
    const validate = compiled.get(key) ?? ajv.compile(schema);
    compiled.set(key, validate);
    validate(object);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
}
