/** Serving kits: what an owner copies so that his own server serves the signed document. */
import { z } from "zod";
import { Host } from "./common.ts";

export const KITS = ["nginx", "wordpress", "cloudflare", "next", "vercel", "netlify"] as const;

export const ServingKit = z
  .object({
    kit: z.enum(KITS),
    title: z.string().meta({ description: "What it is for", example: "nginx" }),
    document_path: z.string().nullable().meta({
      description: "Where the signed bridge.json goes, beside the files; null: it is uploaded to the plugin",
      example: "public/.well-known/bridge.json",
    }),
    files: z.array(
      z.object({
        path: z.string().meta({ example: "bridge.conf" }),
        media_type: z.string(),
        encoding: z.enum(["utf8", "base64"]).meta({ description: "Of `content`" }),
        content: z.string(),
      }),
    ),
    steps: z.array(z.string()).meta({ description: "What to do, in this order" }),
  })
  .meta({ id: "ServingKit" });
export type ServingKit = z.infer<typeof ServingKit>;
export type KitName = ServingKit["kit"];

export const ServingKits = z
  .object({
    domain: Host,
    endpoint: z.string().meta({ description: "Origin that serves the document" }),
    document_url: z.url(),
    kits: z.array(ServingKit).max(KITS.length),
  })
  .meta({ id: "ServingKits" });
export type ServingKits = z.infer<typeof ServingKits>;
