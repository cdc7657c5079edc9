/** Controls of the connection, its header fields, and DNS. */
import { type ComplianceControl, type ControlResult, controlResult, snippet } from "./control.ts";
import type { ComplianceObservation, DnsObservation } from "./observation.ts";

const header =
  (name: string, fits: (value: string) => ControlResult, missing: string) =>
  ({ headers }: ComplianceObservation): ControlResult => {
    if (!headers) return controlResult("not_observed", "The header fields were not seen.");
    const value = headers[name];
    return value === undefined
      ? controlResult("fail", missing)
      : { ...fits(value), evidence: snippet(`${name}: ${value}`) };
  };

const HSTS_SECONDS = 15_768_000;

export const TRANSPORT: readonly ComplianceControl[] = [
  {
    id: "https",
    category: "transport",
    title: "The site answers by https",
    refs: ["RFC 9110 section 4.2.2"],
    remediation: "Serve the site by https with a certificate that clients trust.",
    judge: ({ isHttps, host }) =>
      isHttps === undefined
        ? controlResult("not_observed", "The site did not answer.")
        : controlResult(
            isHttps ? "pass" : "fail",
            isHttps ? "The page came by https." : "The page came by http.",
            snippet(`${isHttps ? "https" : "http"}://${host}/`),
          ),
  },
  {
    id: "hsts",
    category: "transport",
    title: "Browsers are told to use https alone",
    refs: ["RFC 6797"],
    remediation: "Send Strict-Transport-Security with max-age of six months or more.",
    judge: header(
      "strict-transport-security",
      (value) => {
        const seconds = Number(/max-age\s*=\s*"?(\d{1,12})/i.exec(value)?.[1] ?? 0);
        if (seconds === 0) return controlResult("fail", "max-age is missing or nothing.");
        return seconds >= HSTS_SECONDS
          ? controlResult("pass", "max-age is six months or more.")
          : controlResult("partial", "max-age is below six months.");
      },
      "There is no Strict-Transport-Security.",
    ),
  },
  {
    id: "content-security-policy",
    category: "headers",
    title: "A policy limits what the page may load",
    refs: ["W3C CSP Level 3"],
    remediation: "Send a Content-Security-Policy without unsafe-inline.",
    judge: header(
      "content-security-policy",
      (value) =>
        /'unsafe-inline'|'unsafe-eval'/.test(value) && !/'nonce-|'strict-dynamic'/.test(value)
          ? controlResult("partial", "It allows inline scripts or eval.")
          : controlResult("pass", "A policy is sent."),
      "There is no Content-Security-Policy.",
    ),
  },
  {
    id: "nosniff",
    category: "headers",
    title: "Content types are not guessed",
    refs: ["WHATWG Fetch, X-Content-Type-Options"],
    remediation: "Send X-Content-Type-Options: nosniff.",
    judge: header(
      "x-content-type-options",
      (value) =>
        /^\s*nosniff\s*$/i.test(value)
          ? controlResult("pass", "nosniff.")
          : controlResult("fail", "The value is not nosniff."),
      "There is no X-Content-Type-Options.",
    ),
  },
  {
    id: "cookie-attributes",
    category: "headers",
    title: "Cookies are protected",
    refs: ["RFC 6265 sections 4.1.2 and 8"],
    remediation: "Set Secure on every cookie, HttpOnly on those of sessions, and SameSite.",
    judge: ({ cookies }) => {
      if (!cookies) return controlResult("not_observed", "The answer's cookies were not seen.");
      if (cookies.length === 0) return controlResult("not_applicable", "The answer set no cookies.");
      const open = cookies.find(({ session, secure, httpOnly }) => session && !(secure && httpOnly));
      if (open)
        return controlResult(
          "fail",
          `The session cookie ${open.name} lacks Secure or HttpOnly.`,
          snippet(open.name),
        );
      const weak = cookies.find(
        ({ secure, sameSite }) => !secure || sameSite === null || sameSite === "invalid",
      );
      return weak
        ? controlResult("partial", `The cookie ${weak.name} lacks Secure or SameSite.`, snippet(weak.name))
        : controlResult("pass", "All have Secure and SameSite.");
    },
  },
];

const isSpf = (record: string): boolean => /^v=spf1(?: |$)/i.test(record);
const isDmarc = (record: string): boolean => /^v=DMARC1\s*(?:;|$)/i.test(record);

export const DNS: readonly ComplianceControl[] = [
  {
    id: "dnssec",
    category: "dns",
    title: "The name's records are signed",
    refs: ["RFC 4033"],
    remediation: "Have the zone signed and its DS record published.",
    judge: ({ dns: { address } }) => {
      if (!address) return controlResult("not_observed", "DNS was not asked.");
      if (address.outcome === "failed")
        return address.reason === "bogus"
          ? controlResult("fail", "The signatures do not hold: bogus.")
          : controlResult("not_observed", `DNS gave no answer: ${address.reason}.`);
      if (address.dnssec === "secure") return controlResult("pass", "A validating resolver says secure.");
      return address.dnssec === "insecure"
        ? controlResult("fail", "The zone is not signed.")
        : controlResult("not_observed", "The resolver does not validate.");
    },
  },
  {
    id: "caa",
    category: "dns",
    title: "DNS says who may issue certificates",
    refs: ["RFC 8659"],
    remediation: 'Publish a CAA record such as 0 issue "ca.example".',
    judge: ({ dns: { caa } }) =>
      onRecords(
        caa,
        (records) =>
          records.some((record) => / issue(?:wild)? /.test(record))
            ? controlResult("pass", "Issuers are named.", snippet(records.join("; ")))
            : controlResult(
                "partial",
                "There are CAA records, none names an issuer.",
                snippet(records.join("; ")),
              ),
        controlResult("fail", "There is no CAA record at the domain or above it."),
      ),
  },
  {
    id: "spf",
    category: "dns",
    title: "DNS says who may send the domain's mail (SPF)",
    refs: ["RFC 7208"],
    remediation: "Publish one SPF record that ends in -all or ~all; v=spf1 -all where no mail is sent.",
    judge: ({ dns: { spf } }) =>
      onRecords(
        spf,
        (records) => {
          const ours = records.filter(isSpf);
          const [record] = ours;
          if (!record) return controlResult("fail", "There is no SPF record.");
          if (ours.length > 1)
            return controlResult(
              "fail",
              "There are several SPF records: receivers take none (section 4.5).",
              snippet(ours.join(" | ")),
            );
          if (/[?~-]all\b|redirect=/i.test(record))
            return /\?all\b/i.test(record)
              ? controlResult("partial", "It ends in ?all: it says nothing of others.", snippet(record))
              : controlResult("pass", "It ends in a judgement of others.", snippet(record));
          return controlResult(
            /\+?all\b/i.test(record) ? "fail" : "partial",
            "It lets anybody send, or says nothing of others.",
            snippet(record),
          );
        },
        controlResult("fail", "There is no SPF record."),
      ),
  },
  {
    id: "dmarc",
    category: "dns",
    title: "DNS says what becomes of forged mail (DMARC)",
    refs: ["RFC 7489"],
    remediation: "Publish a DMARC record with p=quarantine or p=reject at _dmarc.",
    judge: ({ dns: { dmarc } }) =>
      onRecords(
        dmarc,
        (records) => {
          const ours = records.filter(isDmarc);
          const [record] = ours;
          if (!record || ours.length > 1)
            return controlResult(
              "fail",
              ours.length > 1
                ? "There are several DMARC records: receivers take none."
                : "There is no DMARC record.",
            );
          const policy = /(?:^|;)\s*p\s*=\s*(none|quarantine|reject)\b/i.exec(record)?.[1]?.toLowerCase();
          if (!policy) return controlResult("fail", "It names no policy.", snippet(record));
          return policy === "none"
            ? controlResult("partial", "Its policy is none: forged mail is only reported.", snippet(record))
            : controlResult("pass", `Its policy is ${policy}.`, snippet(record));
        },
        controlResult("fail", "There is no DMARC record."),
      ),
  },
  {
    id: "security-txt",
    category: "contact",
    title: "A contact for those who find a weakness",
    refs: ["RFC 9116", "ISO/IEC 29147"],
    remediation: "Publish /.well-known/security.txt with Contact and Expires.",
    judge: ({ securityTxt }) => {
      if (!securityTxt) return controlResult("not_observed", "It could not be asked for.");
      if (!securityTxt.found) return controlResult("fail", "There is no security.txt.");
      const { faults, url, contacts } = securityTxt;
      const evidence = snippet(`${url}: ${contacts.join(", ")}`);
      return faults.length === 0
        ? controlResult("pass", "It holds to RFC 9116.", evidence)
        : controlResult("partial", `It ${faults.join("; ")}.`, evidence);
    },
  },
];

function onRecords(
  answer: DnsObservation,
  judge: (records: string[]) => ControlResult,
  none: ControlResult,
): ControlResult {
  if (!answer) return controlResult("not_observed", "DNS was not asked.");
  if (answer.outcome === "failed")
    return controlResult("not_observed", `DNS gave no answer: ${answer.reason}.`);
  return answer.outcome === "none" ? none : judge(answer.records);
}
