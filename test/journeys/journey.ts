/** What a journey is, and what it finds. */
import type { Browser } from "playwright-core";
import type { PHONE } from "../support/page-checks.ts";
import type { TestRegistry } from "../support/registry.ts";
import type { Walk } from "./walk.ts";

/** What the journeys find: a registry over a synthetic web, some of it prepared. */
export interface Ground {
  registry: TestRegistry;
  browser: Browser;
  /** A site that is listed, and one that is not. */
  listed: string;
  unlisted: string;
  /** An operator's key, and the host that somebody complains about. */
  operator: string;
  accused: string;
}

export interface Journey {
  name: string;
  who: string;
  goal: string;
  viewport: typeof PHONE;
  theme?: "light" | "dark";
  /** Most seconds of doing, and most clicks. */
  most: { seconds: number; clicks: number };
  walk(walk: Walk, ground: Ground): Promise<void>;
}
