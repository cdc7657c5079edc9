/** An address's parts: who answers for the host, and what stands before its public suffix. */
import { domainToUnicode } from "node:url";
import { parse } from "tldts";
import { FREE_HOSTING, MIRRORS } from "./hosting.ts";

export interface Parts {
  readonly url: URL;
  readonly host: string;
  readonly unicodeHost: string;
  /** By the whole public suffix list; null if there is none. */
  readonly registrable: string | null;
  /** By the list's public part alone: whose servers these are. */
  readonly operator: string | null;
  readonly suffix: string;
  readonly isPrivate: boolean;
  /** Labels before the operator's registrable domain. */
  readonly below: readonly string[];
  /** The registrable domain's own label. */
  readonly own: string;
}

export function partsOf(url: URL): Parts {
  const host = url.hostname.replace(/\.$/, "");
  const whole = parse(host, { allowPrivateDomains: true });
  const open = parse(host, { allowPrivateDomains: false });
  const registrable = whole.domain ?? (whole.isPrivate ? host : null);
  return {
    url,
    host,
    unicodeHost: domainToUnicode(host) || host,
    registrable,
    operator: open.domain,
    suffix: open.publicSuffix ?? "",
    isPrivate: whole.isPrivate === true,
    below: (open.subdomain ?? "").split(".").filter(Boolean),
    own: open.domainWithoutSuffix ?? "",
  };
}

export const isFreeHosting = ({ operator, isPrivate, registrable }: Parts): boolean =>
  isPrivate ||
  (operator !== null && FREE_HOSTING.has(operator)) ||
  (registrable !== null && FREE_HOSTING.has(registrable));

/** Whether a host shows other sites' pages under their names. */
export const isMirror = ({ operator }: Pick<Parts, "operator">): boolean => MIRRORS.has(operator ?? "");

/** The words of a host or a path, split at everything except letters and digits. */
export const wordsOf = (text: string): string[] => text.split(/[^a-z0-9]+/).filter(Boolean);

/** A host without its public suffix. */
export const beforeSuffix = ({ below, own }: Parts): string => [...below, own].join(".");
