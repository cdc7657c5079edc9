/** For Node, Deno and Bun: asks DNS itself. */
import { resolveTxt as resolve } from "node:dns/promises";

/** TXT records of a name, each with its strings joined: for `verify({ resolveTxt })`. */
export const resolveTxt = async (name: string): Promise<string[]> =>
  (await resolve(name)).map((strings) => strings.join(""));
