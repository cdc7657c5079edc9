/**
 * Addresses that measure only: made otherwise than train/urls/made.ts makes them (other operators, brands, words and hosts), and
 * written before the rules that they measure. Nothing is fitted to them or chosen by them.
 */
import { mulberry32 } from "../../../src/domain/listing/mulberry32.ts";
import type { Source } from "../../../train/urls/addresses.ts";

const EACH = 1_000;
const SEED = 7_041_776;

type Random = () => number;

const words = (text: string): string[] => text.trim().split(/\s+/);
const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)]!;
const below = (count: number, random: Random): number => Math.floor(random() * count);

/** Names of eight letters and more or fewer, of payments, post, banks, mail, coins, shops and games; not all are known to the rules. */
const TARGETS = words(
  "paypal mastercard venmo zelle revolut klarna stripe wellsfargo bankofamerica capitalone santander bbva caixabank commerzbank postfinance raiffeisen nubank bradesco mercadopago bancolombia banorte maybank gcash kbc swedbank nordea skatteetaten sunrise bluewin bpost postnord inpost anpost royalmail canadapost auspost deutschepost netflix disneyplus spotify steamcommunity roblox microsoft onedrive sharepoint office365 icloud facebook instagram whatsapp telegram linkedin tiktok dropbox docusign adobe wetransfer coinbase binance kucoin bitfinex metamask trustwallet trezor uniswap opensea pancakeswap walmart costco aliexpress rakuten mercari vinted leboncoin wallapop ebay airbnb tripadvisor vodafone telstra swisscom xfinity comcast movistar godaddy namecheap cpanel ionos",
);

/** Neighbors on a keyboard of the English layout. */
const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const neighbor = (char: string, random: Random): string => {
  const row = ROWS.findIndex((one) => one.includes(char));
  if (row === -1) return char;
  const at = ROWS[row]!.indexOf(char);
  const near = [ROWS[row]![at - 1], ROWS[row]![at + 1], ROWS[row + 1]?.[at], ROWS[row - 1]?.[at]];
  return pick(
    near.filter((one) => one !== undefined),
    random,
  );
};

const replaceAt = (text: string, at: number, by: string, length = 1): string =>
  text.slice(0, at) + by + text.slice(at + length);

const LOOKS: Record<string, readonly string[]> = {
  a: ["4", "а", "ä"],
  b: ["8"],
  d: ["cl"],
  e: ["3", "е", "é"],
  g: ["9", "q"],
  i: ["1", "l", "í"],
  l: ["1", "i"],
  m: ["rn", "nn"],
  n: ["ñ", "m"],
  o: ["0", "о", "ö"],
  p: ["р"],
  s: ["5", "ś"],
  t: ["7", "ţ"],
  u: ["ü", "v"],
  w: ["vv"],
};

/** A way to misspell a name, at a place from 0 to the last letter but one. */
type Misspelling = (name: string, at: number, random: Random) => string;
const MISSPELLINGS: readonly Misspelling[] = [
  (name, at, random) => replaceAt(name, at, neighbor(name[at]!, random)),
  (name, at, random) => replaceAt(name, at, name[at]! + neighbor(name[at]!, random)),
  (name, at) => replaceAt(name, at, name[at]! + name[at]!),
  (name, at) => replaceAt(name, at, ""),
  (name, at) => replaceAt(name, at, name[at + 1]! + name[at]!, 2),
  (name, at, random) => {
    const vowels = [...name].flatMap((char, i) => ("aeiou".includes(char) ? [i] : []));
    return vowels.length === 0
      ? `${name}${at}`
      : replaceAt(name, pick(vowels, random), pick([..."aeiou"], random));
  },
  (name, _, random) => {
    const places = [...name].flatMap((char, i) => (LOOKS[char] ? [i] : []));
    if (places.length === 0) return `${name}-`;
    const place = pick(places, random);
    return replaceAt(name, place, pick(LOOKS[name[place]!]!, random));
  },
  (name, at) => replaceAt(name, Math.max(2, at), `-${name[Math.max(2, at)]}`),
];

const misspelt = (random: Random): string => {
  for (;;) {
    const name = pick(TARGETS, random);
    const made = pick(MISSPELLINGS, random)(name, below(name.length - 1, random), random);
    if (made !== name && /^[^-].*[^-]$/.test(made)) return made;
  }
};

const COMMON = words("com com com com net org co info de fr es nl pl com.br in app");
const CHEAP = words("top xyz shop online cfd sbs icu vip bond click live site digital help lat cc");
const TASKS = words(
  "webapp client espace mon-compte iniciar clientes kunde mijn sicherheit bestaetigung aviso pago entrega colis suivi reprogram repay dispute chargeback kycform walletconnect restore unlockid passkey notice myaccess secureid",
);
const NOUNS = words(
  "cedar anchor lantern quarry meadow falcon ember orchard pixel harbor saddle marble thistle copper willow nomad summit velvet orbit canyon acacia lotus bodega taller panaderia ferreteria atelier boucherie menuiserie werkstatt schreinerei zahnarzt fahrschule kanzlei studio legal dental clinica academia fitness travel tours hotel villa resort church school trucking roofing plumbing",
);
const hex = (length: number, random: Random): string =>
  Array.from({ length }, () => below(16, random).toString(16)).join("");
const letters = (length: number, from: string, random: Random): string =>
  Array.from({ length }, () => pick([...from], random)).join("");
const site = (random: Random): string =>
  `${pick(["www.", "", ""], random)}${pick(NOUNS, random)}${pick(["", "", "-"], random)}${pick(NOUNS, random)}.${pick(COMMON, random)}`;

const entry = (random: Random): string =>
  pick(
    [
      "",
      "",
      "",
      "index.html",
      `${pick(TASKS, random)}/`,
      `${hex(12, random)}/`,
      "sign/in.php",
      `?ref=${hex(6, random)}`,
    ],
    random,
  );

const combined = (random: Random): string => {
  const target = pick(TARGETS, random);
  const task = pick(TASKS, random);
  const name = pick(
    [
      `${task}-${target}`,
      `${target}${task.replace("-", "")}`,
      `${target}-${below(9_000, random)}`,
      `my-${target}-${task}`,
      `${target}-${pick(["us", "eu", "fr", "de", "mx"], random)}`,
    ],
    random,
  );
  return `https://${name}.${pick([...COMMON, ...CHEAP], random)}/${entry(random)}`;
};

/** Folders of content management systems and shops that hold files for programs, or uploads. */
const FOLDERS = words(
  "wp-content/uploads/2026/04 wp-content/themes/astra/inc wp-content/plugins/akismet/_inc wp-content/mu-plugins wp-content/upgrade wp-includes/fonts wp-includes/blocks/avatar wp-admin/maint administrator/cache components/com_ajax media/vendor modules/mod_menu/tmpl sites/default/files/styles libraries/vendor pub/static/frontend var/cache skin/frontend assets/vendor/bootstrap node_modules/jquery/dist .well-known/pki-validation .well-known/acme-challenge/x vendor/phpunit/src .git/logs storage/framework",
);
const brokenInto = (random: Random): string => {
  const host = site(random);
  const target = pick(TARGETS, random);
  const page = pick(
    ["index.php", "in.html", "home.php", "auth.html", "pay.php", "", "step2.php", `${hex(10, random)}.html`],
    random,
  );
  const victim = `${pick(NOUNS, random)}@${pick(NOUNS, random)}.com`;
  const path = pick(
    [
      `${pick(FOLDERS, random)}/${pick([target, hex(5, random), pick(TASKS, random)], random)}/${page}`,
      `${pick(FOLDERS, random)}/${page || "index.html"}`,
      `${target}/${pick(["customer_center", hex(32, random), "myaccount/signin", "app/entry"], random)}/${page}`,
      `~${pick(NOUNS, random)}/${target}/${page}`,
      `${letters(3, "abcdefghij", random)}/${pick(TASKS, random)}/${page}?email=${victim}`,
      `${pick(NOUNS, random)}/${target}.com/${page}`,
    ],
    random,
  );
  return `${pick(["http", "https", "https"], random)}://${host}/${path}`;
};

const SYLLABLES = words("ka ro vi len tor mas qu zi bra pel ny dor fu xa wer jun lo sti mer gla");
const madeUp = (random: Random): string => {
  const name = pick<() => string>(
    [
      () => letters(6 + below(9, random), "abcdefghijklmnopqrstuvwxyz", random),
      () => letters(10 + below(8, random), "abcdefghijklmnopqrstuvwxyz0123456789", random),
      () =>
        Array.from({ length: 3 + below(2, random) }, () => pick(SYLLABLES, random)).join("") +
        below(100, random),
      () => `${letters(4, "bcdfghjklmnpqrstvwxyz", random)}-${letters(5, "bcdfghjklmnpqrstvwxyz", random)}`,
      () => `${letters(3, "abcdefghijklmnopqrstuvwxyz", random)}${below(99_999, random)}`,
    ],
    random,
  )();
  return `https://${pick(["", "", "m.", "www."], random)}${name}.${pick([...CHEAP, ...CHEAP, ...COMMON], random)}/${entry(random)}`;
};

/** What shops and sites have beside goods: accounts, sign-in by others, payment, uploads, articles. */
const honestPage = (random: Random): string => {
  const partner = pick(
    words("paypal klarna stripe google facebook apple amazon microsoft linkedin github twitter"),
    random,
  );
  const brand = pick(TARGETS, random);
  const noun = pick(NOUNS, random);
  const id = 1_000 + below(900_000, random);
  const path = pick(
    [
      "account/login",
      "my-account/",
      `customer/account/login/referer/${letters(24, "abcdefghijklmnopqrstuvwxyzABCDEF0123456789", random)}`,
      "login.php",
      "signin",
      `reset-password?token=${hex(32, random)}`,
      `verify-email?token=${hex(40, random)}`,
      `unsubscribe?email=${noun}@example.com`,
      `checkout/${partner}/confirm`,
      `auth/${partner}/callback?code=${hex(20, random)}`,
      `wp-content/uploads/2026/04/${noun}-${pick(NOUNS, random)}.pdf`,
      `wp-content/themes/${noun}/style.css`,
      "wp-login.php",
      "wp-admin/",
      "wp-json/wp/v2/posts",
      ".well-known/security.txt",
      `sites/default/files/2026-04/${noun}.jpg`,
      `blog/how-to-secure-your-${brand}-account`,
      `news/2026/04/${brand}-${noun}-results`,
      `brands/${pick(words("samsung nike adidas apple sony"), random)}?page=${below(9, random)}`,
      `share?u=https://${noun}.com/${noun}`,
      `order/track?id=${id}`,
      `${noun}-${pick(NOUNS, random)}-p-${id}.html`,
      `index.php?main_page=account&id=${id}`,
    ],
    random,
  );
  return `https://${site(random)}/${path}`;
};

/** Words and names within two letters of a brand: nobody imitates anyone. */
const NEAR = words(
  "visas visage orbit arable apply ample maple apples grapple chaser phase chased office officer offices outlooks outlast goggles toggle juggle amazone amazona amazing discard discords steamer stream steamy team zoomer bloom slacks black strike striped stripes stride stripy trike wiser wisely venom vernon zelda kraker cracker krakow ledge lodger ledgers pledge fledger phantasm booker bookings brooking cooking looking orange orangery grange aldo adore abode adobo allegra allegri allegory mercury mercado mercato mercers correo correas corridor impost imports impact nike niche nikko norton morton horton nordic nordeast nortons halifax fairfax hermes hermas heroes herms unity unicorn uniswim roblin robin robot robots spotlight drop-in dropboxes wallmark warmart walmer costa costume costcut tweeter twister fitter twitcher sparkling sparkles postbox postbar posta poste rabbit rabobo ronin revolt revolution revolver klara clarna corona metamark metatask opensee openseas binancial finance financer bindance tresor trezzo trevor truster inpostor imposter sunrose sunrises sunset bluewing bluewind santandrea sander chaseton united ups-and-downs dahlia rakute mercator vinter vented",
);
const nearName = (random: Random): string =>
  `https://${pick(["", "www."], random)}${pick(NEAR, random)}${pick(["", "", "", `-${pick(NOUNS, random)}`, pick(NOUNS, random)], random)}.${pick(COMMON, random)}/${pick(["", "", "products/", "about", "cart"], random)}`;

const KINDS: readonly [name: string, isPhishing: boolean, make: (random: Random) => string][] = [
  ["accounts, articles, files", false, honestPage],
  ["names near a brand's", false, nearName],
  ["brand with words", true, combined],
  [
    "misspelt",
    true,
    (random) => {
      const name = misspelt(random);
      const end = pick([...COMMON, ...COMMON, ...CHEAP], random);
      const host = pick(
        [name, name, name, `${name}-${pick(TASKS, random)}`, `${pick(TASKS, random)}.${name}`],
        random,
      );
      return `https://${host}.${end}/${entry(random)}`;
    },
  ],
  ["broken-into site", true, brokenInto],
  ["made-up name", true, madeUp],
];

/** The same at every call. */
export const otherSources = (): Source[] =>
  KINDS.map(([name, isPhishing, make], i) => {
    const random = mulberry32(SEED + i);
    const addresses = Array.from({ length: EACH }, () => make(random)).filter((address) =>
      URL.canParse(address),
    );
    return { name: `other: ${name}`, isPhishing, addresses };
  });
