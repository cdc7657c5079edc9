/** The inside of a thread that reads what hosts publish for agents. */
import { createHash } from "node:crypto";
import { MAX_TOOLS, type ServiceTool } from "../../schemas/agent-web.ts";
import { decodeBody } from "../pages/body-encoding.ts";
import { answerOf } from "./answer.ts";
import type { DescribedService, Format, ListedItem, Reading } from "./formats/format.ts";
import { readJsonLd } from "./formats/json-ld.ts";
import { formatNamed } from "./formats/table.ts";
import { namedInPage } from "./named-in-page.ts";
import { documentPlatform } from "./platforms.ts";
import { answerIn, toolsIn } from "./probe/messages.ts";
import { readTools, screenedText } from "./probe/tools.ts";
import type {
  DocumentSeen,
  DocumentToRead,
  FrontSeen,
  PresenceReading,
  SeenService,
  SentReply,
} from "./reading.ts";

type Input<Name extends keyof PresenceReading> = Parameters<PresenceReading[Name]>[0];

/** Says what a reply is worth, and reads the document that it is by its format. */
export function descriptor({ format: name, reply, canary }: DocumentToRead): DocumentSeen {
  const format = readingOnce(formatNamed(name)!);
  const { body, headers } = reply;
  const url = new URL(reply.url);
  const answer = answerOf(asFetched(reply), format, canary && asFetched(canary));
  const sha256 = createHash("sha256").update(body).digest("hex");
  const by = documentPlatform({ headers: {}, path: url.pathname, bytes: body, host: url.hostname });
  const said = answer === "present" ? format.read(body, url, headers["content-type"] ?? "") : undefined;
  return { answer, read: said && { ...said, services: shownServices(said.services) }, by, sha256 };
}

/** What a reply is worth and what it says ask for the same: a document of 2 MiB is parsed once. */
function readingOnce(format: Format): Format {
  const known = new Map<Uint8Array, Reading | undefined>();
  const read: Format["read"] = (bytes, url, type) => {
    if (!known.has(bytes)) known.set(bytes, format.read(bytes, url, type));
    return known.get(bytes);
  };
  return { ...format, read };
}

const asFetched = (reply: SentReply) => ({ ...reply, url: new URL(reply.url), ok: true }) as const;

/** What documents say that services do, screened as what services themselves say: each list once, and as many as a host may have. */
function shownServices(services: readonly DescribedService[]): SeenService[] {
  const read = new Map<readonly ListedItem[], SeenService["tools"]>();
  let left = MAX_TOOLS;
  return services.map((service) => {
    const tools = read.get(service.tools) ?? readTools(service.tools.slice(0, left)).tools;
    if (!read.has(service.tools)) left -= tools.length;
    read.set(service.tools, tools);
    return { ...service, tools };
  });
}

/** What a front page names, and whose platform serves it. */
export function frontPage({ url, contentType, headers, body }: Input<"frontPage">): FrontSeen {
  const { hostname: host, pathname: path } = new URL(url);
  const { named, blocks } = namedInPage(decodeBody(body, contentType), url);
  const read = readJsonLd(blocks, new URL(url));
  const sha256 = createHash("sha256").update(blocks.join("\n")).digest("hex");
  return {
    named,
    linked: read && { read: { ...read, services: shownServices(read.services) }, sha256 },
    platform: documentPlatform({ headers, path, bytes: body, host }),
  };
}

/** What the firewall says of words that describe services. */
export const screened = (texts: readonly string[]): ServiceTool["screened"][] => texts.map(screenedText);

/** What a reply of an MCP endpoint answers. */
export const mcpAnswer = (page: Input<"mcpAnswer">) => ({ answer: answerIn(page) });

/** Tools as a server lists them, page by page. */
export const mcpTools = (pages: Input<"mcpTools">) => readTools(pages.flatMap(toolsIn));
