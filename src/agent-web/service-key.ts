/** What identifies a service of a host: its protocol and its endpoint, whatever the spelling. Pure. */
import type { AgentService } from "../../schemas/agent-web.ts";

/** One server whatever its spelling: no default port, no slash at the end, host in lower case. */
export const serviceKey = ({ protocol, endpoint }: Pick<AgentService, "protocol" | "endpoint">): string =>
  `${protocol} ${normalEndpoint(endpoint)}`;

export function normalEndpoint(endpoint: string): string {
  const url = URL.parse(endpoint);
  if (!url) return endpoint;
  let end = url.pathname.length;
  while (url.pathname[end - 1] === "/") end--;
  return `${url.origin}${url.pathname.slice(0, end)}${url.search}`;
}
