/** A site as one page without script: for agents that run none and for people who wonder. Pure; escapes all it is given. */

import type { Action } from "../../../schemas/action.ts";
import type { DiscoveryDocument } from "../../../schemas/discovery-document.ts";
import type { SiteRecord } from "../../../schemas/site.ts";
import { escapeHtml, readable } from "../../../src/domain/protocols/html.ts";
import { NOSCRIPT_STYLE } from "./style.ts";

export interface NoscriptOptions {
  siteId: string;
  document: DiscoveryDocument;
  /** What the crawl knows; undefined for the registry itself. */
  record: SiteRecord | undefined;
  publicUrl: string;
  /** The document is not the site's own as verified, but what its owner keeps in this registry. */
  isHosted?: true;
}

const PERMISSIONS: readonly (readonly [name: string, label: string])[] = [
  ["readContent", "Read content"],
  ["click", "Click"],
  ["navigate", "Navigate"],
  ["scroll", "Scroll"],
  ["fillForms", "Fill in forms"],
  ["apiAccess", "Use the API"],
  ["automatedLogin", "Log in"],
  ["extractData", "Extract data"],
];

const RINGS = [
  "only heard of",
  "publishes a document",
  "named in DNS",
  "signed and verified",
  "registered with proof",
] as const;

/** The page. Everything on it comes from the verified document and the crawl. */
export function noscriptPage(options: NoscriptOptions): string {
  const { siteId, document, record, publicUrl, isHosted } = options;
  const { provider, actions = [], intent_tags: tags = [] } = document;
  const published = record?.discovery_url ?? document.agent_access.discovery;
  const origin = isHosted ? undefined : webAddress(published);
  const home = origin ? new URL("/", origin).href : `https://${siteId}/`;
  const links = [
    ...link("The site itself", home),
    ...(isHosted ? [] : link("Its beacon: ring, peers, where next", new URL("/.bridge", home).href)),
    ...link("Its own page for agents without script", webAddress(document.agent_access.noscript)),
    ...link("The registry's directory", `${publicUrl}/api/discovery/registry`),
    ...link("The registry's documentation", `${publicUrl}/docs`),
  ];
  const title = `${provider.name} for agents`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${shown(title.slice(0, 70))}</title>
<meta name="description" content="${shown(provider.description.slice(0, 300))}">
<link rel="canonical" href="${shown(`${publicUrl}/api/noscript/bridge/${siteId}`)}">
<link rel="alternate" type="application/json" href="${shown(`${publicUrl}/api/bridge/discover?siteId=${siteId}`)}">
<style>${NOSCRIPT_STYLE}</style>
<script type="application/ld+json">${jsonLd(options, home)}</script>
</head>
<body>
<div class="page">
<header>
<p class="kicker">${shown(siteId)}</p>
<h1>${shown(provider.name)}</h1>
<p class="lead">${shown(provider.description)}</p>
${factsOf(options)}
</header>
<main>
<h2>What agents may do</h2>
${permissionsHtml(options)}
${tags.length > 0 ? `<p class="soft">People come here to: ${shown(tags.join(", "))}</p>` : ""}
<h2>Actions</h2>
${actions.length > 0 ? actions.map(actionHtml).join("\n") : '<p class="soft">The site declares none. Its pages\' forms and links are listed to a session.</p>'}
<h2>How to begin</h2>
${stepsHtml(shown(publicUrl), shown(siteId))}
<h2>Links</h2>
${list("links", links)}
</main>
<footer><p class="soft">${isHosted ? "Made from what its owner keeps in this registry" : "Made from the site's own document"}${record?.verified_at ? `, verified ${shown(record.verified_at.slice(0, 10))}` : ""}. This page runs no script.</p></footer>
</div>
</body>
</html>
`;
}

function webAddress(text: string): string | undefined {
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

const link = (label: string, address: string | undefined): string[] =>
  address ? [`<a href="${shown(address)}">${shown(label)}</a>`] : [];

/** A site's text for people, safe between tags and in attributes. */
const shown = (text: string): string => escapeHtml(readable(text));

/** schema.org: what a search engine or an agent reads without reading prose. */
function jsonLd({ siteId, document, publicUrl }: NoscriptOptions, home: string): string {
  const { provider, location, actions = [] } = document;
  const data = {
    "@context": "https://schema.org",
    "@type": "WebSite",
    "@id": home,
    url: home,
    name: provider.name,
    description: provider.description,
    identifier: siteId,
    keywords: document.intent_tags ?? [],
    publisher: {
      "@type": "Organization",
      name: document.owner ?? provider.name,
      ...(location && {
        address: {
          "@type": "PostalAddress",
          ...(location.country && { addressCountry: location.country }),
          ...(location.region && { addressRegion: location.region }),
          ...(location.city && { addressLocality: location.city }),
        },
      }),
    },
    subjectOf: { "@type": "DataFeed", url: `${publicUrl}/api/bridge/discover?siteId=${siteId}` },
    potentialAction: actions.map(({ name, description }) => ({
      "@type": "Action",
      name,
      description,
      target: `${publicUrl}/api/bridge/execute`,
    })),
  };
  // Inside a script element only "</script" and "<!--" mean something (HTML section 4.12.1.3): no "<" is left.
  return readable(JSON.stringify(data)).replaceAll("<", "\\u003c");
}

function factsOf({ document, record }: NoscriptOptions): string {
  const { fairness, location } = document;
  const place = [...new Set([location?.city, location?.region, location?.country])]
    .filter(Boolean)
    .join(", ");
  const facts = [
    ...(record ? [fact("Trust", `Ring ${record.ring}: ${RINGS[record.ring]}`)] : []),
    fact("Category", document.provider.category || "none"),
    ...(place ? [fact("Place", place)] : []),
    fact("Commission", `${fairness.commission_rate} %`),
    ...(record?.verified_at ? [fact("Verified", record.verified_at.slice(0, 10))] : []),
  ];
  return `<dl class="facts">${facts.join("")}</dl>`;
}

const fact = (name: string, value: string): string =>
  `<div><dt>${shown(name)}</dt><dd>${shown(value)}</dd></div>`;

function permissionsHtml({ document }: NoscriptOptions): string {
  const { permissions } = document.capabilities;
  return list(
    "rules",
    PERMISSIONS.map(([name, label]) => {
      const said = permissions[name] === true ? '<span class="yes">yes</span>' : '<span class="no">no</span>';
      return `<span>${label}</span> ${said}`;
    }),
  );
}

const list = (className: string, items: readonly string[]): string =>
  items.length === 0
    ? ""
    : `<ul class="${className}">${items.map((item) => `<li>${item}</li>`).join("")}</ul>`;

function actionHtml({ name, description, category, parameters, permissions_required }: Action): string {
  const parts = parameters.map(
    (each) =>
      `<code>${shown(each.name)}</code> ${shown(each.type)}${each.required ? ", required" : ""}${each.description ? `: ${shown(each.description)}` : ""}`,
  );
  const needs = permissions_required.length > 0 ? `; needs ${permissions_required.join(", ")}` : "";
  return `<div class="action"><h3>${shown(name)}</h3><p>${shown(description)}</p>
<p class="soft">${shown(category + needs)}</p>${list("parameters", parts)}</div>`;
}

const stepsHtml = (publicUrl: string, siteId: string): string => `<ol>
<li>Read the <a href="${publicUrl}/api/bridge/discover?siteId=${siteId}">discovery document</a>; check its signature against DNS.</li>
<li>With a license key of the site, at <code>${publicUrl}</code>: <code>POST /api/bridge/authenticate</code> gives a session.</li>
<li><code>GET /api/bridge/actions</code> lists what can be done; <code>POST /api/bridge/execute</code> does it.</li>
<li>Without a key: <a href="${publicUrl}/api/bridge/page-info?siteId=${siteId}">what is on its home page</a>.</li>
</ol>`;
