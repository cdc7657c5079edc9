/** A person at a browser without script: keeps a cookie, reads forms, and sends them as browsers do. */

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const FORM = "application/x-www-form-urlencoded";

export interface Seen {
  status: number;
  /** Where it leads, of a redirect. */
  location: string | null;
  /** Set-Cookie as it came. */
  cookie: string | null;
  headers: Headers;
  text: string;
}

export function createPerson(url: string) {
  let kept = "";
  const seen = async (response: Response): Promise<Seen> => {
    const { headers, status } = response;
    const cookie = headers.get("set-cookie");
    if (cookie) kept = /Max-Age=0/.test(cookie) ? "" : cookie.split(";")[0]!;
    return { status, headers, cookie, location: headers.get("location"), text: await response.text() };
  };
  const send = async (path: string, init: RequestInit, more: Record<string, string>) =>
    seen(
      await fetch(url + path, {
        redirect: "manual",
        ...init,
        headers: { accept: BROWSER, ...(kept && { cookie: kept }), ...more },
      }),
    );
  const get = (path: string, more: Record<string, string> = {}) => send(path, {}, more);
  return {
    get,
    /** The cookie that it keeps, as it sends it. */
    cookie: () => kept,
    forget: () => {
      kept = "";
    },
    /** Sends a form, as a page of the registry would where `more` does not say otherwise. */
    post: (
      path: string,
      fields: Record<string, string>,
      more: Record<string, string> = { "sec-fetch-site": "same-origin" },
    ) =>
      send(
        path,
        { method: "POST", body: new URLSearchParams(fields).toString() },
        { "content-type": FORM, ...more },
      ),
    /** What the forms of a page prove with. */
    csrfOf: async (path: string) => /name="csrf" value="([^"]+)"/.exec((await get(path)).text)?.[1] ?? "",
  };
}
export type Person = ReturnType<typeof createPerson>;
