/** Whether it is our settings that keep us from an Elasticsearch: its client tells only that it failed. */
import { isIP } from "node:net";
import { connect } from "node:tls";
import { errors } from "@elastic/elasticsearch";
import { IndexRefused } from "../../ports/index.ts";
import { certificatesOf, type ElasticsearchSettings, engineNodes } from "./connection.ts";

const HANDSHAKE_TIMEOUT_MS = 5_000;

/** The refusal behind an error of the client; undefined where it is none. */
export async function engineRefusal(
  settings: ElasticsearchSettings,
  error: unknown,
): Promise<IndexRefused | undefined> {
  const { origin, protocol } = new URL(engineNodes(settings)[0]!);
  if (error instanceof errors.ResponseError && (error.statusCode === 401 || error.statusCode === 403))
    return new IndexRefused(
      "credentials",
      `Elasticsearch at ${origin} answers ${error.statusCode}: it takes no request without an API key that is valid and in its encoded form, with \`all\` on the indices sites-* and \`monitor\` on the cluster`,
      { cause: error },
    );
  if (protocol !== "https:" || !(error instanceof errors.ConnectionError)) return undefined;
  const fault = await certificateFault(settings);
  if (fault === undefined) return undefined;
  return new IndexRefused(
    "certificate",
    `the certificate of Elasticsearch at ${origin} is not to be trusted (${fault}): name the file of the authority that signed it for this host`,
    { cause: error },
  );
}

/** Why the server's certificate is not taken, as a code of OpenSSL or Node; undefined when it is, or when there is none. */
const certificateFault = (settings: ElasticsearchSettings): Promise<string | undefined> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(engineNodes(settings)[0]!);
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({
      host,
      port: Number(port || 443),
      ...(isIP(host) === 0 && { servername: host }),
      ...certificatesOf(settings),
      // Looked at, and never used.
      rejectUnauthorized: false,
      timeout: HANDSHAKE_TIMEOUT_MS,
    });
    const end = (fault?: string) => {
      socket.destroy();
      resolve(fault);
    };
    socket.once("secureConnect", () => {
      const fault: unknown = socket.authorized ? undefined : socket.authorizationError;
      end(
        fault instanceof Error ? ((fault as NodeJS.ErrnoException).code ?? fault.message) : (fault as string),
      );
    });
    socket.once("error", () => end());
    socket.once("timeout", () => end());
  });
