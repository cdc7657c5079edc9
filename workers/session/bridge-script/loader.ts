/**
 * The end of an edition of the bridge script: the same bytes for every site, so that a page can name their digest. It asks
 * the registry that it came from for the configuration of the site that the element names (`data-site`), then starts.
 */

/** The script, as a function of its configuration. */
declare const start: (config: unknown, tag: HTMLScriptElement | null) => void;
declare const element: HTMLScriptElement | null;

const load = async ({ src, dataset: { site } }: HTMLScriptElement): Promise<void> => {
  const address = new URL("/bridge/config", src);
  if (site) address.searchParams.set("siteId", site);
  const response = await fetch(address, { credentials: "omit" });
  if (!response.ok) throw new Error(`the registry answers ${response.status}`);
  start(await response.json(), element);
};

if (element) load(element).catch((error: unknown) => console.error("bridge:", error));
