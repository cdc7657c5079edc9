/** A session's own cookies (RFC 6265bis by tough-cookie), bounded, and as JSON between commands. */
import { type SerializedCookie, CookieJar as ToughJar } from "tough-cookie";

/** RFC 6265bis section 5.6: name and value. */
const MAX_COOKIE_CHARS = 4_096;
/** Browsers keep at least fifty a host. */
const MAX_COOKIES = 100;
const MAX_JAR_CHARS = 65_536;
/** Set-Cookie fields read of one response. */
const MAX_FIELDS = 50;

export interface CookieJar {
  /** The Cookie field for a request, or undefined for none. */
  header(url: URL): string | undefined;
  take(setCookies: readonly string[], url: URL): void;
  /** What is kept: of too many, the ones set first are dropped. */
  stored(): SerializedCookie[];
}

/** @param stored what an earlier `stored()` gave */
export function openCookieJar(stored: readonly SerializedCookie[]): CookieJar {
  const fresh = new ToughJar(undefined, { prefixSecurity: "strict" });
  const jar =
    stored.length === 0
      ? fresh
      : ToughJar.deserializeSync({ ...fresh.serializeSync()!, cookies: [...stored] });
  return {
    header: (url) => jar.getCookieStringSync(url.href) || undefined,
    take: (setCookies, url) => {
      for (const field of setCookies.slice(0, MAX_FIELDS))
        if (field.length <= MAX_COOKIE_CHARS) jar.setCookieSync(field, url.href, { ignoreError: true });
    },
    stored: () => bounded(jar.serializeSync()?.cookies ?? []),
  };
}

function bounded(cookies: readonly SerializedCookie[]): SerializedCookie[] {
  const kept: SerializedCookie[] = [];
  let chars = 0;
  for (const cookie of cookies.toReversed()) {
    chars += JSON.stringify(cookie).length;
    if (kept.length >= MAX_COOKIES || chars > MAX_JAR_CHARS) break;
    kept.unshift(cookie);
  }
  return kept;
}
