/** Labelled pairs of offers in the form of ditto: `COL name VAL … COL price VAL …`, tab, the same, tab, 1 for one product. */
import { readFileSync } from "node:fs";
import type { Offer } from "../../workers/gateway/price/prepared.ts";

export interface Pair {
  left: Offer;
  right: Offer;
  isSame: boolean;
}

const NAMES: Record<string, keyof Offer> = {
  name: "name",
  title: "name",
  description: "description",
  brand: "brand",
  manufacturer: "brand",
  modelno: "model",
  model: "model",
};

/** @throws Error naming the line that is not such a pair */
export const readPairs = (path: string): Pair[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line, at) => {
      const [left, right, label] = line.split("\t");
      const isLabel = label?.trim() === "0" || label?.trim() === "1";
      if (left === undefined || right === undefined || !isLabel)
        throw new Error(`${path}:${at + 1} is not two offers and 0 or 1, separated by tabs`);
      return { left: offerOf(left), right: offerOf(right), isSame: label.trim() === "1" };
    });

function offerOf(side: string): Offer {
  const offer: Offer = { name: "" };
  for (const [, column, value] of side.matchAll(/COL (\S+) VAL (.*?)(?=\s*COL \S+ VAL|\s*$)/gs)) {
    const text = value!.trim();
    const member = NAMES[column!];
    if (column === "price") {
      const price = Number(text.replace(/[^\d.]/g, ""));
      if (price > 0) offer.price = price;
    } else if (member !== undefined && text !== "") Object.assign(offer, { [member]: text });
  }
  return offer;
}
