/** The built-in categories of sites: each by what its sites say of themselves. */
import type { Tables } from "../../../schemas/tables.ts";
import { readTable } from "../../../src/tables/read-table.ts";

export type Label = Tables["site-categories"]["categories"][number];

export const SITE_CATEGORIES: readonly Label[] = readTable("site-categories").categories;
