/** Who runs the name servers of a zone, by their names: enough to tell an owner where his records are edited. Pure. */

/** Suffixes of name servers. Names are what the companies call themselves. */
const PROVIDERS: readonly (readonly [name: string, servers: RegExp])[] = [
  ["Cloudflare", /\.ns\.cloudflare\.com$/],
  ["GoDaddy", /\.domaincontrol\.com$/],
  ["Namecheap", /\.registrar-servers\.com$/],
  ["Amazon Route 53", /\.awsdns-\d{1,2}\.(?:com|net|org|co\.uk)$/],
  ["Google Cloud DNS", /^ns-cloud-[a-e]\d\.googledomains\.com$/],
  ["Squarespace", /\.squarespacedns\.com$/],
  ["IONOS", /\.ui-dns\.(?:com|de|org|biz)$/],
  ["OVHcloud", /\.(?:ovh\.net|anycast\.me)$/],
  ["Gandi", /\.gandi\.net$/],
  ["Hetzner", /(?:\.ns\.hetzner\.(?:com|de)|\.first-ns\.de|\.your-server\.de)$/],
  ["STRATO", /\.rzone\.de$/],
  ["INWX", /\.inwx\.(?:de|eu|com)$/],
  ["DigitalOcean", /\.digitalocean\.com$/],
  ["Porkbun", /\.porkbun\.com$/],
  ["DNSimple", /\.dnsimple(?:-edge)?\.(?:com|net|org)$/],
  ["Wix", /\.wixdns\.net$/],
  ["Azure DNS", /\.azure-dns\.(?:com|net|org|info)$/],
  ["Vercel", /\.vercel-dns\.com$/],
];

/** @param nameServers in any case, with or without a final dot @returns null where their names tell nothing */
export const dnsProviderOf = (nameServers: readonly string[]): string | null => {
  for (const server of nameServers) {
    const name = server.toLowerCase().replace(/\.$/, "");
    const provider = PROVIDERS.find(([, servers]) => servers.test(name));
    if (provider) return provider[0];
  }
  return null;
};
