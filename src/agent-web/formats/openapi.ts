/** OpenAPI 3.0 to 3.2 and Swagger 2.0, in JSON; of YAML, only what stands at the beginning of lines. */
import { MAX_TOOLS } from "../../../schemas/agent-web.ts";
import {
  describedService,
  Findings,
  isMembers,
  itemsOf,
  linkedAddress,
  listedItems,
  type Members,
  membersIn,
  memberText,
  pointerPart,
  readObject,
  readText,
  servicesOf,
  shortText,
} from "./document.ts";
import type { DescribedService, Format, ListedItem, Reading } from "./format.ts";

const REVISION = /^(?:3\.[0-2](?:\.\d+)?|2\.0)$/;
const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];
const MAX_LINES = 20_000;

export const OPENAPI: Format = {
  name: "openapi",
  paths: [
    { path: "/openapi.json", yield: 11 },
    { path: "/.well-known/openapi.json", yield: 6 },
    { path: "/openapi.yaml", yield: 3 },
    { path: "/api/openapi.json", yield: 2 },
    { path: "/swagger.json", yield: 1 },
  ],
  relations: ["service-desc"],
  mediaTypes: [
    "application/openapi+json",
    "application/vnd.oai.openapi+json",
    "application/vnd.oai.openapi",
    "application/openapi+yaml",
  ],
  read(bytes, url) {
    const findings = new Findings();
    const document = readObject(bytes, findings);
    return document === undefined ? readYaml(bytes, url) : readDescription(document, url, findings);
  },
};

function readDescription(document: Members, url: URL, findings: Findings): Reading | undefined {
  const revision = memberText(document.openapi ?? document.swagger, 40);
  if (revision === "") return undefined;
  findings.requires(document, ["info"]);
  for (const path of Object.keys(membersIn(document.paths)).slice(0, MAX_TOOLS))
    if (!/^(?:\/|x-)/.test(path))
      findings.breaks(
        "path_form",
        `/paths/${pointerPart(path)}`,
        "Begin a path with a slash; move what is none.",
      );
  const info = membersIn(document.info);
  findings.requires(info, ["title", "version"], "/info");
  const parts = [document.paths, document.webhooks, document.components];
  if (parts.every((part) => part === undefined)) findings.requires(document, ["paths"]);
  if (/^(?:3\.0|2)/.test(revision)) findings.requires(document, ["paths"]);
  const operations = operationsOf(document);
  const more = {
    name: shortText(info.title),
    description: memberText(info.description ?? info.summary),
    auth: authOf(document),
    tools: operations,
  };
  const services = servicesOf(
    serversOf(document, url).map((endpoint) => describedService("http", endpoint, more)),
  );
  if (services.length === 0) findings.advises("no_server", "/servers", "Name the API's address.");
  return {
    revision,
    conforms: REVISION.test(revision) ? findings.conforms : null,
    usable: Object.keys(membersIn(document.paths)).length > 0,
    findings: findings.list,
    services,
    names: operations,
  };
}

/** By `operationId`; one without is named by its method and path. */
const operationsOf = (document: Members): ListedItem[] =>
  listedItems(
    Object.entries(membersIn(document.paths))
      .slice(0, MAX_TOOLS)
      .flatMap(([path, item]) =>
        METHODS.filter((method) => isMembers(membersIn(item)[method])).map((method) => {
          const { operationId, summary, description } = membersIn(membersIn(item)[method]);
          const name = shortText(operationId) || `${method.toUpperCase()} ${path}`;
          return { name, description: memberText(summary) || memberText(description) };
        }),
      ),
  );

/** Addresses with the defaults of their variables (OpenAPI 3.1, "Server Object"); a description that names none is of its own host. */
function serversOf(document: Members, url: URL): string[] {
  const { host, basePath } = document;
  const listed = itemsOf(document.servers).map((server) => {
    const { url: address, variables } = membersIn(server);
    const defaultOf = (name: string): unknown => membersIn(membersIn(variables)[name]).default;
    return linkedAddress(filled(memberText(address, 2_000), defaultOf), url);
  });
  if (typeof host === "string") listed.push(linkedAddress(`https://${host}${memberText(basePath)}`, url));
  const found = listed.filter((endpoint) => endpoint !== undefined);
  return found.length > 0 || listed.length > 0 ? found : [new URL("/", url).href];
}

const filled = (address: string, defaultOf: (name: string) => unknown): string =>
  address.replace(/\{([^{}]{1,100})\}/g, (as, name: string) => {
    const value = defaultOf(name);
    return typeof value === "string" ? value : as;
  });

function authOf(document: Members): DescribedService["auth"] {
  const schemes = Object.values(
    membersIn(membersIn(document.components).securitySchemes ?? document.securityDefinitions),
  ).slice(0, 50);
  const kinds = schemes.map((scheme) => memberText(membersIn(scheme).type, 40));
  if (kinds.length === 0) return document.security === undefined ? "unknown" : "other";
  if (kinds.some((kind) => kind === "oauth2" || kind === "openIdConnect")) return "oauth";
  return kinds.some((kind) => kind === "apiKey" || kind === "http" || kind === "basic") ? "api_key" : "other";
}

/** No parser of YAML is worth its risks here: the members that count stand at the margin in what is published. */
function readYaml(bytes: Uint8Array, url: URL): Reading | undefined {
  const lines = readText(bytes)?.split(/\r?\n/, MAX_LINES) ?? [];
  const memberOf = (start: RegExp): string | undefined =>
    lines
      .find((line) => start.test(line))
      ?.replace(start, "")
      .trim()
      .replace(/^(["'])(.{0,500})\1$/, "$2");
  const revision = memberOf(/^(?:openapi|swagger):/);
  if (revision === undefined || !REVISION.test(revision)) return undefined;
  const operations = listedItems(yamlOperations(lines));
  const more = { name: shortText(memberOf(/^\s{1,4}title:/)), auth: yamlAuth(lines), tools: operations };
  const findings = new Findings();
  for (const member of ["info", "paths"])
    if (!lines.some((line) => line.startsWith(`${member}:`))) findings.requires({}, [member]);
  for (const member of ["title", "version"])
    if (!lines.some((line) => line.trimStart().startsWith(`${member}:`)))
      findings.requires({}, [member], "/info");
  const services = yamlServers(lines, url).map((endpoint) => describedService("http", endpoint, more));
  return {
    revision,
    conforms: findings.conforms,
    usable: lines.some((line) => line.startsWith("paths:")),
    findings: findings.list,
    names: operations,
    services: servicesOf(services),
  };
}

function yamlServers(lines: readonly string[], url: URL): string[] {
  const servers = sectionOf(lines, "servers");
  const defaults = yamlDefaults(servers);
  return servers
    .map((line) => /^\s{0,8}(?:-\s{1,4})?url:(.{0,2048})$/.exec(line)?.[1])
    .map((value) => value && filled(unquoted(value), (name) => defaults.get(name)))
    .map((value) => linkedAddress(value, url))
    .filter((endpoint) => endpoint !== undefined);
}

/** Of servers' variables, by name: a name alone on its line, and a default before the next one. */
function yamlDefaults(servers: readonly string[]): Map<string, string> {
  const defaults = new Map<string, string>();
  let variable = "";
  for (const line of servers) {
    variable = /^\s{4,16}([\w-]{1,100}):\s{0,4}$/.exec(line)?.[1] ?? variable;
    const value = /^\s{6,20}default:(.{1,300})$/.exec(line)?.[1];
    if (value !== undefined && !defaults.has(variable)) defaults.set(variable, unquoted(value));
  }
  return defaults;
}

/** By the kinds of security schemes, which are those of nothing else. */
function yamlAuth(lines: readonly string[]): DescribedService["auth"] {
  const kinds = [...sectionOf(lines, "components"), ...sectionOf(lines, "securityDefinitions")].map(
    (line) =>
      /^\s{2,12}type:\s{1,4}["']?(apiKey|http|basic|oauth2|openIdConnect)["']?\s{0,4}$/.exec(line)?.[1],
  );
  if (kinds.includes("oauth2") || kinds.includes("openIdConnect")) return "oauth";
  return kinds.some((kind) => kind !== undefined) ? "api_key" : "unknown";
}

const unquoted = (value: string): string => value.trim().replace(/^(["'])(.*)\1$/, "$2");

/** The lines of a member at the margin. */
function sectionOf(lines: readonly string[], name: string): readonly string[] {
  const start = lines.findIndex((line) => line.startsWith(`${name}:`));
  if (start < 0) return [];
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => /^["'a-z]/.test(line));
  return end < 0 ? after : after.slice(0, end);
}

/** Each method below a path, by its `operationId` where one follows before the next; both are told by how far they are indented. */
function yamlOperations(lines: readonly string[]): string[] {
  const names: string[] = [];
  let [path, pathIndent, methodIndent] = ["", 0, 0];
  for (const line of sectionOf(lines, "paths")) {
    const [, blank = "", key = "", value = ""] =
      /^(\s{1,12})["']?([^\s"':]{1,500})["']?:(.{0,300})$/.exec(line) ?? [];
    const indent = blank.length;
    if (key.startsWith("/") && value.trim() === "" && (path === "" || indent === pathIndent))
      [path, pathIndent, methodIndent] = [key, indent, 0];
    else if (METHODS.includes(key) && value.trim() === "" && indent > pathIndent && path !== "") {
      methodIndent ||= indent;
      if (indent === methodIndent) names.push(`${key.toUpperCase()} ${path}`);
    } else if (key === "operationId" && names.length > 0) names[names.length - 1] = unquoted(value);
  }
  return names;
}
