/** The version of the rules and models; apart from the rules, which parse pages. */
import { readCard } from "../../classifiers/model-card.ts";

const RULES_VERSION = "7";

export const firewallRuleset = (): string => `firewall-${RULES_VERSION}+${readCard("firewall").version}`;
