/** A scan thread whose firewall never ends: what a page does that nobody knew of. */
import { serveJobs } from "../../../src/threads/serve-jobs.ts";

serveJobs({
  firewall: () => {
    for (;;);
  },
});
