/** The inside of a thread that reads front pages for drafts. */
import { pageFacts } from "./page-facts.ts";

export const facts = pageFacts;
