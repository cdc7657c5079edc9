/** Forms of pages: which requests come from a page of this registry, and how their bodies are read. */
import type { FastifyInstance } from "fastify";
import { type Failure, fail } from "../../../src/rpc/errors.ts";
import { readQueued } from "../bodies.ts";
import { BodyFault } from "../refusals.ts";

/** Fields of a form are few and short. */
export const FORM_LIMIT_BYTES = 8 * 1024;

interface SentFields {
  origin?: string | undefined;
  host?: string | undefined;
  "sec-fetch-site"?: string | string[] | undefined;
}

/** The longest form of any page has half as many. */
const MOST_FIELDS = 200;

/**
 * Refuses what a page of another site has a visitor's browser send. Browsers say who sends: `Sec-Fetch-Site` where they
 * trust the connection, else `Origin`. Programs send neither, and have nothing that another site could make use of.
 * @param isStrict whether one of the fields must be there: where a form begins or uses a log-in
 */
export function crossSiteFault(headers: SentFields, isStrict = false): Failure | undefined {
  const { origin, host } = headers;
  const site = headers["sec-fetch-site"];
  const isOurs =
    site !== undefined
      ? site === "same-origin"
      : origin === undefined
        ? !isStrict
        : host !== undefined && URL.parse(origin)?.host === host;
  return isOurs
    ? undefined
    : fail(
        "permission_denied",
        "Only a page of this registry may send this form. Open the page, and send it there.",
      );
}

/** Takes forms on this part of the listener, as browsers send them without script. */
export function readForms(app: FastifyInstance): void {
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: FORM_LIMIT_BYTES },
    (request, body, done) => readQueued(request, body.length, () => fieldsOf(body as string), done),
  );
  // A mail program's one click (RFC 8058) may come so; what it means stands in the address, and no form here is sent so.
  app.addContentTypeParser(
    "multipart/form-data",
    { parseAs: "buffer", bodyLimit: FORM_LIMIT_BYTES },
    (_, _body, done) => done(null, {}),
  );
}

/** The fields of a form. @throws BodyFault where there are too many */
function fieldsOf(form: string): Record<string, string> {
  let fields = 1;
  for (let at = form.indexOf("&"); at >= 0; at = form.indexOf("&", at + 1))
    if (++fields > MOST_FIELDS) throw new BodyFault("too many fields");
  return Object.fromEntries(new URLSearchParams(form));
}
