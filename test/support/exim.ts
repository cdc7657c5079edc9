/** Debian's Exim on loopback, as an operator's mail server: sends what it takes on, and pipes what comes back to a command. */
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./ports.ts";
import { startProgram, unpackedServer } from "./servers.ts";

export const ensureExim = () => unpackedServer("exim", ["exim4-daemon-light", "libnss-wrapper"]);

/** Exim runs as no superuser. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** Debian's build asks the system for this user before it reads a line of its configuration. */
const USER = "Debian-exim";

export interface Exim {
  url: string;
  stop(): Promise<void>;
}

interface Way {
  /** Its own domain: what comes to `bounces+…` there goes to the command, as docs/administration.md says. */
  domain: string;
  /** A shell command. */
  command: string;
  /** Port of the server that all other mail goes on to. */
  nextPort: number;
}

const configurationOf = ({ domain, nextPort }: Way, port: number, folder: string): string => `
exim_path = ${folder}/exim
primary_hostname = mx.${domain}
spool_directory = ${folder}/spool
log_file_path = ${folder}/spool/log-%s
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
tls_advertise_hosts =
acl_smtp_rcpt = accept
begin routers
bridge_bounces:
  driver = accept
  domains = ${domain}
  local_parts = bounces
  local_part_suffix = +*
  transport = bridge_bounces
onwards:
  driver = manualroute
  route_list = * 127.0.0.1::${nextPort} byname
  self = send
  transport = onwards
begin transports
bridge_bounces:
  driver = pipe
  command = ${folder}/bounce
  envelope_to_add
  user = ${USER}
onwards:
  driver = smtp
`;

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });

/** @param server what ensureExim gives */
export const startExim = async (
  { root, env }: { root: string; env: NodeJS.ProcessEnv },
  way: Way,
): Promise<Exim> => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-exim-"));
  const port = await freePort();
  const file = (name: string, text: string, mode = 0o644): string => {
    writeFileSync(join(folder, name), text, { mode });
    return join(folder, name);
  };
  const [uid, gid] = isRoot ? [NOBODY, NOBODY] : [process.getuid!(), process.getgid!()];
  const users = file(
    "passwd",
    `${readFileSync("/etc/passwd", "utf8")}${USER}:x:${uid}:${gid}::/:/bin/false\n`,
  );
  const groups = file("group", `${readFileSync("/etc/group", "utf8")}${USER}:x:${gid}:\n`);
  const binary = join(root, "usr/sbin/exim4");
  // With a superuser's bit the loader would not take libraries from elsewhere.
  chmodSync(binary, 0o755);
  const [wrapper] = globSync(join(root, "usr/lib/*/libnss_wrapper.so")) as [string];
  const settings = `LD_LIBRARY_PATH='${env.LD_LIBRARY_PATH}' LD_PRELOAD='${wrapper}' NSS_WRAPPER_PASSWD='${users}' NSS_WRAPPER_GROUP='${groups}'`;
  const program = file("exim", `#!/bin/sh\nexec env ${settings} '${binary}' "$@"\n`, 0o755);
  file("bounce", `#!/bin/sh\nunset LD_PRELOAD LD_LIBRARY_PATH\nexec ${way.command}\n`, 0o755);
  mkdirSync(join(folder, "spool"));
  for (const path of [folder, join(folder, "spool")]) chmodSync(path, 0o777);
  const configuration = file("exim.conf", configurationOf(way, port, folder));
  const args = [program, "-C", configuration, "-bdf"];
  const as = isRoot ? ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"] : ["env"];
  const stop = await startProgram(as[0]!, [...as.slice(1), ...args], { env: process.env }, () =>
    isOpen(port),
  );
  return {
    url: `smtp://127.0.0.1:${port}`,
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
