/** Texts of `/census`, in English. */
export const census = {
  title: "Census of the agent web",
  lead: "What hosts publish for agents, and how often it is true: counted anew each day by looks of this registry.",
  frameTitle: "What is counted",
  download: "Download as CSV",
  none: "No host was looked at yet.",
  latest: (day: string, hosts: string, found: string) =>
    `${day}: ${hosts} looked at, agents can use something at ${found}`,
  plotOf: (label: string, share: string, first: string, last: string) =>
    `${label}: a bar a day from ${first} to ${last}, the last ${share}`,
  countOf: (count: string, all: string) => `${count} of ${all}`,
  mostFrequent: (n: number) => `The ${n} most frequent; the CSV has all.`,
  asTable: (title: string) => `${title} as a table`,
  day: "Day",
  of: "All",
  scale: (share: string) => `The tallest bar of this part is ${share}.`,
  parts: {
    hosts: {
      title: "Hosts",
      note: "Of the hosts that were looked at: those where agents can use something, and those that do not let it be kept.",
    },
    levels: {
      title: "Levels",
      note: "Of the hosts that were looked at, by how well what agents can do there is known.",
    },
    protocols: {
      title: "Protocols that answer",
      note: "Hosts where a service answers by its protocol, were it to ask for authorization.",
    },
    formats: {
      title: "Formats",
      note: "Hosts that publish a document of the format from which agents can read what they need.",
    },
    answers: {
      title: "Answers",
      note: "Of all formats' documents that were asked for, how hosts answered. What is absent is asked for again after 30 days.",
    },
    platforms: {
      title: "Platforms",
      note: "Hosts by the software or service that serves them, by its marks.",
    },
    sources: { title: "How the hosts were chosen", note: "Who named the hosts that were looked at." },
    control: {
      title: "How often looks err",
      note: "Looks at hosts of which the operator knows what is there, and that saw another thing.",
    },
  },
  found: "agents can use something",
  closed: "does not let it be kept",
  present: "there",
  absent: "not there",
  sources: {
    seed: "named by the operator",
    report: "reported",
    beacon: "linked to by a site",
    import: "listed by another registry",
    audit: "known before",
  },
};
