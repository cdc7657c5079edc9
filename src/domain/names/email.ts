/** E-mail addresses as accounts are told apart by. Pure. */
import { domainToASCII } from "node:url";

/** RFC 5321 section 4.5.3.1, in bytes. */
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;

/** RFC 5322 dot-atom, with the letters that RFC 6531 adds; quoted local parts are not taken. */
const LOCAL = /^[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+(\.[\w!#$%&'*+/=?^`{|}~\u{80}-\u{10ffff}-]+)*$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
/** Separators, controls, format characters (invisible), private use, unassigned, and half of a pair. */
const UNFIT = /[\p{Z}\p{C}]/u;

/**
 * What an address is the same as, however it is written: Unicode compatibility forms and case folded, the domain in
 * A-labels. What providers make of dots and tags is theirs to know: `a.b+c@x` is not `ab@x` here.
 * @returns undefined for what is no address
 */
export const emailIdentity = (address: string): string | undefined => {
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
};
