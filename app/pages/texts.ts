/** The language that pages are written in. Another one is a file of the same form, and a choice here. */
import { en } from "./texts.en.ts";

export type Texts = typeof en;

export const DEFAULT_TEXTS: Texts = en;
