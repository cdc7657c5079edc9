/**
 * A brand's name as a folder of somebody else's site, with a page for visitors in it: how kits lie on sites that were broken into.
 * Shops sell brands' goods, sites take payments and log-ins by brands, and both have folders named so, which do not count.
 */
import { wordsOf } from "./address-parts.ts";

/** Folders before a brand's name that say what it is there for. */
const HONEST_BEFORE = new Set(
  "auth oauth oauth2 openid connect login signin sign-in sso social checkout payment payments pay share sharer callback callbacks webhook webhooks ipn integrations integration apps plugins extensions brand brands manufacturer manufacturers marke marken marque marques marca marcas collection collections category categories c shop shops store stores tag tags topic topics blog news company companies review reviews compare domain domains site sites whois lookup coupons coupon deals vouchers logo logos icons icon docs help wiki".split(
    " ",
  ),
);
/** What follows a brand's name where a shop is told how its payment went, or a log-in elsewhere ended. */
const HONEST_AFTER = new Set(
  "callback return cancel ipn notify notification webhook express start standard redirect authorize complete success process processing place review capture token".split(
    " ",
  ),
);
/** Makers of goods and of services that other sites offer: their folders hold products. */
const OFFERED = new Set(
  "samsung nike adidas apple xiaomi huawei rayban hermes microsoft adobe norton mcafee office365 wordpress shopify visa mastercard amex americanexpress google github gitlab facebook instagram twitter linkedin youtube tiktok discord twitch steam telegram whatsapp snapchat zoom slack playstation fortnite roblox yandex walletconnect".split(
    " ",
  ),
);
/** Brands' names that name folders of others: bookings, accounts books, software that sites run. */
const WORDS = new Set(
  "booking orange sky wise steam zoom ledger phantom slack stripe blockchain crypto chase visa discord ups ing att outlook allegro kraken apple cpanel".split(
    " ",
  ),
);
const LURE =
  /log-?in|sign-?in|log-?on|verif|secur|account|update|confirm|webscr|bank|wallet|recover|unlock|billing|password|passwd|auth|otp|claim|refund|customer|client|support|connexion|acceso|anmeld|track/;
/** A page of a program, or the page of a folder, or of what one types in. */
const PROGRAM = /\.(?:php\d?|aspx?|jsp|cgi|do)$/;
const INDEX =
  /^(?:index|home|main|default|start|page|step|next|auth|pay|card|info|details|mail|user|id|[a-z0-9]{1,3})\d?\.(?:html?|php)$/;

interface FolderBrand {
  readonly name: string;
  /** The folder is named as a domain of the brand is: `brand.com`. */
  readonly isDomain: boolean;
}

/**
 * @param path in lower case, bounded
 * @param names of brands
 * @returns the brand, where a folder of it holds a page that asks something of visitors
 */
export function folderBrand(
  path: string,
  query: string,
  names: ReadonlyMap<string, unknown>,
): FolderBrand | undefined {
  const segments = path.split("/").filter(Boolean);
  for (const [at, segment] of segments.entries()) {
    const name = PROGRAM.test(segment) || INDEX.test(segment) ? undefined : brandOf(segment, names);
    if (name === undefined || HONEST_BEFORE.has(segments[at - 1] ?? "")) continue;
    const after = segments.slice(at + 1);
    if (after.some((one) => HONEST_AFTER.has(one))) continue;
    const last = after.at(-1) ?? "";
    const isPage = PROGRAM.test(last) || INDEX.test(last) || after.some(isRandom);
    const isLure =
      after.some((one) => wordsOf(one).length <= 3 && LURE.test(one)) || LURE.test(query.slice(0, 200));
    if (isPage || (isLure && !OFFERED.has(name))) return { name, isDomain: segment.includes(".") };
  }
  return undefined;
}

/** The brand that a segment consists of, with its suffix or a lure at most. */
function brandOf(segment: string, names: ReadonlyMap<string, unknown>): string | undefined {
  const words = wordsOf(segment);
  if (words.length === 0 || words.length > 3) return undefined;
  const name = words.find((word) => word.length >= 3 && names.has(word) && !WORDS.has(word));
  const others = words.filter((word) => word !== name);
  return others.every((word) => /^(?:www|com|net|org|[a-z]{2})$/.test(word) || LURE.test(word))
    ? name
    : undefined;
}

/** Eight characters or more of hexadecimal digits, or of letters among digits. */
const isRandom = (segment: string): boolean =>
  /^[0-9a-f]{8,64}$/.test(segment) ||
  (/^[a-z0-9]{8,64}$/.test(segment) && (segment.match(/[a-z][0-9]/g)?.length ?? 0) >= 2);
