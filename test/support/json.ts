/** JSON over HTTP, as tests ask for it: no status throws. */

export interface JsonReply {
  status: number;
  /** Undefined where it is no JSON. */
  body: any;
  headers: Headers;
}

export interface JsonRequest {
  /** Default: POST with a body, else GET. */
  method?: string;
  /** A string is sent as it is. */
  body?: unknown;
  /** Of the field Authorization. */
  token?: string | undefined;
  headers?: Record<string, string>;
}

export async function askJson(
  url: string,
  { body, method = body === undefined ? "GET" : "POST", token, headers }: JsonRequest = {},
): Promise<JsonReply> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  return {
    status: response.status,
    body: await response.json().catch(() => undefined),
    headers: response.headers,
  };
}
