/** Normal form of e-mail addresses, which identifies accounts. Pure. */
import { domainToASCII } from "node:url";

/** RFC 5321 section 4.5.3.1, in bytes. */
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;

/** RFC 5322 dot-atom, with the letters that RFC 6531 adds; quoted local parts are not accepted. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Separators, control and format characters, private use, unassigned, and lone surrogates. */
const UNFIT = /[\p{Z}\p{C}]/u;

/**
 * The normal form of an address: NFKC, case-folded, the domain in A-labels. Provider-specific rules for dots and tags
 * do not apply: `a.b+c@x` is not `ab@x`.
 * @returns undefined if it is not an address
 */
export function emailIdentity(address: string): string | undefined {
  if (address.length > MAX_ADDRESS || !address.isWellFormed() || UNFIT.test(address)) return undefined;
  const folded = address.normalize("NFKC").toLowerCase().normalize("NFKC");
  const at = folded.lastIndexOf("@");
  const local = folded.slice(0, Math.max(at, 0));
  if (!LOCAL.test(local) || local.includes("@") || Buffer.byteLength(local) > MAX_LOCAL) return undefined;
  const domain = domainToASCII(folded.slice(at + 1));
  const labels = domain.split(".");
  if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || /^\d+$/.test(labels.at(-1)!))
    return undefined;
  const identity = `${local}@${domain}`;
  return Buffer.byteLength(identity) <= MAX_ADDRESS ? identity : undefined;
}
