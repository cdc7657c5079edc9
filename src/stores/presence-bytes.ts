/**
 * A host's presence as it is stored: its JSON in the zlib format (RFC 1950) with a preset dictionary, the names and
 * values that nearly every record has. A record so costs what is its host's own: 318 bytes for 1,967 (134 found hosts of the
 * synthetic web). Another dictionary is added beside this one, and never takes its place.
 */
import { deflateSync, inflateSync } from "node:zlib";
import { AgentPresence } from "../../schemas/agent-web.ts";

/** Far above what a record has (MAX_PRESENCE_BYTES). */
const MAX_INFLATED_BYTES = 1024 * 1024;

/**
 * Never changed: a record says the checksum of its dictionary, and is read by no other. The most usual stands last,
 * where references to it are the shortest.
 */
const DICTIONARY = Buffer.from(
  [
    '"revision":"2025-06-18","revision":"2025-03-26","revision":"2.0","revision":"0.3.0",',
    '"revision":"0.2.6","revision":"SEP-1649","revision":"2026-08-25"',
    '"platform":"shopify","platform":"wix","platform":"mintlify","platform":"yoast",',
    '"platform":"aioseo","platform":"cloudflare"',
    '"by":"platform:shopify","by":"platform:wix","by":"platform:mintlify","by":"platform:yoast",',
    '"by":"platform:aioseo"',
    '"/.well-known/ard.json":"/.well-known/ai-catalog.json":',
    '"/.well-known/http-message-signatures-directory":"/.well-known/skills/index.json":',
    '"/.well-known/mcp.json":"/.well-known/x402":"/.well-known/acp.json":"/agents.json":"/agents.md":',
    '"/llms-full.txt":"/robots.txt"',
    '"found_by":"link","found_by":"html","found_by":"robots","found_by":"catalog","found_by":"dns",',
    '"found_by":"import"',
    '"answer":"auth","answer":"error","conforms":null,"usable":false,"revision":null,"sha256":null',
    '"findings":[{"rule":"not_its_own","place":"/","fix":"Name an endpoint of your own host.',
    '{"rule":"wrong_type","place":"","fix":"Write {"rule":"missing_member","place":"/version",',
    '"fix":"Add the member version."},{"rule":"missing_member","place":"/description",',
    '"fix":"Add the member description."},',
    '"protocol":"http","protocol":"skill","protocol":"ucp","protocol":"x402","protocol":"nlweb",',
    '"protocol":"webmcp","transports":["HTTP+JSON"],"transports":["JSONRPC"],"transports":["sse"],',
    '"auth":"oauth","auth":"api_key","auth":"other","auth":"unknown"',
    '"claimed_by":[{"source":"mcp-registry","id":"io.github.com.ai."}],',
    '"claimed_by":[{"source":"platform:shopify","id":"/api/ucp/mcp"}],',
    '"claimed_by":[{"source":"platform:wix","id":"/_api/mcp"}]',
    '"observation":{"class":"not_protocol","class":"html","class":"rate_limited","class":"unknown",',
    '"class":"dead","detail":"200: no answer to a request of MCP","class":"auth",',
    '"detail":"401: asks for authorization","revision":null,"name":null,"tools":null,',
    '"tools_sha256":null,"latency_ms":',
    '"failing":{"times":1,"since":"2026-12-","effect":"write","effect":"purchase","screened":"warned",',
    '"screened":"withheld"',
    '{"name":"search",',
    '"description":"Returns the list of all available for a given get update create delete query and the ",',
    '"parameters":["query: The ","limit: Maximum number of results","url: The URL of the "],',
    '"effect":"read","screened":"clear"},{"name":"get_',
    '{"v":1,"host":"www.mcp.api.com","platform":null,"descriptors":[{"format":"llms-txt",',
    '"revision":null,"url":"https://www.com/llms.txt","found_by":"well_known","named_by":null,"answer":"present",',
    '"conforms":true,"usable":true,"findings":[],"sha256":"',
    '","by":"owner","seen_at":"2026-12-01T00:00:00.000Z","first_seen_at":"2026-12-01T00:00:00.000Z",',
    '"changed_at":"2026-12-01T00:00:00.000Z"},{"format":"a2a-card","revision":"0.3",',
    '"url":"https://www.com/.well-known/agent-card.json","found_by":"well_known","answer":"present",',
    '"conforms":false,"usable":true,',
    '{"format":"mcp-server-card","revision":"SEP-2127",',
    '"url":"https://www.com/.well-known/mcp/server-card.json","format":"api-catalog",',
    '"format":"agent-skills","format":"openapi","revision":"3.1.0","format":"oauth-protected-resource",',
    '"format":"oauth-authorization-server"',
    '],"services":[{"protocol":"a2a","endpoint":"https://www.com/a2a","transports":["JSONRPC"],',
    '"auth":"unknown","name":"","description":"",',
    '"described_by":["https://www.com/.well-known/agent-card.json"],"claimed_by":[],"observation":null,',
    '"screened":"clear","failing":null,"tools":[],"level":"claimed"},',
    '{"protocol":"mcp","endpoint":"https://mcp.com/mcp","transports":["streamable-http"],"auth":"none",',
    '"name":"","description":"","described_by":[],"claimed_by":[],"observation":{"class":"open",',
    '"detail":"lists its tools","revision":"2025-11-25","name":"","tools":1,"tools_sha256":"",',
    '"latency_ms":120,"seen_at":"2026-12-01T00:00:00.000Z"},"screened":"clear","failing":null,',
    '"tools":[{"name":"","description":"","parameters":[""],"effect":"read","screened":"clear"}],',
    '"level":"answers"}',
    '],"services":[],"level":"published"}],"cut":{"descriptors":0,"services":0,"tools":0},',
    '"first_seen_at":"2026-12-01T00:00:00.000Z","seen_at":"2026-12-01T00:00:00.000Z",',
    '"changed_at":"2026-12-01T00:00:00.000Z","absent":{"/llms.txt":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/api-catalog":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/agent-skills/index.json":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/mcp/server-card.json":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/oauth-protected-resource":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/oauth-authorization-server":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/agent-card.json":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/ai-plugin.json":"2026-12-01T00:00:00.000Z",',
    '"/openapi.json":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/openid-configuration":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/agent.json":"2026-12-01T00:00:00.000Z",',
    '"/.well-known/ucp":"2026-12-01T00:00:00.000Z"}}',
  ].join(""),
);

export const presenceBytes = (presence: AgentPresence): Uint8Array =>
  deflateSync(JSON.stringify(presence), { dictionary: DICTIONARY });

/** @throws if the bytes are none of a presence, or of a dictionary of a newer version */
export function presenceOf(bytes: Uint8Array): AgentPresence {
  const json = inflateSync(bytes, { dictionary: DICTIONARY, maxOutputLength: MAX_INFLATED_BYTES });
  return AgentPresence.parse(JSON.parse(json.toString()));
}
