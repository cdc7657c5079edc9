/** Serves the signed discovery document of {{domain}}. Every other request goes on to the site. */
import discovery from "./bridge.json";

const BODY = JSON.stringify(discovery);
const HEADERS = {
  "access-control-allow-origin": "*",
  "cache-control": "public, max-age=300",
  "content-type": "application/json",
  "x-content-type-options": "nosniff",
};

export default {
  async fetch(request) {
    if (new URL(request.url).pathname !== "/.well-known/bridge.json") return fetch(request);
    if (request.method !== "GET" && request.method !== "HEAD")
      return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
    return new Response(request.method === "HEAD" ? null : BODY, { headers: HEADERS });
  },
};
