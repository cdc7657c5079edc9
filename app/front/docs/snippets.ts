/** An operation's example as a program: TypeScript by fetch, Python by httpx. Variables are those of the commands. */
import { credentialsOf, type OperationSpec } from "../../../src/rpc/contract.ts";
import { CREDENTIALS, placeholdersOf, shellName } from "../example-variables.ts";

interface Dialect {
  /** A variable's value. */
  variable(name: string): string;
  /** Text with variables in it: text, variable, text … */
  text(pieces: readonly string[]): string;
  literals: Readonly<Record<"true" | "false" | "null", string>>;
}

const TYPESCRIPT: Dialect = {
  variable: (name) => `env.${name}`,
  text: (pieces) =>
    pieces.length === 1
      ? JSON.stringify(pieces[0])
      : `\`${pieces.map((piece, i) => (i % 2 === 1 ? `\${env.${piece}}` : piece.replace(/[`\\$]/g, "\\$&"))).join("")}\``,
  literals: { true: "true", false: "false", null: "null" },
};

const PYTHON: Dialect = {
  variable: (name) => `env["${name}"]`,
  text: (pieces) =>
    pieces
      .map((piece, i) => (i % 2 === 1 ? `env["${piece}"]` : JSON.stringify(piece)))
      .filter((piece) => piece !== '""' || pieces.length === 1)
      .join(" + "),
  literals: { true: "True", false: "False", null: "None" },
};

const UNQUOTED = Symbol("a variable that is no text");

interface Request {
  method: string;
  path: string;
  /** The variable with the credential. */
  credential: string | undefined;
  body: string;
}

export function typescriptOf(operation: OperationSpec): string {
  const { method, path, credential, body } = requestOf(operation);
  const value = body === "" ? undefined : bodyOf(body);
  const sent =
    value === UNQUOTED ? textOf(TYPESCRIPT, body) : `JSON.stringify(${literalOf(TYPESCRIPT, value, "  ")})`;
  const headers = [
    ...(credential ? [`authorization: \`Bearer \${env.${credential}}\``] : []),
    ...(body === "" ? [] : ['"content-type": "application/json"']),
  ];
  const options = [
    ...(method === "GET" ? [] : [`  method: "${method}",\n`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(", ")} },\n`] : []),
    ...(body === "" ? [] : [`  body: ${sent},\n`]),
  ];
  const address = TYPESCRIPT.text(["", "BRIDGE", ...piecesOf(path)]);
  const rest = options.length > 0 ? `, {\n${options.join("")}}` : "";
  return `import { env } from "node:process";

const response = await fetch(${address}${rest});
console.log(response.status, await response.text());`;
}

function requestOf(operation: OperationSpec): Request {
  const [path = "", ...rest] = operation.example.split(" ");
  const kind = operation.auth === "none" ? undefined : credentialsOf(operation)[0];
  return {
    method: operation.method,
    path,
    credential: kind && CREDENTIALS[kind].variable,
    body: rest.join(" "),
  };
}

/** The body of an example: a JSON value; a variable that is the whole of it; or JSON with a variable that stands for a value. */
function bodyOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return UNQUOTED;
  }
}

function textOf(dialect: Dialect, text: string): string {
  const pieces = piecesOf(text);
  const [before, name, after] = pieces;
  return pieces.length === 3 && before === "" && after === ""
    ? dialect.variable(name!)
    : dialect.text(pieces);
}

/** Text and variables in turn: text, variable, text … */
const piecesOf = (text: string): string[] =>
  text.split(/\{\{(\w+)\}\}/).map((piece, i) => (i % 2 === 1 ? shellName(piece) : piece));

/** A JSON value in the words of a language. */
function literalOf(dialect: Dialect, value: unknown, indent: string): string {
  const deeper = `${indent}  `;
  if (typeof value === "string") return textOf(dialect, value);
  if (value === null || typeof value === "boolean") return dialect.literals[`${value}`];
  if (typeof value !== "object") return JSON.stringify(value);
  const isList = Array.isArray(value);
  const entries = isList
    ? value.map((each) => literalOf(dialect, each, deeper))
    : Object.entries(value).map(
        ([name, each]) => `${JSON.stringify(name)}: ${literalOf(dialect, each, deeper)}`,
      );
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const line = `${open}${entries.join(", ")}${close}`;
  return line.length < 80
    ? line
    : `${open}\n${entries.map((entry) => `${deeper}${entry},\n`).join("")}${indent}${close}`;
}

export function pythonOf(operation: OperationSpec): string {
  const { method, path, credential, body } = requestOf(operation);
  const value = body === "" ? undefined : bodyOf(body);
  const address = PYTHON.text(["", "BRIDGE", ...piecesOf(path)]);
  const headers = [
    ...(credential ? [`"authorization": "Bearer " + env["${credential}"]`] : []),
    ...(value === UNQUOTED ? ['"content-type": "application/json"'] : []),
  ];
  const options = [
    `    "${method}",\n`,
    `    ${address},\n`,
    ...(headers.length > 0 ? [`    headers={${headers.join(", ")}},\n`] : []),
    ...(value === UNQUOTED ? [`    content=${textOf(PYTHON, body)},\n`] : []),
    ...(body === "" || value === UNQUOTED ? [] : [`    json=${literalOf(PYTHON, value, "    ")},\n`]),
  ];
  return `from os import environ as env
import httpx

response = httpx.request(
${options.join("")})
print(response.status_code, response.text)`;
}

/** Variables that an operation's commands and programs need, besides the registry's address. */
export function variablesIn(operation: OperationSpec): string[] {
  const { credential } = requestOf(operation);
  return [...(credential ? [credential] : []), ...placeholdersOf(operation.example).map(shellName)];
}
