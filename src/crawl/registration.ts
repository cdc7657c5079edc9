/** What the verdict says of a registration with proof (ring 4), which the record has as of the last visit. */
import { ringOf } from "../domain/listing/listing.ts";
import type { VerdictPart } from "../domain/listing/verdict-part.ts";
import { POINTS } from "../domain/trust/ring.ts";
import { type Advice, fix } from "./fixes.ts";

const REGISTER: Advice = {
  code: "register",
  title: "Register with proof",
  do: "Register the domain with a signature by its key.",
  example: (domain) => `bridge register ${domain} --key ${domain}.pem`,
};
export const registrationPart: VerdictPart<undefined> = {
  fixes: (_, record) => (ringOf(record) === 3 ? [fix("trust", POINTS.proof, REGISTER, record.siteId)] : []),
};
