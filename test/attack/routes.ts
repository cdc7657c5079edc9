/** Every address of the public listener, from its tables, with the most that a stranger can send it. */

import { PATHS } from "../../app/front/machine-interface.ts";
import { ASSETS } from "../../app/pages/assets.ts";
import { PAGES } from "../../app/pages/table.ts";
import { services } from "../../app/services.ts";
import { DEFAULT_BODY_LIMIT_BYTES, type OperationSpec } from "../../src/rpc/contract.ts";
import { jsonSchemaOf } from "../../src/rpc/json-schema.ts";
import type { Visitor } from "../support/visitor.ts";

export interface Route {
  name: string;
  /** Requests as bytes, each of them sent for itself. @param last it closes the connection */
  requests(visitor: Visitor): Promise<((last: boolean) => Buffer)[]>;
}

const requestOf =
  (line: string, headers: readonly string[], body?: Buffer) =>
  (last: boolean): Buffer => {
    const fields = [
      "Host: registry.test",
      ...headers,
      ...(body ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
      ...(last ? ["Connection: close"] : []),
    ];
    return Buffer.concat([
      Buffer.from(`${line} HTTP/1.1\r\n${fields.join("\r\n")}\r\n\r\n`),
      body ?? Buffer.alloc(0),
    ]);
  };

/** A body of the operation's own length that is nothing but names, as many as fit. */
function ofNames(bytes: number): Buffer {
  let text = '{"a":1';
  for (let i = 0; text.length < bytes - 16; i++) text += `,"${i.toString(36)}":1`;
  return Buffer.from(`${text}}`);
}

interface Member {
  type?: string;
  maxLength?: number;
  maxItems?: number;
}

/** A body that the contract takes, with its texts and lists as long as it allows and its limit has room for. */
function largest(operation: OperationSpec, example: Record<string, unknown> = {}): Buffer {
  const { body: schema, bodyLimitBytes = DEFAULT_BODY_LIMIT_BYTES } = operation;
  if (!schema) return Buffer.from("{}");
  const { properties = {} } = jsonSchemaOf(schema, "input") as { properties?: Record<string, Member> };
  let body = example;
  for (const [name, { type, maxLength = 1_000_000, maxItems = 1_000 }] of Object.entries(properties)) {
    const given = body[name];
    const longer =
      type === "string"
        ? '<p>a "b" '.repeat(maxLength / 9)
        : type === "array" && Array.isArray(given)
          ? Array.from({ length: maxItems }, (_, i) => given[i % given.length])
          : given;
    const next = { ...body, [name]: longer };
    const fits = Buffer.byteLength(JSON.stringify(next)) <= bodyLimitBytes;
    if (fits && schema.safeParse(next).success) body = next;
  }
  return Buffer.from(JSON.stringify(body));
}

const ofOperation = (name: string, operation: OperationSpec): Route => ({
  name: `${operation.method} ${operation.paths[0]} (${name})`,
  requests: async (visitor) => {
    const { path, body } = await visitor.exampleOf(operation);
    const headers = await visitor.headersFor(operation);
    const line = `${operation.method} ${path}`;
    const limit = operation.bodyLimitBytes ?? DEFAULT_BODY_LIMIT_BYTES;
    if (!operation.body)
      return [
        requestOf(line, headers),
        requestOf(`${operation.method} ${path}?x=${"y".repeat(4_000)}`, headers),
      ];
    return [
      requestOf(line, headers, largest(operation, body)),
      requestOf(line, headers, ofNames(limit)),
      requestOf(line, headers, Buffer.alloc(limit, " ")),
    ];
  },
});

/** As FORM_LIMIT_BYTES and MCP's own limit: addresses that no contract is of. */
const PROTOCOLS = [
  ["/mcp", 1024 * 1024],
  ["/a2a", 64 * 1024],
] as const;

const shownPath = (path: string): string => path.replace(/\{\w+\}/g, "tea.example");

export const ROUTES: readonly Route[] = [
  ...services.flatMap(({ operations }) =>
    Object.entries(operations).map(([name, operation]) => ofOperation(name, operation)),
  ),
  ...PROTOCOLS.map(([path, bytes]) => ({
    name: `POST ${path}`,
    requests: async () => [
      requestOf(`POST ${path}`, ["Accept: application/json, text/event-stream"], ofNames(bytes)),
      requestOf(
        `POST ${path}`,
        ["Accept: application/json, text/event-stream"],
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'),
      ),
    ],
  })),
  ...PAGES.map(({ method, path, formBytes = 8 * 1024 }) => ({
    name: `${method} ${path} as a page`,
    requests: async () => {
      const accept = "Accept: text/html";
      if (method === "GET") return [requestOf(`GET ${shownPath(path)}`, [accept])];
      const form = Buffer.from("a=b&".repeat(formBytes / 4));
      return [
        requestOf(`POST ${shownPath(path)}`, [
          accept,
          "Sec-Fetch-Site: same-origin",
          "Content-Type: application/x-www-form-urlencoded",
          `Content-Length: ${form.length}`,
        ]),
      ].map((request) => (last: boolean) => Buffer.concat([request(last), form]));
    },
  })),
  ...[
    ...Object.values(PATHS),
    ...ASSETS.map(({ path }) => path),
    ...["/docs/reference", "/docs/reference/search", "/docs?q=search+a+site", "/healthz", "/readyz"],
    ...[
      "/sites/tea.example/badge.svg",
      "/.well-known/jwks.json",
      "/.well-known/http-message-signatures-directory",
      "/no/such/address",
    ],
  ].map((path) => ({
    name: `GET ${path}`,
    requests: async () => [requestOf(`GET ${path}`, []), requestOf(`GET ${path}`, ['If-None-Match: "x"'])],
  })),
];
