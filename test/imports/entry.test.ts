import { describe, expect, it } from "vitest";
import { parseListedHost, parseServer } from "../../src/imports/entry.ts";
import { listed, remote, type Version } from "./registry-server.ts";

const parse = (more: Partial<Version>) => parseServer(listed({ name: "test.hotel/rooms", ...more }), "list");
function refusalOf(value: unknown): string | undefined {
  const parsed = parseServer(value, "list");
  return parsed.ok ? parsed.entry.refusal : parsed.reason;
}
const addresses = (...urls: string[]) => listed({ name: "test.hotel/rooms", remotes: urls.flatMap(remote) });

describe("an entry of a registry", () => {
  it("is a claim about the host of its address", () => {
    const parsed = parse({
      description: "Books\nrooms\u202e",
      remotes: remote("https://MCP.Hotel.test/mcp"),
    });
    expect(parsed.ok && parsed.entry).toEqual({
      id: "test.hotel/rooms",
      isDeleted: false,
      isLatest: true,
      updatedAt: "2026-11-20T00:00:00.000Z",
      refusal: undefined,
      hosts: [
        {
          host: "mcp.hotel.test",
          isVisited: true,
          claim: {
            v: 1,
            source: "list",
            id: "test.hotel/rooms",
            status: "active",
            name: "test.hotel/rooms",
            description: "Books rooms",
            endpoints: [{ protocol: "mcp", url: "https://MCP.Hotel.test/mcp" }],
            version: "1.0.0",
            updated_at: "2026-11-20T00:00:00.000Z",
          },
        },
      ],
    });
  });

  it("is a claim about each host, with the addresses of that one, and leaves out what is no host", () => {
    const value = addresses(
      "https://a.hotel.test/1",
      "https://b.test/",
      "https://10.0.0.1/",
      "https://a.hotel.test/2",
    );
    const parsed = parseServer(value, "list");
    const hosts = parsed.ok ? parsed.entry.hosts : [];
    expect(hosts.map(({ host, claim }) => [host, claim!.endpoints.length])).toEqual([
      ["a.hotel.test", 2],
      ["b.test", 1],
    ]);
  });

  it.each([
    ["https://{tenant}.hotel.test/mcp", "hotel.test", false],
    ["https://{tenant}.eu.hotel.test/mcp", "eu.hotel.test", false],
    ["https://mcp.hotel.test/{tenant}/mcp", "mcp.hotel.test", true],
  ])("with a placeholder in %s says something of %s (visited: %s)", (url, host, isVisited) => {
    const parsed = parse({ remotes: remote(url) });
    expect(parsed.ok && parsed.entry.hosts).toMatchObject([
      { host, isVisited, claim: { endpoints: [{ url }] } },
    ]);
  });

  it.each([
    ["that names no address", listed({ name: "a/b" }), "no_remote"],
    ["of a private address", addresses("http://192.168.1.4:8080/mcp"), "private_address"],
    ["of this machine", addresses("http://localhost:3000/mcp"), "private_address"],
    ["of a private address as IPv6", addresses("http://[::1]/mcp"), "private_address"],
    ["of a name inside a network", addresses("https://tools.corp.internal/"), "private_address"],
    ["of a public address without a name", addresses("https://8.8.8.8/mcp"), "not_a_host"],
    ["of a placeholder alone", addresses("{base_url}/mcp"), "not_a_host"],
    ["of a placeholder as its host", addresses("https://{host}/mcp"), "not_a_host"],
    ["of another scheme", addresses("ftp://files.test/"), "not_a_host"],
    ["of an address of 3,000 letters", addresses(`https://a.test/${"a".repeat(3_000)}`), "too_large"],
    [
      "with ten long addresses",
      addresses(...Array.from({ length: 10 }, (_, i) => `https://a.test/${i}${"a".repeat(900)}`)),
      "too_large",
    ],
    ["with a description of 2 MB", listed({ name: "a/b", description: "a".repeat(2e6) }), "too_large"],
    [
      "nested a hundred thousand deep",
      JSON.parse(`{"server":${"[".repeat(1e5)}${"]".repeat(1e5)}}`),
      "too_large",
    ],
    ["without a name", { server: { remotes: [] } }, "invalid"],
    ["with another status", listed({ name: "a/b", status: "gone" as "active" }), "invalid"],
    ["that is a text", "a", "invalid"],
    ["that is nothing", undefined, "invalid"],
  ])("%s is refused", (_, value, reason) => {
    expect(refusalOf(value)).toBe(reason);
  });

  it("is read from a row of a dump, too", () => {
    const row = {
      name: "a/b",
      remotes: remote("https://a.test/mcp"),
      is_latest: false,
      updated_at: "2025-12-13T01:53:10.483779Z",
    };
    const parsed = parseServer(row, "list");
    expect(parsed.ok && parsed.entry).toMatchObject({
      isLatest: false,
      updatedAt: "2025-12-13T01:53:10.483Z",
    });
  });
});

it.each([
  ["Hotel.TEST", "hotel.test"],
  ["münchen.test", "xn--mnchen-3ya.test"],
  ["10.0.0.1", "private_address"],
  ["printer.local", "private_address"],
  ["8.8.8.8", "not_a_host"],
  ["com", "not_a_host"],
  ["Rank", "not_a_host"],
])("a line %j of a list of hosts is %s", (name, expected) => {
  const parsed = parseListedHost(name);
  expect(parsed.ok ? parsed.entry.id : parsed.reason).toBe(expected);
});
