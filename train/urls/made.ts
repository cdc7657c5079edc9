/**
 * Addresses that are made: by the ways in which phishing builds them, and as pages of honest shops and sites are named.
 * Ways: a brand with other words (Kintis and others, "Hiding in Plain Sight", 2017), a brand's domain below another
 * (Du and others, "TL;DR Hazard", 2019), misspellings and lookalikes (Unicode Technical Standard 39), free hosting, kits
 * on broken-into sites, made-up names and addresses without names (Interisle, "Phishing Landscape", 2024).
 */
import { mulberry32 } from "../../src/domain/listing/mulberry32.ts";
import { expand, type Grammar } from "../grammar.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

const BRANDS = words(
  "paypal microsoft office365 outlook apple icloud amazon netflix facebook instagram whatsapp linkedin dhl fedex usps ups evri correos laposte chase wellsfargo citibank hsbc barclays santander bbva sparkasse postbank ing rabobank creditagricole bnpparibas intesasanpaolo itau bradesco coinbase binance metamask ledger trezor docusign dropbox adobe ebay alibaba steamcommunity roblox spotify vodafone swisscom att telstra booking airbnb klarna revolut",
);
const HONEST_WORDS = words(
  "green river garden house star light studio craft north valley oak silver blue home style urban mountain coffee leather kids sport bike paper glass wood stone baker kitchen flora nature gear outdoor vintage fashion beauty pet toy book music camera tools craft tea wine bread shoe watch lamp rug sofa yoga run surf ski tent farm honey soap candle print frame ceramics garten haus mode schuh licht blumen uhren moebel maison jardin mode chaussure vin casa moda zapatos libros tienda giardino scarpe vino huis tuin fiets kleding",
);

const MADE: Grammar = {
  brand: BRANDS,
  bait: words(
    "login secure verify account update support service billing confirm help auth signin alert recovery wallet portal id online unlock refund delivery parcel tracking bonus rewards claim connexion kundenservice acceso verificar",
  ),
  cheap: words(
    "top xyz icu cyou buzz click link live shop online site store club vip sbs cfd info cc pw ru cn",
  ),
  plain: words("com net org info com.br co de fr it es pl ro in co.za com.mx ru"),
  free: words(
    "weebly.com wixsite.com webflow.io square.site blogspot.com web.app firebaseapp.com netlify.app vercel.app pages.dev workers.dev github.io glitch.me herokuapp.com 000webhostapp.com godaddysites.com duckdns.org r2.dev",
  ),
  word: HONEST_WORDS,
  kit: words(
    "wp-content/plugins/{brand}/login.php wp-includes/js/{brand}/index.html .well-known/{brand}/ wp-admin/css/{bait}/ images/{brand}/signin.php tmp/{bait}/{brand}/index.php cgi-bin/{bait}.html js/{brand}.com/{bait}.php {brand}/{hex}/login.php",
  ),
  path: words(
    "{bait} {bait}.php {bait}/index.html signin?id={hex} index.php?token={hex} {bait}/{hex} #{hex} {brand}",
  ),
};

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)]!;

const consonants = "bcdfghjklmnpqrstvwxz";

/** Each way, and a template of it; `{odd}` is a misspelt brand, `{random}` a made-up name, `{hex}` eight hexadecimal digits. */
export const WAYS: Readonly<Record<string, readonly string[]>> = {
  "brand with words": [
    "https://{brand}-{bait}.(com|net|info|{cheap})/",
    "https://{bait}-{brand}.{cheap}/{path}",
    "https://{brand}{bait}.{cheap}/",
    "https://www.{brand}-{bait}-{bait}.(com|{cheap})/{path}",
    "https://my{brand}-{bait}.{plain}/{path}",
  ],
  "brand below": [
    "https://{brand}.com.{bait}-{hex}.{cheap}/{path}",
    "https://{bait}.{brand}.{random}.{plain}/{path}",
    "http://{brand}.{word}{word}.{plain}/{path}",
  ],
  misspelt: ["https://{odd}.com/", "https://www.{odd}.{plain}/{path}", "https://{odd}-{bait}.com/{path}"],
  "free hosting": [
    "https://{brand}-{bait}.{free}/",
    "https://{bait}-{hex}.{free}/{path}",
    "https://{word}{brand}{bait}.{free}/",
    "https://{odd}.{free}/",
  ],
  "broken-into site": [
    "http(|s)://(www.|){word}{word}.{plain}/{kit}",
    "http(|s)://{word}-{word}.{plain}/{brand}/{path}",
    "http(|s)://(www.|){word}{word}.{plain}/{kit}?{bait}={hex}{hex}",
  ],
  "made-up name": [
    "https://{random}.{cheap}/",
    "https://{random}.{cheap}/{path}",
    "http://{bait}.{random}.{plain}/{path}",
  ],
  "no name": [
    "http://{number}.{number}.{number}.{number}/{path}",
    "http://{number}.{number}.{number}.{number}:8080/{kit}",
  ],
};

/** A page of a shop or site as software for shops names it. */
const HONEST = [
  "https://(www.|){word}{word}.{ending}/",
  "https://(www.|){word}-{word}.{ending}/products/{word}-{word}-{word}",
  "https://(www.|){word}{word}.{ending}/collections/{word}(|?page=2|?sort_by=price-ascending)",
  "https://(www.|shop.|){word}{word}.{ending}/{word}/{word}-{word}-{digits}.html",
  "https://(www.|store.|){word}{word}.{ending}/p/{digits}(|?variant={digits})",
  "https://{word}{word}.{ending}/(cart|checkout|account/login|search?q={word}|pages/contact|blogs/news/{word}-{word})",
  "https://(www.|){word}{word}.{ending}/index.php?route=product/product&product_id={digits}",
  "https://{word}{word}.myshopify.com/products/{word}-{word}",
];
const ENDINGS = words(
  "com com com com co.uk de fr it es nl se dk ch at be pl com.au ca co jp com.br net eu shop store online io us",
);

/** @returns a way and an address of it */
export function madePhishing(count: number, seed: number): [way: string, address: string][] {
  const random = mulberry32(seed);
  const ways = Object.keys(WAYS);
  return Array.from({ length: count }, (_, i) => {
    const way = ways[i % ways.length]!;
    return [way, fill(pick(WAYS[way]!, random), random)];
  });
}

function fill(template: string, random: () => number): string {
  const grammar: Grammar = {
    ...MADE,
    odd: [misspelt(pick(BRANDS, random), random)],
    random: [randomName(random)],
    hex: [hexOf(random)],
    number: [String(1 + Math.floor(random() * 222))],
    digits: [String(Math.floor(random() * 10 ** (3 + Math.floor(random() * 6))))],
    ending: [pick(ENDINGS, random)],
  };
  return expand(template.replaceAll("{word}{word}", "{word}~{word}"), grammar, random).replaceAll("~", "");
}

function misspelt(name: string, random: () => number): string {
  const at = 1 + Math.floor(random() * (name.length - 2));
  const ways = [
    name.slice(0, at) + name.slice(at + 1),
    name.slice(0, at) + name[at] + name.slice(at),
    name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2),
    name.replace("l", "1").replace("o", "0"),
    name.replace("m", "rn").replace("w", "vv"),
  ];
  return pick(
    ways.filter((one) => one !== name),
    random,
  );
}

const randomName = (random: () => number): string =>
  Array.from({ length: 8 + Math.floor(random() * 8) }, () =>
    pick([...consonants, ..."aeiou0123456789"], random),
  ).join("");

const hexOf = (random: () => number): string =>
  Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, "0");

export function madeHonest(count: number, seed: number): string[] {
  const random = mulberry32(seed);
  return Array.from({ length: count }, () => fill(pick(HONEST, random), random));
}

/** Paths that honest pages have, for sites that are known by their host alone. */
export function honestPaths(hosts: readonly string[], seed: number): string[] {
  const random = mulberry32(seed);
  return hosts.map((host) => {
    const made = new URL(fill(pick(HONEST, random), random));
    return `https://${host}${made.pathname}${made.search}`;
  });
}
