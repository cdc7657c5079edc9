/** Serves the signed discovery document of {{domain}}. */
import discovery from "./bridge.json";

export const dynamic = "force-static";

export function GET() {
  return Response.json(discovery, {
    headers: {
      "access-control-allow-origin": "*",
      "cache-control": "public, max-age=300",
      "x-content-type-options": "nosniff",
    },
  });
}
