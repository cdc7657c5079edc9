/** Whether a page says that it is paid for its links, where a reader sees it before following one. */
import type { PageModel, Segment } from "../../pages/page-model.ts";

/** `late`: after the first paid link; `hidden`: only where nobody sees it. */
export type Disclosure = "present" | "late" | "hidden" | "absent" | "not_needed";

/** In the languages of the shops and networks of the catalogue. Short labels such as "Anzeige" count when they stand alone. */
const SAID =
  /affiliate|afilia[dc]|affili(?:é|ation|ato|azione)|partnerlink|partner[- ]?program|link partnerski|(?<!european |eu |trade )commission|\bprovision|comisi[oó]n|comiss[aã]o|commissione|commissie|we (?:may )?(?:earn|get paid|receive)|paid (?:link|partnership|promotion)|paid for by|sponsored|sponsori|gesponser?t|gesponsord|patrocinad|#ad\b|bezahlte (?:links?|werbung)|リンク広告|アフィリエイト|プロモーションを含/i;
const LABEL =
  /^\W*(?:ad|ads|advert|advertisement|anzeige|werbung|publicité|publicidad|pubblicità|reklam[ae]?|advertentie|広告|PR)\W*$/i;

const says = ({ text }: Segment): boolean => SAID.test(text) || (text.length < 40 && LABEL.test(text));

/** @param firstLinkAt place in the source of the first paid link */
export const disclosureOf = (page: PageModel, firstLinkAt: number): Disclosure => {
  let best: Disclosure = "absent";
  for (const segment of page.segments) {
    if (segment.channel !== "text" || !says(segment)) continue;
    const seen = segment.concealment === null || segment.concealment === "clipped";
    // A paragraph that holds the link itself is beside it.
    if (seen && (segment.at <= firstLinkAt || segment.at - firstLinkAt < 600)) return "present";
    if (seen) best = "late";
    else if (best === "absent") best = "hidden";
  }
  return best;
};
