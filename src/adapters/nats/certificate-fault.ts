/** Whether a connection to the broker failed for a certificate. */
import { BrokerUntrusted } from "../../patches/nats-transport.ts";

/** What Node and OpenSSL say of a certificate that does not fit what it is checked by. */
const CERTIFICATE_FAULT = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME|ERR_SSL|ERR_TLS/;

/** Why a connection was not made, where it is for the broker's certificate, or for ours. */
export const certificateFault = (error: unknown): string | undefined => {
  if (error instanceof BrokerUntrusted) return error.message;
  if (!(error instanceof Error)) return undefined;
  const { code } = error as NodeJS.ErrnoException;
  if (code && CERTIFICATE_FAULT.test(code)) return error.message;
  return certificateFault(error.cause);
};
