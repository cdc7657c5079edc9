/** What a site says of itself, as its verdict shows it: by its document, and by forms of its pages that are declared as tools. */
import type { Action } from "../../schemas/action.ts";
import type { SiteRecord } from "../../schemas/site.ts";
import { MAX_DECLARED_ACTIONS, type SiteVerdict } from "../../schemas/verdict.ts";
import type { VerdictPart } from "../domain/listing/verdict-part.ts";
import { declaredActions, openContents } from "../stores/contents.ts";

/** Keeps the actions of the document that the crawl read. */
export const declaredPart: VerdictPart<readonly Action[]> = {
  open: ({ contents }) => {
    const stored = openContents(contents);
    return (host) => declaredActions(stored, host);
  },
  members: (actions = [], record) => ({ declared: declaredBy(record, actions) }),
};

const declaredBy = (record: SiteRecord, actions: readonly Action[]): SiteVerdict["declared"] =>
  record.document_sha256 === null
    ? null
    : {
        by: "site",
        name: record.name,
        description: record.description,
        category: record.category,
        tags: record.intent_tags,
        is_independent: record.is_independent,
        commission_rate: record.commission_rate,
        discovery_url: record.discovery_url,
        actions: actionsOf(record, actions),
      };

/** The document's actions, then forms of pages: a name stands for what the document says. */
function actionsOf(
  { evidence }: SiteRecord,
  actions: readonly Action[],
): NonNullable<SiteVerdict["declared"]>["actions"] {
  const names = new Set(actions.map(({ name }) => name));
  return [
    ...actions.map(({ name, description, category, effect }) => ({
      name,
      description,
      category,
      ...(effect && { effect }),
    })),
    ...(evidence?.tools ?? [])
      .filter(({ name }) => !names.has(name))
      .map(({ name, description, effect, page }) => ({
        name,
        description,
        category: "form" as const,
        effect,
        page,
      })),
  ].slice(0, MAX_DECLARED_ACTIONS);
}
