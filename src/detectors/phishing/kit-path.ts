/** Paths that kits of phishing have on sites that were broken into. */

/** Folders without legitimate pages, and the least and most characters of a page name after them. */
const KIT_FOLDERS: readonly [folder: RegExp, end: RegExp, least: number, most: number][] = [
  [/(?<=\/)wp-(?:content|includes|admin)\//gi, /\.(?:php|html?)$/i, 0, 200],
  [/(?<=\/)wp-(?:content|includes|admin)\//gi, /\/(?:index|login)$/i, 0, 120],
  [/(?<=\/)\.well-known\/(?!acme|security|bridge|openid|apple|assetlinks)/gi, /$/, 1, 120],
  [/(?<=\/)cgi-bin\//gi, /$/, 1, 80],
  [
    /\//g,
    /\/(?:signin|login|logon|verify|verification|secure|account|update|webscr|next|step\d|auth)\.(?:php|html?|aspx?)$/i,
    0,
    120,
  ],
];
/** Shortest and longest match of folder, name and ending. */
const MIN_KIT_CHARS = 10;
const MAX_KIT_CHARS = 240;
/** The longest ending: `/verification.aspx`. */
const MAX_END_CHARS = 18;

/**
 * Folders that software for sites fills with files for itself or for browsers, and never with pages: of WordPress,
 * Joomla, Drupal, Magento, Laravel, package managers, certificates.
 */
const PROGRAM_FOLDER =
  /\/(?:wp-includes|wp-content\/(?:themes|plugins|mu-plugins|upgrade|cache|languages|fonts)|wp-admin\/(?:css|js|images|includes|maint|network|user)|administrator\/(?:cache|components|modules|templates|language|logs)|components\/com_[a-z]{1,30}|modules\/mod_[a-z]{1,30}|media\/(?:vendor|system|com_[a-z]{1,30})|libraries\/(?:vendor|joomla|src)|sites\/(?:default|all)\/(?:modules|themes|libraries)|pub\/static|skin\/(?:frontend|adminhtml)|storage\/(?:framework|logs)|var\/(?:cache|session|log|tmp)|vendor\/[a-z]{1,30}\/[a-z]{1,30}\/src|node_modules|bower_components|\.well-known\/(?:acme-challenge|pki-validation)|\.git|\.svn|\.cache|\.tmp)\//;
/** Folders of uploads: whole exported pages may lie there, but no programs. */
const UPLOADS = /\/(?:wp-content\/uploads|sites\/default\/files|pub\/media|storage\/app)\//;
const PROGRAM = /\.(?:php\d?|aspx?|jsp|cgi)$/;
/** Folders of files for browsers, of temporary and of old files, where few sites have pages. */
const FILE_FOLDER =
  /\/(?:css|js|img|images?|fonts|tmp|temp|cache|backups?|logs?|includes?|inc|uploads?|cgi-bin)\//;
const PAGE = /\.(?:php\d?|html?|aspx?|jsp|cgi)$/;
/** A folder's own page, or the folder alone, that asks for something. */
const LURE_END =
  /\/(?:log-?in|sign-?in|log-?on|verif\w{0,10}|secure?\w{0,8}|account\w{0,3}|update\w{0,3}|confirm\w{0,8}|auth\w{0,12}|index)$/;

/** Whether a path, or a part of it between `?`, ends in a page inside a folder without legitimate pages. */
export const isKitPath = (path: string): boolean =>
  path.split("?").some((part) => {
    if (part.length < MIN_KIT_CHARS || !part.includes("/")) return false;
    const tail = part.slice(-MAX_KIT_CHARS);
    return KIT_FOLDERS.some(([folder, end, least, most]) => {
      const to = tail.slice(-MAX_END_CHARS).search(end);
      if (to === -1) return false;
      const name = tail.slice(0, Math.max(0, tail.length - MAX_END_CHARS) + to);
      for (const { 0: found, index } of name.matchAll(folder)) {
        const between = name.length - index - found.length;
        if (between >= least && between <= most) return true;
      }
      return false;
    });
  });

/** Whether a page is where no software for sites puts one. @param path in lower case, without its query, bounded */
export function pageFolder(path: string): "program" | "file" | undefined {
  const tail = path.slice(-MAX_KIT_CHARS);
  const isPage = PAGE.test(tail);
  if (PROGRAM_FOLDER.test(tail) && (isPage || tail.endsWith("/") || LURE_END.test(tail))) return "program";
  if (UPLOADS.test(tail) && PROGRAM.test(tail)) return "program";
  return isPage && FILE_FOLDER.test(tail) ? "file" : undefined;
}
