/** Texts of `/ready/{domain}`, in English. */
import type { SiteReadiness } from "../../schemas/readiness.ts";

export const ready = {
  formTitle: "Is a site ready for agents?",
  formLead:
    "Type its domain: yours, or anybody's. What agents gain there, what is broken and how to repair it.",
  domain: "Domain",
  look: "Look",
  how: "What is looked at",
  howSteps: [
    [
      "What works.",
      "MCP servers, A2A agents and APIs that answered when the registry spoke to them; documents that an agent can use.",
    ],
    ["What is broken.", "Each fault with its place and what to do about it."],
    ["What is only there.", "Files that no agent gains anything from count nothing, however many they are."],
  ] as readonly (readonly [string, string])[],
  terminal: "The same in a terminal:",
  title: (domain: string) => `Is ${domain} ready for agents?`,
  lead: "By what this registry saw at its last look: what agents gain counts, what is only there does not.",
  badges: {
    usable: "agents can use it",
    readable: "agents can read it",
    broken: "broken for agents",
    present: "nothing for agents",
    nothing: "nothing for agents",
    unknown: "not looked at",
    blocked: "blocked",
  } satisfies Record<SiteReadiness["readiness"], string>,
  groups: {
    works: "What works",
    broken: "What is broken, and how to repair it",
    only_present: "What is only there for scanners",
    not_known: "What is described, and not known to work",
  },
  onlyPresentNote: "No agent gains anything from these. Publishing more of them makes a site no readier.",
  site: "signed document",
  withheld: "Its name is withheld: the firewall blocks it.",
  warned: "The firewall warns of these words.",
  more: (n: string) => `${n} more: the JSON has all.`,
  history: "What changed",
  events: { state: "Now", first_seen: "First seen", changed: "Changed" },
  unknown: "It has not been looked at. Ask for a look: it takes a minute or two, and it is free.",
  ask: "Have it looked at",
  again: "Look again",
  verdict: "All that the registry says of it",
  lookedAt: "Looked at",
  badgeText: "An image for the site itself, which says what this page says at the moment.",
};
