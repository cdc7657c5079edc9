/** What a message asks: a search, or what is known of a site; answered by the tools that models call, in text and data. */
import { z } from "zod";
import { parseHost } from "../../../src/domain/names/domain-name.ts";
import { Failure, fail } from "../../../src/rpc/errors.ts";
import { uuidv7 } from "../../../src/rpc/ids.ts";
import { searchSites } from "../mcp/tools/search-sites.ts";
import { siteVerdict } from "../mcp/tools/site-verdict.ts";
import { notingAge, type OperationCaller, STALE_SECONDS, type Tool } from "../mcp/tools/tool.ts";

const MAX_PARTS = 16;
const MAX_CHARS = 2_048;

const Part = z.looseObject({
  text: z.string().max(MAX_CHARS).optional(),
  data: z.record(z.string(), z.unknown()).optional(),
});
/** A SendMessageRequest (specification section 3.2.1), as far as it is read; clients send members of later versions too. */
export const SendMessageParams = z.looseObject({
  message: z.looseObject({
    messageId: z.string().min(1).max(256),
    contextId: z.string().max(256).optional(),
    taskId: z.string().max(256).optional(),
    role: z.literal("ROLE_USER"),
    parts: z.array(Part).min(1).max(MAX_PARTS),
  }),
});
type Message = z.infer<typeof SendMessageParams>["message"];

interface Question {
  tool: Tool;
  input: Record<string, unknown>;
}

const questionOf = ({ parts }: Message): Question | undefined => {
  const data = parts.find((part) => part.data !== undefined)?.data;
  if (data) return { tool: "domain" in data ? siteVerdict : searchSites, input: data };
  const text = parts
    .flatMap((part) => part.text ?? [])
    .join(" ")
    .trim();
  if (text === "") return undefined;
  const isHost = text.includes(".") && parseHost(text).ok;
  return isHost
    ? { tool: siteVerdict, input: { domain: text } }
    : { tool: searchSites, input: { query: text } };
};

/** @returns the answering message, or why there is none */
export const answerMessage = async (message: Message, caller: OperationCaller): Promise<object | Failure> => {
  const question = questionOf(message);
  if (!question) return fail("invalid_request", "A message has a text or a data part with what is asked.");
  const { tool, input } = question;
  const parsed = tool.input.strict().safeParse(input);
  if (!parsed.success) {
    const { path, message: fault } = parsed.error.issues[0]!;
    return fail("invalid_request", `data.${path.join(".")}: ${fault}`);
  }
  const noted = notingAge(caller);
  const output = await tool.run(parsed.data, {
    caller: noted.caller,
    canAsk: false,
    signal: new AbortController().signal,
    progress: async () => undefined,
  });
  if (output instanceof Failure) return output;
  const staleSeconds = noted.oldestSeconds();
  return {
    ...(staleSeconds !== undefined && { metadata: { [STALE_SECONDS]: staleSeconds } }),
    messageId: uuidv7(),
    contextId: message.contextId ?? uuidv7(),
    role: "ROLE_AGENT",
    parts: [
      { text: tool.text(output as never), mediaType: "text/plain" },
      { data: output, mediaType: "application/json" },
    ],
  };
};
