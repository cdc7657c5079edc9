/** A thread of the module: pages and long texts, which must not hold up other requests. */
import { serveJobs } from "../../../src/threads/serve-jobs.ts";
import { loadTasks } from "./models.ts";

const { analyse, classify, embed } = loadTasks();
serveJobs({ analyse, classify, embed });
