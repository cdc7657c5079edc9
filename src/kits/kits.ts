/** The serving kits of a domain. None holds a key, and none needs one: they serve the file that its owner signed. */
import { readFileSync } from "node:fs";
import { strToU8, zipSync } from "fflate";
import type { KitName, ServingKit } from "../../schemas/kit.ts";
import { registrableDomain } from "../domain/names/domain-name.ts";

export interface KitSite {
  /** Canonical. */
  domain: string;
  /** Origin that serves the document. */
  endpoint: string;
  /** Address of the page that signs again; undefined where no registry is known. */
  renewAt?: string | undefined;
}

type Files = Readonly<Record<string, string>>;

interface Kit {
  title: string;
  /** Where its files lie here → where they go. */
  files: Files;
  documentPath: string | null;
  /** Of texts with their values filled in. */
  archive?: (files: Files) => Record<string, Uint8Array>;
  steps: (site: KitSite) => string[];
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  conf: "text/plain",
  js: "text/javascript",
  json: "application/json",
  jsonc: "text/plain",
  php: "text/plain",
  toml: "text/plain",
  zip: "application/zip",
};

/** A worker's name has at most 63 of these characters. */
const workerName = (domain: string): string =>
  `bridge-${domain.replace(/[^a-z0-9]/g, "-")}`.slice(0, 63).replace(/-$/, "");

/** The earliest time that a ZIP archive can say: the same files make the same bytes. */
const ZIP_EPOCH = "1980-01-01T00:00:00";
const PLUGIN = "bridge-document.php";
const IN_PUBLIC = "public/.well-known/bridge.json";
const WITH_SITE = "The key stays out of this folder and out of the repository.";
const redeploy = (where: string): string =>
  `Deploy the site, now and whenever ${where} was signed again. ${WITH_SITE}`;

const TABLE: Readonly<Record<KitName, Kit>> = {
  nginx: {
    title: "nginx",
    files: { "nginx/bridge.conf": "bridge.conf" },
    documentPath: "bridge.json",
    steps: ({ domain, endpoint }) => [
      `Put bridge.conf at /etc/nginx/snippets/bridge.conf, and the signed bridge.json at /var/www/bridge/${domain}/bridge.json, readable by nginx. The key belongs elsewhere.`,
      `In the server block of ${endpoint}, add: include snippets/bridge.conf;`,
      "Check and reload: nginx -t && systemctl reload nginx. Another bridge.json, signed later, needs no reload.",
    ],
  },
  wordpress: {
    title: "WordPress",
    files: { "wordpress/bridge-document.php": PLUGIN },
    documentPath: null,
    archive: (files) => ({
      "bridge-document.zip": zipSync(
        { [`bridge-document/${PLUGIN}`]: strToU8(files[PLUGIN]!) },
        { mtime: ZIP_EPOCH },
      ),
    }),
    steps: () => [
      "In WordPress, under Plugins, Add New, Upload Plugin: choose bridge-document.zip, install and activate it.",
      "Under Settings, Permalinks: choose any structure but Plain, so that WordPress is asked for the address.",
      "Under Settings, Agent discovery: upload the signed bridge.json. Upload each one that is signed later there too; WordPress reminds you ten days before a signature runs out.",
    ],
  },
  cloudflare: {
    title: "Cloudflare Workers",
    files: { "cloudflare/worker.js": "worker.js", "cloudflare/wrangler.jsonc": "wrangler.jsonc" },
    documentPath: "bridge.json",
    steps: () => [
      `Put worker.js, wrangler.jsonc and the signed bridge.json into one folder. ${WITH_SITE}`,
      "Deploy it: npx wrangler deploy. It answers for this one address of a site behind Cloudflare, and leaves every other to the site.",
      "Deploy it again whenever bridge.json was signed again.",
    ],
  },
  next: {
    title: "Next.js",
    files: { "next/route.js": "app/.well-known/bridge.json/route.js" },
    documentPath: "app/.well-known/bridge.json/bridge.json",
    steps: () => [
      "Put route.js and the signed bridge.json into the folder app/.well-known/bridge.json (or src/app/…), which bears the name of the address.",
      redeploy("bridge.json"),
    ],
  },
  vercel: {
    title: "Vercel",
    files: { "vercel/vercel.json": "vercel.json" },
    documentPath: IN_PUBLIC,
    steps: () => [
      `Put the signed bridge.json at ${IN_PUBLIC}, or in .well-known of the folder that is published.`,
      "Put vercel.json beside package.json; where there is one, add the entry of headers to it.",
      redeploy("bridge.json"),
    ],
  },
  netlify: {
    title: "Netlify",
    files: { "netlify/netlify.toml": "netlify.toml" },
    documentPath: IN_PUBLIC,
    steps: () => [
      `Put the signed bridge.json at ${IN_PUBLIC}, or in .well-known of the folder that is published.`,
      "Put netlify.toml at the root of the repository; where there is one, add its lines to it.",
      redeploy("bridge.json"),
    ],
  },
};

/** A quote would end PHP's string, and is none of an address. */
const quoted = (address: string): string => address.replaceAll("'", "%27").replaceAll("\\", "%5C");

const fill = (text: string, { domain, endpoint, renewAt }: KitSite): string => {
  const { hostname } = new URL(endpoint);
  const values: Readonly<Record<string, string>> = {
    domain,
    endpoint,
    host: hostname,
    zone: registrableDomain(hostname),
    worker: workerName(domain),
    renewAt: quoted(renewAt ?? ""),
  };
  return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? "");
};

const mediaTypeOf = (path: string): string => MEDIA_TYPES[path.slice(path.lastIndexOf(".") + 1)]!;

const read = (path: string): string => readFileSync(new URL(`files/${path}`, import.meta.url), "utf8");

/** @returns the kit with this site's names in its files */
export const servingKit = (kit: KitName, site: KitSite): ServingKit => {
  const { title, files, documentPath, archive, steps } = TABLE[kit];
  const filled: Record<string, string> = {};
  for (const [from, to] of Object.entries(files)) filled[to] = fill(read(from), site);
  const packed = Object.entries(archive?.(filled) ?? {});
  return {
    kit,
    title,
    document_path: documentPath,
    files: [
      ...packed.map(([path, bytes]) => ({
        path,
        media_type: mediaTypeOf(path),
        encoding: "base64" as const,
        content: Buffer.from(bytes).toString("base64"),
      })),
      ...Object.entries(filled).map(([path, content]) => ({
        path,
        media_type: mediaTypeOf(path),
        encoding: "utf8" as const,
        content,
      })),
    ],
    steps: steps(site),
  };
};
