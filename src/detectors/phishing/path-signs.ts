/** What stands after the host, and words that lure. */
import type { Parts } from "./address-parts.ts";
import { baitIn } from "./bait.ts";
import { isKitPath, pageFolder } from "./kit-path.ts";
import { type UrlSign, urlSign } from "./url-sign.ts";

const DOWNLOAD = /\.(?:exe|scr|apk|msi|bat|cmd|vbs|jar|iso|dll|ps1|hta|lnk)(?:$|\?)/i;

/** @returns signs of the path, the query, the scheme, and bait in the host */
export function pathSigns(parts: Parts): UrlSign[] {
  const { url, host } = parts;
  const signs: UrlSign[] = [];
  const path = `${url.pathname}${url.search}`;
  const inHost = baitIn(host);
  if (inHost > 0) signs.push(urlSign("bait-in-host", Math.min(2.4, 1.3 * inHost), "bait words in the host"));
  const inPath = baitIn(path.toLowerCase().slice(0, 500));
  if (inPath > 0) signs.push(urlSign("bait-in-path", Math.min(1.2, 0.5 * inPath), "bait words in the path"));
  if (isKitPath(path))
    signs.push(urlSign("kit-path", 1.6, "a page inside a folder without legitimate pages"));
  const folder = pageFolder(url.pathname.toLowerCase());
  if (folder === "program")
    signs.push(urlSign("program-folder", 1.8, "a page among files of a site's software"));
  if (folder === "file") signs.push(urlSign("file-folder", 0.7, "a page in a folder of files"));
  if (DOWNLOAD.test(path)) signs.push(urlSign("download", 0.9, "a download of an executable"));
  if (/(?:^|[/=])https?:?\/{1,2}|%3a%2f%2f/i.test(path))
    signs.push(urlSign("url-inside", 0.4, "another address inside"));
  if (/[?&#/=][\w.+-]+(?:@|%40)[\w-]+\.[a-z]{2,}/i.test(path + url.hash))
    signs.push(urlSign("mail-inside", 1.6, "a mail address inside"));
  if (url.protocol === "http:") signs.push(urlSign("no-tls", 0.6, "no TLS"));
  if (/[0-9a-f]{24,}/i.test(url.pathname)) signs.push(urlSign("hex-path", 0.5, "a long number in the path"));
  if (/\/~\w/.test(url.pathname)) signs.push(urlSign("home-folder", 0.8, "a user's own folder"));
  if (/%(?:0[0-9a-f]|1[0-9a-f]|e2%80)/i.test(path))
    signs.push(urlSign("odd-escapes", 0.8, "control characters"));
  if (path.length > 150) signs.push(urlSign("long-path", 0.3, "a long path"));
  return signs;
}
