/** What a host publishes for agents in any format, and what can be called there: parts of its page, each of which opens. */
import type { AgentService, Descriptor } from "../../../schemas/agent-web.ts";
import type { SiteVerdict } from "../../../schemas/verdict.ts";
import { isAnswering } from "../../../src/agent-web/presence.ts";
import type { Tone } from "../../../src/domain/listing/conduct.ts";
import { type Html, html } from "../html.ts";
import type { ViewContext } from "../page.ts";
import { ago, foldHtml, pageLink, signHtml, siteText, theirs } from "../parts.ts";
import type { Texts } from "../texts.ts";

/** What is shown of long lists: a page stays below 60 kB whatever a host publishes. */
const MOST_SERVICES = 3;
const MOST_TOOLS = 3;
const MOST_DESCRIPTORS = 4;
const MOST_DESCRIPTOR_FINDINGS = 2;
/** Addresses that can stand in a command as they are. */
const PLAIN_ADDRESS = /^https:\/\/[\w.:-]+(?:\/[\w./~-]*)?$/;

/** What an endpoint was is good or bad for who would call it. */
export const CLASS_TONES: Readonly<Record<NonNullable<AgentService["observation"]>["class"], Tone>> = {
  open: "good",
  auth: "warn",
  rate_limited: "warn",
  unknown: "soft",
  not_protocol: "bad",
  html: "bad",
  template_url: "bad",
  dead: "bad",
};

export const answering = ({ services }: SiteVerdict): AgentService[] => services.filter(isAnswering);

/** @returns undefined where nothing can be called */
export function servicesFold(context: ViewContext, verdict: SiteVerdict): Html | undefined {
  const { texts } = context;
  const { services, domain, state } = verdict;
  if (services.length === 0) return undefined;
  // Those that answer come first.
  const sorted = [...new Set([...answering(verdict), ...services])];
  const left = services.length - MOST_SERVICES;
  const list = sorted.slice(0, MOST_SERVICES).map((service) => serviceHtml(context, service));
  return foldHtml({
    title: texts.site.services,
    note: texts.format.number(services.length),
    body: html`${theirs(domain, html`<ul class="checks">${list}</ul>`)}${left > 0 && html`<p class="small soft">${texts.site.moreActions(left)}</p>`}`,
    isOpen: state === "found",
  });
}

function serviceHtml({ texts, now }: ViewContext, service: AgentService): Html {
  const { site } = texts;
  const { protocol, endpoint, name, level, observation, auth, tools, claimed_by, screened } = service;
  const seen = observation
    ? html`${site.classes[observation.class]}${auth !== "none" && auth !== "unknown" && html` (${site.auths[auth]})`}, ${ago(texts, observation.seen_at, now)}`
    : site.notSpokenTo;
  const told =
    observation && observation.class !== "open" && observation.detail !== ""
      ? html`<p class="small soft">${siteText(observation.detail, 100)}</p>`
      : undefined;
  const claims = claimed_by.map(({ source }) => source).slice(0, 3);
  return html`<li>${signHtml(observation ? CLASS_TONES[observation.class] : "soft")}<div><p><span class="chip">${site.protocols[protocol]}</span> <b>${siteText(name === "" ? protocol : name, 60)}</b>${markHtml(texts, screened)} <span class="small soft">${site.levels[level]} · ${seen}</span></p><p class="small"><code>${siteText(endpoint, 120)}</code></p>${told}${toolsHtml(texts, tools)}${claims.length > 0 && html`<p class="small soft">${site.listedBy(claims.join(", ").slice(0, 80))}</p>`}${callHtml(service)}</div></li>`;
}

/** What the firewall says of a service's or a tool's words. */
function markHtml({ site }: Texts, screened: AgentService["screened"]): Html | undefined {
  if (screened === "clear") return undefined;
  return screened === "warned"
    ? html` <b class="warn">${site.warned}</b>`
    : html` <b class="bad">${site.withheld}</b>`;
}

function toolsHtml(texts: Texts, tools: AgentService["tools"]): Html | undefined {
  if (tools.length === 0) return undefined;
  const { site } = texts;
  const left = tools.length - MOST_TOOLS;
  const list = tools
    .slice(0, MOST_TOOLS)
    .map(({ name, description, effect, screened }) =>
      screened === "withheld"
        ? html`<li class="small">${markHtml(texts, screened)}</li>`
        : html`<li class="small"><code>${siteText(name, 40)}</code> <span class="soft">${site.effects[effect]}</span>${markHtml(texts, screened)}${description !== "" && html` ${siteText(description, 80)}`}</li>`,
    );
  return html`<ul class="fixes">${list}</ul>${left > 0 && html`<p class="small soft">${site.moreActions(left)}</p>`}`;
}

/** How to call what answers by MCP; other protocols are called by what their documents say. */
function callHtml(service: AgentService): Html | undefined {
  const { protocol, endpoint } = service;
  if (protocol !== "mcp" || !isAnswering(service) || !PLAIN_ADDRESS.test(endpoint)) return undefined;
  const { hostname } = new URL(endpoint);
  const name = hostname.replaceAll(".", "-").slice(0, 60);
  return html`<pre><code>claude mcp add --transport http ${name} ${endpoint}</code></pre>`;
}

/** @returns undefined where it publishes nothing */
export function descriptorsFold({ texts }: ViewContext, verdict: SiteVerdict): Html | undefined {
  const { descriptors, domain, platform, state } = verdict;
  if (descriptors.length === 0) return undefined;
  const { site } = texts;
  const faulty = descriptors.filter(({ conforms, usable }) => conforms === false || !usable);
  const sorted = [...new Set([...faulty, ...descriptors])];
  const left = descriptors.length - MOST_DESCRIPTORS;
  return foldHtml({
    title: site.descriptors,
    note:
      faulty.length === 0
        ? texts.format.number(descriptors.length)
        : site.faulty(faulty.length, descriptors.length),
    body: html`${platform !== null && html`<p class="small soft">${site.platform(platform)}</p>`}${theirs(domain, html`<ul class="checks">${sorted.slice(0, MOST_DESCRIPTORS).map((each) => descriptorHtml(texts, each))}</ul>`)}${left > 0 && html`<p class="small soft">${site.moreActions(left)}</p>`}`,
    isOpen: state === "found" && faulty.length > 0,
  });
}

function descriptorHtml({ site }: Texts, descriptor: Descriptor): Html {
  const { format, revision, url, answer, conforms, usable, findings, by, signature, lists } = descriptor;
  const tone: Tone = answer !== "present" ? "soft" : !usable ? "bad" : conforms === false ? "warn" : "good";
  const said = answer === "present" ? site.conformance(conforms, usable) : site.documentAnswers[answer];
  const faults = findings
    .slice(0, MOST_DESCRIPTOR_FINDINGS)
    .map(
      ({ place, fix }) =>
        html`<li class="small">${place !== "" && html`<code>${siteText(place, 40)}</code> `}${siteText(fix, 100)}</li>`,
    );
  return html`<li>${signHtml(tone)}<div><p><b>${format}</b>${revision !== null && html` <span class="small soft">${siteText(revision, 40)}</span>`} <span class="small soft">${said}${lists !== undefined && html` · ${site.lists(lists)}`}${signature === "own_key" && html` · ${site.signedByOwnKey}`}${by !== "owner" && html` · ${site.byPlatform(by.replace(/^platform:/, ""))}`}</span></p><p class="small">${pageLink(url)}</p>${faults.length > 0 && html`<ul class="fixes">${faults}</ul>`}</div></li>`;
}
