/** Apart from what reads pages, so that threads which answer requests may know it. */

/** Languages in which LINKS has words: of a page in another nothing is said to be missing. */
export const LINK_LANGUAGES: readonly string[] = ["en", "de", "fr", "es", "it", "nl", "pt"];
