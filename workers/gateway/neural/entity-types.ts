/** Kinds of things that a page names. */
export const ENTITY_TYPES = [
  "organization",
  "person",
  "product",
  "place",
  "event",
  "email",
  "phone",
  "price",
  "date",
] as const;
export type EntityType = (typeof ENTITY_TYPES)[number];
