/** The module's tasks in a thread: pages and long texts, which must not hold up other requests. */
import { loadTasks } from "./tasks.ts";

export const { analyze, classify, embed } = loadTasks();
