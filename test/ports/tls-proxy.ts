/** What stands before an Elasticsearch in service: TLS, and nobody without its API key. */
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { KeyAndCertificate } from "../../world/certificates.ts";

export interface TlsProxy {
  url: string;
  close(): Promise<void>;
}

/** As Elasticsearch itself says it. */
const REFUSAL = JSON.stringify({
  error: {
    root_cause: [{ type: "security_exception", reason: "unable to authenticate with provided credentials" }],
    type: "security_exception",
    reason: "unable to authenticate with provided credentials",
  },
  status: 401,
});

/** @param target origin of the real node @param apiKey encoded */
export async function startTlsProxy(
  target: string,
  certificate: KeyAndCertificate,
  apiKey: string,
): Promise<TlsProxy> {
  const forward = (asked: IncomingMessage, answer: ServerResponse): void => {
    const { authorization, ...headers } = asked.headers;
    if (authorization !== `ApiKey ${apiKey}`) {
      answer.writeHead(401, { "content-type": "application/json", "x-elastic-product": "Elasticsearch" });
      return void answer.end(REFUSAL);
    }
    const onwards = request(new URL(asked.url!, target), { method: asked.method!, headers }, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(answer);
    });
    onwards.on("error", () => answer.destroy());
    asked.pipe(onwards);
  };
  const server = createServer(certificate, forward);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
