import type { SiteIndex } from "../ports.ts";

/** An index whose every call goes to the generation that is in use at that moment. */
export const followingIndex = (inUse: () => SiteIndex, close: () => Promise<void>): SiteIndex => ({
  get id() {
    return inUse().id;
  },
  apply: (writes) => inUse().apply(writes),
  candidates: (query) => inUse().candidates(query),
  listings: (siteIds) => inUse().listings(siteIds),
  facets: (query) => inUse().facets(query),
  similarTerms: (query) => inUse().similarTerms(query),
  changes: (query) => inUse().changes(query),
  list: (query) => inUse().list(query),
  listJson: (query) => inUse().listJson(query),
  get: (siteId) => inUse().get(siteId),
  sample: (query) => inUse().sample(query),
  stats: () => inUse().stats(),
  close,
});
