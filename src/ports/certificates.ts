/** Certificates for names that the registry serves for the owners of sites. */

export interface Certificate {
  /** PEM, the name's own certificate first. */
  chain: string;
  /** PEM. */
  privateKey: string;
  /** RFC 3339. */
  notBefore: string;
  notAfter: string;
}

/** What is to answer at `http://<name>/.well-known/acme-challenge/<token>` (RFC 8555 section 8.3). */
export interface Challenge {
  token: string;
  answer: string;
}

export interface CertificateAuthority {
  /** A new key of an account at the authority, PEM. */
  makeAccountKey(): Promise<string>;
  /**
   * Has the authority look at the name, and sign a new key for it. Never throws.
   * @param publish puts the answer where the authority looks; with undefined it can go
   */
  issue(
    name: string,
    accountKey: string,
    publish: (challenge: Challenge | undefined) => Promise<void>,
  ): Promise<{ ok: true; certificate: Certificate } | { ok: false; detail: string }>;
}
