/** The agent web as looks saw it today, in any format: services by protocol and level, and what endpoints were. */
import { LEVELS, type Level, PROTOCOLS } from "../../../schemas/agent-web.ts";
import type { Tone } from "../../../src/domain/listing/conduct.ts";
import type { RegistryStatus } from "../../../workers/protocol/registry-contract.ts";
import { barTable, stackedBar } from "../charts.ts";
import { type Html, html, nothing } from "../html.ts";
import type { Texts } from "../texts.ts";
import { CLASS_TONES } from "./site-agent-web.ts";

type Today = RegistryStatus["agent_web"];

const LEVEL_TONES: Readonly<Record<Level, Tone>> = {
  claimed: "soft",
  published: "warn",
  answers: "good",
  signed: "good",
  verified: "good",
};

/** @returns nothing where no look was made and no list read */
export function agentWebHtml(texts: Texts, today: Today): Html {
  const { looks, found, probes, imports, control } = today;
  if (looks === 0 && imports.length === 0) return nothing;
  const { status: words, site } = texts;
  const classes = probes.map(({ class: name, endpoints }) => ({
    tone: CLASS_TONES[name],
    label: site.classes[name],
    count: endpoints,
  }));
  const spoken = words.probes(classes.reduce((sum, { count }) => sum + count, 0));
  return html`<h2>${words.agentWeb(looks, found)}</h2>
${servicesPicture(texts, today)}
${classes.length > 0 && html`<p>${spoken}</p>${stackedBar(texts, spoken, classes)}`}
${control.length > 0 && html`<p>${words.control} ${control.map(({ group, looks: all, wrong }) => words.wrong(words.controlGroups[group], wrong, all)).join(", ")}</p>`}
${imports.length > 0 && html`<p>${words.imports} ${imports.map(({ outcome, entries }) => `${words.importOutcomes[outcome]} ${texts.format.number(entries)}`).join(", ")}</p>`}`;
}

/** Services by protocol and level, the most first. */
export function servicesPicture(texts: Texts, { services }: Today): Html {
  const { status: words, site } = texts;
  const total = services.reduce((sum, each) => sum + each.services, 0);
  const rows = PROTOCOLS.map((protocol) => {
    const of = services.filter((each) => each.protocol === protocol);
    const shares = LEVELS.map((level) => ({
      tone: LEVEL_TONES[level],
      label: site.levels[level],
      count: of.find((each) => each.level === level)?.services ?? 0,
    }));
    return { label: site.protocols[protocol], shares, all: of.reduce((sum, each) => sum + each.services, 0) };
  });
  const shown = rows.filter(({ all }) => all > 0).toSorted((a, b) => b.all - a.all);
  return shown.length === 0
    ? nothing
    : html`<p>${words.services(total)}</p>${barTable(texts, words.services(total), words.protocol, shown)}`;
}
