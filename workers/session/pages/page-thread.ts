/** A thread of the session role: strangers' pages are parsed here and nowhere else. */
import { createPageTasks } from "./page-tasks.ts";

export const { load, plan, actions, describe } = createPageTasks();
