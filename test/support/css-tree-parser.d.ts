/** The parser alone: the whole of css-tree also loads the property syntax of every property, which nothing here needs. */
declare module "css-tree/parser" {
  import type { parse } from "css-tree";

  const parser: typeof parse;
  export default parser;
}
