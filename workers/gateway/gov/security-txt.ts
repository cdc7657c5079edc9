/** security.txt, RFC 9116: read and judged. */

export type SecurityTxt =
  /** Neither path has one. */
  | { found: false }
  | {
      found: true;
      url: string;
      faults: string[];
      expires: string | null;
      contacts: string[];
      signed: boolean;
    };

const MAX_LINES = 1_000;
/** RFC 9116 section 2.5.5 recommends less than a year. */
const YEAR_MS = 366 * 86_400_000;

/**
 * @param url where it was found
 * @param contentType of the answer
 * @param now milliseconds
 */
export function readSecurityTxt(
  text: string,
  url: string,
  contentType: string,
  now: number,
): SecurityTxt & { found: true } {
  const { body, signed } = signedText(text.replace(/^\uFEFF/, ""));
  const fields = new Map<string, string[]>();
  const faults: string[] = [];
  for (const line of body.split(/\r?\n/, MAX_LINES)) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const field = /^([A-Za-z-]+):\s*(\S.*)$/.exec(line);
    if (!field) {
      faults.push("holds a line that is no field");
      continue;
    }
    const name = field[1]!.toLowerCase();
    const values = fields.get(name) ?? [];
    values.push(field[2]!.trim().slice(0, 2_048));
    fields.set(name, values);
  }
  const contacts = fields.get("contact") ?? [];
  const expires = fields.get("expires") ?? [];
  if (contacts.length === 0) faults.push("has no Contact (section 2.5.3)");
  if (contacts.some((contact) => !/^(?:mailto:|tel:|https:\/\/)/i.test(contact)))
    faults.push("has a Contact that is no mailto, tel or https address");
  if (expires.length !== 1)
    faults.push(`has ${expires.length === 0 ? "no" : "more than one"} Expires (section 2.5.5)`);
  const at = Date.parse(expires[0] ?? "");
  if (expires.length === 1 && Number.isNaN(at)) faults.push("has an Expires that is no date of RFC 3339");
  if (at < now) faults.push("has expired");
  if (at > now + YEAR_MS) faults.push("expires in more than a year");
  if (!/^https:/i.test(url)) faults.push("is not served by https");
  if (!/^text\/plain\b/i.test(contentType.trim())) faults.push("is not text/plain (section 3)");
  if (!new URL(url).pathname.startsWith("/.well-known/"))
    faults.push("is not under /.well-known/ (section 3)");
  return {
    found: true,
    url,
    faults: [...new Set(faults)],
    expires: expires[0] ?? null,
    contacts: contacts.slice(0, 10),
    signed,
  };
}

/** The text between the marks of a cleartext signature (RFC 9580 section 7), or the whole. */
function signedText(text: string): { body: string; signed: boolean } {
  const begin = /^-----BEGIN PGP SIGNED MESSAGE-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n/.exec(text);
  const end = text.indexOf("\n-----BEGIN PGP SIGNATURE-----");
  return begin && end > 0
    ? { body: text.slice(begin[0].length, end), signed: true }
    : { body: text, signed: false };
}
