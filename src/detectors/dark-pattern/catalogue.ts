/** The seventeen patterns: what each is, and what must be seen to judge it. */
import { readTable } from "../../tables/read-table.ts";

export const { patterns: PATTERNS } = readTable("dark-patterns");
export type Surface = (typeof PATTERNS)[keyof typeof PATTERNS]["needs"];
