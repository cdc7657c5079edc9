/** Brands that phishing imitates, and their registrable domains. */
import { readTable } from "../../tables/read-table.ts";

export interface Brand {
  readonly name: string;
  readonly domains: ReadonlySet<string>;
}

export const BRANDS: readonly Brand[] = readTable("brands").brands.map(({ name, domains }) => ({
  name,
  domains: new Set(domains),
}));
