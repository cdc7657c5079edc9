/** Who runs the name servers of a zone, by their names, and where records are edited there: enough for an owner to find the place. Pure. */

interface DnsProvider {
  /** What the company calls itself. */
  name: string;
  /** Suffixes of its name servers. */
  servers: RegExp;
  /** The way to the record's form, as its pages call it; the source is `help`. */
  where?: string;
  /** What differs there from most: a name that is typed whole, quotes around the value. */
  note?: string;
  /** Its own instructions. */
  help?: string;
}

const QUOTES = "Put the value in double quotes there.";

const PROVIDERS: readonly DnsProvider[] = [
  {
    name: "Cloudflare",
    servers: /\.ns\.cloudflare\.com$/,
    where: "DNS, Records, Add record",
    help: "https://developers.cloudflare.com/dns/manage-dns-records/how-to/create-dns-records/",
  },
  {
    name: "GoDaddy",
    servers: /\.domaincontrol\.com$/,
    where: "Domain Portfolio, your domain, DNS, Add New Record",
    help: "https://www.godaddy.com/help/add-a-txt-record-19232",
  },
  {
    name: "Namecheap",
    servers: /\.registrar-servers\.com$/,
    where: "Domain List, Manage, Advanced DNS, Add New Record",
    note: "The name's field is called Host.",
    help: "https://www.namecheap.com/support/knowledgebase/article.aspx/317/2237/how-do-i-add-txtspfdkimdmarc-records-for-my-domain/",
  },
  {
    name: "Amazon Route 53",
    servers: /\.awsdns-\d{1,2}\.(?:com|net|org|co\.uk)$/,
    where: "Hosted zones, your zone, Create record",
    note: QUOTES,
    help: "https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/resource-record-sets-creating.html",
  },
  {
    name: "Google Cloud DNS",
    servers: /^ns-cloud-[a-e]\d\.googledomains\.com$/,
    where: "Network services, Cloud DNS, your zone, Add standard",
    note: QUOTES,
    help: "https://cloud.google.com/dns/docs/records",
  },
  {
    name: "Squarespace",
    servers: /\.squarespacedns\.com$/,
    where: "Domains, your domain, DNS Settings, Custom records",
    note: "The name's field is called Host.",
  },
  {
    name: "IONOS",
    servers: /\.ui-dns\.(?:com|de|org|biz)$/,
    where: "Domains & SSL, your domain, DNS, Add record",
    note: "The name's field is called Host name.",
  },
  {
    name: "OVHcloud",
    servers: /\.(?:ovh\.net|anycast\.me)$/,
    where: "Web Cloud, Domain names, your domain, DNS zone, Add an entry",
    note: "The name's field is called Sub-domain.",
    help: "https://help.ovhcloud.com/csm/en-dns-edit-dns-zone?id=kb_article_view&sysparm_article=KB0051684",
  },
  {
    name: "Gandi",
    servers: /\.gandi\.net$/,
    where: "Domain, your domain, DNS Records, Add record",
    help: "https://docs.gandi.net/en/domain_names/faq/record_types/txt_record.html",
  },
  {
    name: "Hetzner",
    servers: /(?:\.ns\.hetzner\.(?:com|de)|\.first-ns\.de|\.your-server\.de)$/,
    where: "your zone under DNS, Add record",
    help: "https://docs.hetzner.com/networking/dns/",
  },
  {
    name: "STRATO",
    servers: /\.rzone\.de$/,
    where: "Domains, your domain, DNS, TXT and CNAME records",
    note: "The name's field is called Prefix.",
  },
  { name: "INWX", servers: /\.inwx\.(?:de|eu|com)$/, where: "Nameserver, your domain, New record" },
  {
    name: "DigitalOcean",
    servers: /\.digitalocean\.com$/,
    where: "Networking, Domains, your domain, TXT",
    note: "The name's field is called Hostname.",
    help: "https://docs.digitalocean.com/products/networking/dns/how-to/manage-records/",
  },
  {
    name: "Porkbun",
    servers: /\.porkbun\.com$/,
    where: "Domain Management, your domain, DNS",
    note: "The name's field is called Host.",
  },
  {
    name: "DNSimple",
    servers: /\.dnsimple(?:-edge)?\.(?:com|net|org)$/,
    where: "your domain, DNS, Manage records, Add record",
    help: "https://support.dnsimple.com/articles/manage-txt-record/",
  },
  {
    name: "Wix",
    servers: /\.wixdns\.net$/,
    where: "Domains, Domain Actions, Manage DNS Records, TXT, Add Record",
  },
  {
    name: "Azure DNS",
    servers: /\.azure-dns\.(?:com|net|org|info)$/,
    where: "DNS zones, your zone, Record sets, Add",
    help: "https://learn.microsoft.com/azure/dns/dns-operations-recordsets-portal",
  },
  {
    name: "Vercel",
    servers: /\.vercel-dns\.com$/,
    where: "Domains, your domain, DNS Records, Add",
    help: "https://vercel.com/docs/domains/managing-dns-records",
  },
  { name: "Netlify", servers: /^dns\d\.p\d{2}\.nsone\.net$/, where: "Domains, your domain, Add new record" },
  {
    name: "Hostinger",
    servers: /\.dns-parking\.com$/,
    where: "Domains, your domain, DNS / Nameservers, Manage DNS records",
  },
  { name: "Infomaniak", servers: /\.infomaniak\.(?:ch|com)$/, where: "your domain, DNS zone, Add a record" },
  { name: "world4you", servers: /\.world4you\.(?:at|com)$/, where: "your domain, DNS" },
  { name: "united-domains", servers: /\.udag\.(?:de|net|org)$/, where: "your domain, DNS" },
  { name: "ALL-INKL", servers: /\.kasserver\.com$/, where: "KAS, Tools, DNS settings, your domain" },
];

const providerOf = (nameServers: readonly string[]): DnsProvider | undefined => {
  for (const server of nameServers) {
    const name = server.toLowerCase().replace(/\.$/, "");
    const provider = PROVIDERS.find(({ servers }) => servers.test(name));
    if (provider) return provider;
  }
  return undefined;
};

/** @param nameServers in any case, with or without a final dot @returns null where their names tell nothing */
export const dnsProviderOf = (nameServers: readonly string[]): string | null =>
  providerOf(nameServers)?.name ?? null;

export interface DnsHint {
  /** In one or two sentences. */
  text: string;
  help_url: string | null;
}

/**
 * Where a TXT record is entered at whoever runs the name servers.
 * @param recordName of the record, whole
 * @param zone its last part, which all of them add by themselves
 */
export const dnsHintOf = (
  nameServers: readonly string[],
  recordName: string,
  zone: string,
): DnsHint | null => {
  const provider = providerOf(nameServers);
  if (!provider?.where) return null;
  const typed = recordName.endsWith(`.${zone}`) ? recordName.slice(0, -zone.length - 1) : recordName;
  const where = `At ${provider.name}: ${provider.where}; type TXT, name ${typed} (${zone} is added there).`;
  return {
    text: provider.note === undefined ? where : `${where} ${provider.note}`,
    help_url: provider.help ?? null,
  };
};
