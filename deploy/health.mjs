// The image's health check: exit code 0 while the process takes work. Docker ends nothing that is unhealthy, and the watchdog
// of a process that was stopped is stopped too: with --kill, a process that left /healthz unanswered six times in a row is
// killed, so that the restart policy starts it again. That needs an init (`init: true`): no signal kills a container's first process from inside.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const MISSED = "/tmp/bridge-health-missed";
const MAX_MISSED = 6;
const TIMEOUT_MS = 4_000;
const origin = `http://127.0.0.1:${process.env.BRIDGE_ADMIN_PORT ?? 9464}`;

const ask = (path) =>
  fetch(origin + path, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
    ({ ok }) => ok,
    () => undefined,
  );

function missedBefore() {
  try {
    return Number(readFileSync(MISSED, "utf8"));
  } catch {
    return 0;
  }
}

/** The child of the container's first process that runs the program. */
const programOf = () =>
  readdirSync("/proc").find((pid) => {
    try {
      const parent = /^PPid:\s+1$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
      return parent && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes("app/main.ts");
    } catch {
      return false;
    }
  });

const [ready, alive] = await Promise.all([ask("/readyz"), ask("/healthz")]);
if (alive !== undefined) {
  rmSync(MISSED, { force: true });
} else if (process.argv.includes("--kill")) {
  const missed = missedBefore() + 1;
  writeFileSync(MISSED, String(missed));
  const pid = missed >= MAX_MISSED ? programOf() : undefined;
  if (pid !== undefined) process.kill(Number(pid), "SIGKILL");
}
process.exitCode = ready === true ? 0 : 1;
