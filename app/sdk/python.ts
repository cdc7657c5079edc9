/** Types of the SDKs as Python's typed dictionaries. */
import type { Json } from "../../src/rpc/json-schema.ts";
import { type NamedSchema, refName, type ToolDefinition } from "./types.ts";

const HEAD = `"""What the registry's operations take and give. Generated from its OpenAPI document by \`npm run generate\`."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

`;
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join("");
/** A text of Python: what JSON escapes, Python reads alike. */
const text = (value: unknown): string =>
  value === true ? "True" : value === false ? "False" : value === null ? "None" : JSON.stringify(value);

/** Writes classes in the order in which they are met; objects within objects have names of their own. */
class Writer {
  readonly #written: string[] = [];
  readonly #names = new Set<string>();

  constructor(names: Iterable<string>) {
    for (const name of names) this.#names.add(name);
  }

  get classes(): string {
    return this.#written.join("\n");
  }

  /** The type of a schema; `name` is what an object is called. */
  type(schema: Json, name: string): string {
    const known = refName(schema);
    if (known) return known;
    if ("const" in schema) return `Literal[${text(schema.const)}]`;
    if (schema.enum) return `Literal[${(schema.enum as unknown[]).map(text).join(", ")}]`;
    const alternatives = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
    if (alternatives && !schema.properties) return this.#union(alternatives, name);
    if (Array.isArray(schema.type))
      return this.#union(
        schema.type.map((type: string) => ({ ...schema, type })),
        name,
      );
    switch (schema.type) {
      case "object":
        return this.#object(schema, name);
      case "array":
        return `List[${this.type((schema.items ?? {}) as Json, `${name}Item`)}]`;
      case "integer":
        return "int";
      case "number":
        return "float";
      case "string":
        return "str";
      case "boolean":
        return "bool";
      case "null":
        return "None";
      default:
        return "Any";
    }
  }

  /** Declares a named type. */
  declare(name: string, schema: Json): void {
    if (schema.type === "object" && schema.properties) this.#class(name, schema);
    else this.#written.push(`${name} = ${this.type(schema, `${name}Value`)}\n`);
  }

  #union(alternatives: Json[], name: string): string {
    const types = alternatives.map((each, i) => this.type(each, i === 0 ? name : `${name}${i + 1}`));
    const others = [...new Set(types.filter((type) => type !== "None"))];
    const joined = others.length === 1 ? others[0]! : `Union[${others.join(", ")}]`;
    return types.includes("None") ? `Optional[${joined}]` : joined;
  }

  #object(schema: Json, name: string): string {
    if (!schema.properties || Object.keys(schema.properties).length === 0) {
      const rest = schema.additionalProperties;
      const isTyped = rest && typeof rest === "object" && Object.keys(rest).length > 0;
      return `Dict[str, ${isTyped ? this.type(rest as Json, `${name}Value`) : "Any"}]`;
    }
    let own = name;
    while (this.#names.has(own)) own += "_";
    this.#names.add(own);
    this.#class(own, schema);
    return own;
  }

  #class(name: string, schema: Json): void {
    const required = new Set(schema.required as string[] | undefined);
    const members = Object.entries(schema.properties as Record<string, Json>).map(
      ([member, value]) => [member, this.type(value, `${name}${pascal(member)}`)] as const,
    );
    const dictionary = (own: string, part: typeof members, total: boolean): string =>
      `${own} = TypedDict(${JSON.stringify(own)}, {${part.map(([member, type]) => `${JSON.stringify(member)}: ${JSON.stringify(type)}`).join(", ")}}, total=${total ? "True" : "False"})\n`;
    const [always, sometimes] = [
      members.filter(([member]) => required.has(member)),
      members.filter(([member]) => !required.has(member)),
    ];
    const isNamed = members.every(([member]) =>
      /^(?!(?:from|in|is|as|class|def|import)$)[A-Za-z]\w*$/.test(member),
    );
    if (!isNamed) {
      // A member's name that Python has a meaning for.
      this.#written.push(dictionary(name, members, always.length === members.length));
      return;
    }
    const body = (part: typeof members): string =>
      part.length === 0 ? "    pass\n" : part.map(([member, type]) => `    ${member}: ${type}\n`).join("");
    if (sometimes.length === 0) this.#written.push(`class ${name}(TypedDict):\n${body(always)}`);
    else if (always.length === 0)
      this.#written.push(`class ${name}(TypedDict, total=False):\n${body(sometimes)}`);
    else
      this.#written.push(
        `class _${name}(TypedDict):\n${body(always)}\n\nclass ${name}(_${name}, total=False):\n${body(sometimes)}`,
      );
  }
}

/** What the waiting client says, as the client that gives way says it. */
const ASYNC: readonly (readonly [RegExp, string])[] = [
  [/\b(Bridge|Site|Session|Tools)\b(?!Calls)/g, "Async$1"],
  [/\b__enter__\b/g, "__aenter__"],
  [/\b__exit__\b/g, "__aexit__"],
  [/\bhttpx\.Client\b/g, "httpx.AsyncClient"],
  [/\bself\._client\.close\(\)/g, "await self._client.aclose()"],
  [/\bself\.((?:_bridge\.)?_run\()/g, "await self.$1"],
  [/\breturn run\(/g, "return await run_async("],
  [/\bTransport, run$/gm, "Transport, run_async"],
];

/** The module that declares them. Names that stand for others come last: Python reads them at once. */
export function pythonTypes(types: readonly NamedSchema[]): string {
  const writer = new Writer(types.map(({ name }) => name));
  const isClass = ({ schema }: NamedSchema): boolean =>
    schema.type === "object" && schema.properties !== undefined;
  for (const each of types.filter(isClass)) writer.declare(each.name, each.schema);
  const aliases = new Writer(types.map(({ name }) => name));
  for (const each of types.filter((type) => !isClass(type))) aliases.declare(each.name, each.schema);
  return `${HEAD}\n${writer.classes}\n${aliases.classes}`;
}

/** The module that holds the definitions of the registry's tools for models. */
export const pythonTools = (tools: readonly ToolDefinition[]): string =>
  `"""Tools for models. Generated from those of /mcp by \`npm run generate\`."""

from __future__ import annotations

import json
from typing import Any, Dict, List

TOOL_DEFINITIONS: List[Dict[str, Any]] = json.loads(
    r"""
${JSON.stringify(tools, undefined, 1)}
"""
)
`;

/** The module of the client that gives way, from that of the one that waits: a method that awaits is one of its own. */
export function asyncClient(waiting: string): string {
  const [, ...lines] = waiting.split("\n");
  const text = ASYNC.reduce((all, [pattern, into]) => all.replace(pattern, into), lines.join("\n"));
  const methods = text.split(/^(?= {4}def )/m).map((method) => {
    const isAwaiting = /\bawait\b/.test(method) || /^ {4}def __a(?:enter|exit)__/.test(method);
    return isAwaiting ? method.replace(/^ {4}def /, "    async def ") : method;
  });
  return `"""A client of a registry that gives way. Generated from _sync.py by \`npm run generate\`."""\n${methods.join("")}`;
}
