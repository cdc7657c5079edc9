/** What an address says by itself, before anything is fetched. */
import { registrableDomain } from "../../../src/domain/names/domain-name.ts";

/** Parameters that tell a site where a visitor came from, and nothing about the page. */
const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|twclid|ttclid|_hs\w+|mkt_tok|ref|ref_src)$/i;
const MAX_PARTS = 50;

/** Parts of an http or https address; every list is bounded. */
export function readAddress(url: URL) {
  const isAddress = /^\[|^[\d.]+$/.test(url.hostname);
  const parameters = [...new Set(url.searchParams.keys())].slice(0, MAX_PARTS);
  const tracking = parameters.filter((name) => TRACKING.test(name));
  const clean = new URL(url);
  for (const name of tracking) clean.searchParams.delete(name);
  clean.hash = "";
  clean.username = "";
  clean.password = "";
  return {
    url: url.href,
    clean_url: clean.href,
    scheme: url.protocol.slice(0, -1),
    host: url.hostname,
    registrable_domain: isAddress ? null : registrableDomain(url.hostname),
    is_ip_address: isAddress,
    is_secure: url.protocol === "https:",
    is_internationalised: url.hostname.split(".").some((label) => label.startsWith("xn--")),
    has_credentials: url.username !== "" || url.password !== "",
    port: url.port === "" ? null : Number(url.port),
    path_words: url.pathname
      .split("/")
      .map(decoded)
      .flatMap(words)
      .slice(0, MAX_PARTS)
      .map((word) => word.slice(0, 100).toWellFormed()),
    parameters: parameters.map((name) => name.slice(0, 100).toWellFormed()),
    tracking_parameters: tracking,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const words = (text: string): string[] => text.split(/[-_.+ ]+/).filter((word) => word !== "");
