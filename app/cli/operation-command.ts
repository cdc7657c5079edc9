/** An operation as a command: its members are options, and help, types and the example are of its contract. */
import { Command, Option } from "commander";
import {
  type Credential,
  credentialsOf,
  isOpenToAll,
  type OperationSpec,
  type Service,
} from "../../src/rpc/contract.ts";
import type { Failure } from "../../src/rpc/errors.ts";
import { membersOf } from "../../src/rpc/json-schema.ts";
import { probablyMeant } from "../../src/rpc/unknown-members.ts";
import { decodeStrings } from "../../src/rpc/validation.ts";
import { CREDENTIALS, withVariables } from "../front/example-variables.ts";
import type { OperationInput } from "../front/mcp/tools/tool.ts";
import { operatorServices, services } from "../services.ts";
import { namesIn } from "./parts.ts";
import { CommandError, printable, shellQuoted } from "./terminal.ts";

export interface CallableOperation {
  /** What it is called by, with its service where another service has one of that name. */
  name: string;
  service: Service;
  /** Its name in the contract. */
  key: string;
  spec: OperationSpec;
}

const PARTS = ["params", "query", "body"] as const;
type Part = (typeof PARTS)[number];

interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
}

interface Member {
  name: string;
  part: Part;
  schema: Schema;
  isRequired: boolean;
}

/** What every operation's command takes, where the operation has no member of the name: the setting says it then. */
const COMMON: readonly { option: Option; of?: Credential }[] = [
  { option: new Option("--registry <url>", "address of the registry (default: this machine's)") },
  { option: new Option("--token <token>", "your token (default: BRIDGE_TOKEN)") },
  { option: new Option("--key <key>", "your key of the gateway (default: BRIDGE_KEY)"), of: "key" },
  {
    option: new Option("--as <name>", "who does it, for the audit log (default: your login)"),
    of: "operator",
  },
  { option: new Option("--json", "JSON on a terminal, too") },
];

export interface CommonOptions {
  registry?: string;
  token?: string;
  key?: string;
  as?: string;
  json?: boolean;
}

/** @throws CommandError for a name that no operation has */
export function operationNamed(name: string): CallableOperation {
  const operations = listOperations();
  const found = operations.find((each) => each.name === name);
  if (found) return found;
  const names = operations.map((each) => each.name);
  const meant = names.find((each) => each.endsWith(`.${name}`)) ?? probablyMeant(name, names);
  throw new CommandError(
    `There is no operation ${JSON.stringify(printable(name))}${meant ? `: ${meant}?` : "."} \`bridge call --help\` lists them.`,
    2,
  );
}

/** Every operation: those of the public interface, then those of operators. */
export function listOperations(): CallableOperation[] {
  const all = [...services, ...operatorServices].flatMap((service) =>
    Object.entries(service.operations).map(([key, spec]) => ({ name: key, service, key, spec })),
  );
  const isAlone = (name: string) => all.filter((each) => each.name === name).length === 1;
  return all.map((each) =>
    isAlone(each.name) ? each : { ...each, name: `${each.service.name}.${each.name}` },
  );
}

export const isOfOperators = ({ spec }: CallableOperation): boolean => accepts(spec, "operator");

const accepts = (spec: OperationSpec, kind: Credential): boolean => credentialsOf(spec).includes(kind);

/** The operation's input. @param given option → its values as texts */
export function inputOf(spec: OperationSpec, given: ReadonlyMap<string, readonly string[]>): OperationInput {
  const input: OperationInput = spec.body && !spec.bodyOptional ? { body: {} } : {};
  for (const member of membersOfOperation(spec)) {
    const texts = given.get(member.name);
    if (!texts) continue;
    input[member.part] ??= {};
    input[member.part]![member.name] = memberValue(member, texts, spec);
  }
  return input;
}

/** What an operation takes. No two of its parts have a member of one name. */
const membersOfOperation = (spec: OperationSpec): Member[] =>
  PARTS.flatMap((part) => {
    if (!spec[part]) return [];
    const { properties, required } = membersOf<Schema>(spec[part], "input");
    return Object.entries(properties).map(([name, schema]) => ({
      name,
      part,
      schema,
      isRequired: part === "params" || required.includes(name),
    }));
  });

/** A value as the contract's schema types it; what does not fit is left to validation. A list is JSON, or names by comma or line. */
function memberValue({ name, part, schema }: Member, texts: readonly string[], spec: OperationSpec): unknown {
  if (schema.type === "array")
    return texts.flatMap((text) => (text.trimStart().startsWith("[") ? json(name, text) : namesIn(text)));
  const text = texts.at(-1)!;
  if (schema.$ref !== undefined || schema.type === "object" || schema.type === undefined)
    return /^\s*[[{"]|^(?:null|true|false)$/.test(text) ? json(name, text) : text;
  return decodeStrings(spec[part], { [name]: text })[name];
}

function json(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError(`--${name}: ${JSON.stringify(printable(text.slice(0, 60)))} is not JSON.`, 2);
  }
}

/** A failure for a terminal: what was wrong with which option, and when to come again. */
export function failureText({ code, detail, errors = [], retryAfterSeconds }: Failure): string {
  const faults = errors.map(({ pointer, message }) => {
    const [, , name = "", ...rest] = pointer.split("/");
    return `--${name}${rest.length > 0 ? ` (${rest.join("/")})` : ""}: ${message}`;
  });
  const lines = faults.length > 0 ? faults : [detail];
  const wait = retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} s.`];
  return printable([...lines, ...wait].map((line) => line.replaceAll("\n", " ")).join(" ")).concat(
    ` (${code})`,
  );
}

/** Options and values of the contract's example. */
export function exampleArguments(spec: OperationSpec): string[] {
  const [target = "", ...rest] = spec.example.split(" ");
  const [path = "", search = ""] = target.split("?");
  const given: Record<string, unknown> = Object.fromEntries(new URLSearchParams(search));
  const byTemplate = spec.paths.map((template) => pathMembers(template, path));
  Object.assign(given, byTemplate.find(Boolean));
  const body = rest.join(" ");
  // A placeholder for what is no text stands without quotes.
  if (body.startsWith("{") && !body.startsWith("{{"))
    Object.assign(given, JSON.parse(body.replace(/:(\{\{\w+\}\})/g, ':"$1"')));
  return Object.entries(given).flatMap(([name, value]) => [
    `--${name}`,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}

/** What a path says for the names of a template, or undefined where it is of another form. */
function pathMembers(template: string, path: string): Record<string, string> | undefined {
  const [names, values] = [template.split("/"), path.split("/")];
  const rest = names.at(-1) === "{rest}" ? values.splice(names.length - 1).join("/") : undefined;
  if (rest !== undefined) values.push(rest);
  if (names.length !== values.length) return undefined;
  const members: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    if (name.startsWith("{")) members[name.slice(1, -1)] = decodeURIComponent(values[i]!);
    else if (name !== values[i]) return undefined;
  }
  return members;
}

/** @param use what is done with the options that were given */
export function operationCommand(
  operation: CallableOperation,
  use: (given: ReadonlyMap<string, readonly string[]>, common: CommonOptions) => Promise<void>,
): Command {
  const { name, spec } = operation;
  const members = membersOfOperation(spec);
  const named = new Set(members.map((member) => member.name));
  const command = new Command(name).description([spec.summary, spec.description].filter(Boolean).join(".\n"));
  for (const member of members) command.addOption(optionOf(member));
  const common = COMMON.filter(({ of, option }) => !named.has(option.name()) && (!of || accepts(spec, of)));
  for (const { option } of common) command.addOption(option);
  return command
    .addHelpText("after", needs(operation) + fails(operation))
    .addHelpText("after", exampleOf(operation))
    .action(async (options: Record<string, unknown>) => {
      const given = members.flatMap((member) =>
        options[member.name] === undefined
          ? []
          : ([[member.name, options[member.name] as string[]]] as const),
      );
      const settings = common.map(({ option }) => [option.name(), options[option.name()]]);
      await use(new Map(given), Object.fromEntries(settings));
    });
}

function optionOf({ name, schema, isRequired }: Member): Option {
  const type = typeName(schema);
  const value = type === "boolean" ? "[true|false]" : `<${type}>`;
  const about = schema.description ?? "";
  const unless =
    schema.default === undefined
      ? isRequired
        ? "required"
        : ""
      : `default: ${JSON.stringify(schema.default)}`;
  const option = new Option(`--${name} ${value}`, [about, unless && `(${unless})`].filter(Boolean).join(" "));
  return option
    .preset("true")
    .argParser((text, before: readonly string[] = []) => [...before, text])
    .makeOptionMandatory(isRequired && schema.default === undefined);
}

const typeName = ({ enum: values, type = "json" }: Schema): string =>
  values ? values.join("|") : ({ object: "json", array: "list" }[type] ?? type);

function needs({ spec }: CallableOperation): string {
  if (spec.auth === "none") return "";
  const kinds = credentialsOf(spec).map((kind) => CREDENTIALS[kind].meaning.replaceAll("`", ""));
  return `\n${isOpenToAll(spec) ? "May be called with" : "Needs"} ${kinds.join("; or ")}.`;
}

const fails = ({ spec }: CallableOperation): string =>
  spec.errors.length === 0 ? "" : `\nMay fail with ${spec.errors.join(", ")}.`;

function exampleOf({ name, spec }: CallableOperation): string {
  const body = spec.example.split(" ").slice(1).join(" ");
  if (/^\{\{\w+\}\}$/.test(body)) return "";
  const words = exampleArguments(spec).map((word) => shellWord(withVariables(word)));
  return `\nExample:\n  bridge ${["call", name, ...words].join(" ")}`;
}

const shellWord = (text: string): string => (/^[\w.,:/@*$-]+$/.test(text) ? text : shellQuoted(text));
