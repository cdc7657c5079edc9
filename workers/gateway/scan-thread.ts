/** What a scan thread of the gateway can do: one line a task, each a pure function that may take long. */
import { serveJobs } from "./common/pool-thread.ts";
import { scanDarkPatterns } from "./dark-pattern/rules.ts";
import { scanFirewall } from "./firewall/rules.ts";

serveJobs({ darkPattern: scanDarkPatterns, firewall: scanFirewall });
