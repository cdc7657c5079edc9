/** By which rules and models the module judges, and how it takes texts together; apart from the rules, which read pages. */
import { readCard } from "../../classifiers/model-card.ts";

const RULES_VERSION = "1";

export const rulesetVersion = (): string =>
  `firewall-${RULES_VERSION}+${readCard("firewall").version}.${readCard("firewall-request").version}`;

/** Two texts of one request as one. */
export const joinTexts = (...texts: (string | undefined)[]): string | undefined => {
  const given = texts.filter((one) => one !== undefined);
  return given.length === 0 ? undefined : given.join("\n\n");
};
