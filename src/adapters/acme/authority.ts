/** Certificates by ACME (RFC 8555), the name proved over HTTP (http-01). The client is loaded with the first order. */
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import type { CertificateAuthority } from "../../ports/certificates.ts";

export interface AcmeOptions {
  /** The authority's directory. */
  url: string;
  /** Where the authority writes to about certificates, if anywhere. */
  mail: string | undefined;
  /** File of certificates (PEM) that the authority's own server is verified by, beside the system's. */
  caFile: string | undefined;
}

const TIMEOUT_MS = 20_000;
const MAX_DETAIL = 300;

const loadClient = async ({ caFile }: AcmeOptions) => {
  const acme = await import("acme-client");
  acme.axios.defaults.timeout = TIMEOUT_MS;
  // No proxy of the environment: the operator names the authority, and nothing else is asked.
  acme.axios.defaults.proxy = false;
  if (caFile) acme.axios.defaults.httpsAgent = new Agent({ ca: readFileSync(caFile) });
  return acme;
};

export const openAuthority = (options: AcmeOptions): CertificateAuthority => {
  let loading: ReturnType<typeof loadClient> | undefined;
  const load = () => (loading ??= loadClient(options));
  return {
    makeAccountKey: async () => (await (await load()).crypto.createPrivateEcdsaKey()).toString(),
    issue: async (name, accountKey, publish) => {
      try {
        const acme = await load();
        const client = new acme.Client({ directoryUrl: options.url, accountKey });
        const contact = options.mail === undefined ? {} : { contact: [`mailto:${options.mail}`] };
        // Of an account that is there the client makes an update with nothing in it, which authorities refuse; its address is known by then.
        await client
          .createAccount({ termsOfServiceAgreed: true, ...contact })
          .catch(() => client.getAccountUrl());
        const key = await acme.crypto.createPrivateEcdsaKey();
        const [privateKey, csr] = await acme.crypto.createCsr({ commonName: name, altNames: [name] }, key);
        const chain = await client.auto({
          csr,
          termsOfServiceAgreed: true,
          challengePriority: ["http-01"],
          // The authority looks itself; from here the name may lead elsewhere.
          skipChallengeVerification: true,
          challengeCreateFn: (_, challenge, answer) => publish({ token: challenge.token, answer }),
          challengeRemoveFn: () => publish(undefined),
        });
        const { notBefore, notAfter } = acme.crypto.readCertificateInfo(chain);
        const times = { notBefore: notBefore.toISOString(), notAfter: notAfter.toISOString() };
        return { ok: true, certificate: { chain, privateKey: privateKey.toString(), ...times } };
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        return { ok: false, detail: detail.slice(0, MAX_DETAIL).toWellFormed() };
      }
    },
  };
};
