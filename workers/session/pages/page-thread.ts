/** A thread of the session role: strangers' pages are parsed here and nowhere else. */
import { serveJobs } from "../../../src/threads/serve-jobs.ts";
import { createPageTasks } from "./page-tasks.ts";

serveJobs(createPageTasks());
