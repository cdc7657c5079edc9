/** What offers of a page say, apart from what reads them. */
import type { PageOffer } from "./offers.ts";

/** Whether the page says of an offer that it is of this product: by an id or by its whole name. */
export const isOffered = ({ name, ids }: Pick<PageOffer, "name" | "ids">, product: string): boolean =>
  [name, ...ids].some((one) => one !== "" && plain(one) === plain(product));

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().trim().replace(/\s+/g, " ");
