/** Documents made of what was seen are read back by the readers of their formats, as the crawl reads those of strangers. */
import { describe, expect, it } from "vitest";
import type { AgentService } from "../../schemas/agent-web.ts";
import type { MadeFormat, PublishableDocument } from "../../schemas/publishable-document.ts";
import { documentOfSite } from "../../src/agent-web/as/formats.ts";
import { formatNamed } from "../../src/agent-web/formats/table.ts";
import { bytesOf } from "./documents.ts";
import { descriptor, presence, service, tool } from "./presences.ts";

const HOST = "shop.example";
const OPENAPI = `https://${HOST}/openapi.json`;
const server = service(HOST, "Shop [tools]", [tool("search", "Searches")], { description: "Finds tea" });
const api = service(HOST, "Orders", [], {
  ...{ protocol: "http", endpoint: `https://${HOST}/api/(v1)`, described_by: [OPENAPI], observation: null },
  level: "published",
});
const rumor = service(HOST, "Rumor", [], {
  ...{ endpoint: `https://${HOST}/rumor`, observation: null, level: "claimed" },
});

function made(format: MadeFormat, services: AgentService[], endpoint?: string): PublishableDocument | string {
  const seen = { ...presence(HOST, services), descriptors: [descriptor("openapi", OPENAPI)] };
  return documentOfSite(seen, false, format, endpoint);
}

function read(document: PublishableDocument | string) {
  if (typeof document === "string") throw new Error(document);
  const { format, publish_at, document: content } = document;
  const bytes = typeof content === "string" ? Buffer.from(content) : bytesOf(content);
  return formatNamed(format)!.read(bytes, new URL(publish_at), document.media_type);
}

describe("a document made of what was seen", () => {
  it.each([
    ["mcp-server-card", [server], [server.endpoint]],
    ["ard", [server, api], []],
    ["ai-catalog", [server, api], []],
    ["api-catalog", [server, api], [api.endpoint]],
    ["llms-txt", [server, api], []],
  ] as const)("conforms to its format: %s", (format, services, endpoints) => {
    const reading = read(made(format, [...services, rumor]));
    expect(reading).toMatchObject({ conforms: true, usable: true });
    expect(reading!.services.map(({ endpoint }) => endpoint)).toEqual(endpoints);
  });

  it("says of what it was made, and what its owner alone can say", () => {
    expect(made("mcp-server-card", [server])).toMatchObject({
      publish_at: `https://${HOST}/mcp/server-card`,
      to_say: [expect.stringMatching(/^version/)],
      made_from: [{ endpoint: server.endpoint, seen_by: "answer" }],
    });
  });

  it("holds nothing that third parties alone say, and no words that the firewall withholds", () => {
    const withheld = { ...server, screened: "withheld" as const };
    for (const format of ["ard", "ai-catalog", "llms-txt"] as const) {
      const text = JSON.stringify(made(format, [withheld, rumor]));
      expect(text).not.toMatch(/rumor|Shop \(|Finds tea/i);
      expect(text).toContain(server.endpoint);
    }
  });

  it("names links that no name or address of a stranger breaks", () => {
    const { document } = made("llms-txt", [server, api]) as PublishableDocument;
    expect(document).toContain("- [Shop (tools) (mcp)](https://shop.example/mcp): Finds tea");
    expect(document).toContain("(https://shop.example/api/%28v1%29)");
  });

  it("is of one server where a format is: of several, of the one that is named", () => {
    const other = { ...server, endpoint: `https://${HOST}/eu/mcp` };
    expect(made("mcp-server-card", [server, other])).toContain(other.endpoint);
    expect(made("mcp-server-card", [server, other], other.endpoint)).toMatchObject({
      document: { remotes: [{ url: other.endpoint }] },
    });
  });

  it.each([
    ["a2a-card", [server], /No agent of A2A/],
    ["api-catalog", [server], /description is published/],
    ["mcp-server-card", [api], /No MCP server/],
    ["llms-txt", [rumor], /No service was seen/],
  ] as const)("says why it cannot be made: %s", (format, services, why) => {
    expect(made(format, [...services])).toMatch(why);
  });
});
