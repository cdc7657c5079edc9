/** A regulation that applies to websites, as the catalogue states it (tables/regulations.json). */
import type { SECTORS, Tables } from "../../../schemas/tables.ts";

export type Sector = (typeof SECTORS)[number];
export type Regulation = Tables["regulations"]["regulations"][number];
