/** Web servers of others for tests: Debian's nginx, and its WordPress on PHP and MariaDB, unpacked beside the checkout and never installed. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { librariesOf, unpackPackages } from "./debian-packages.ts";
import { freePort } from "./ports.ts";

const CACHE = join(import.meta.dirname, "../../.cache");
const START_TIMEOUT_MS = 60_000;
const LOOK_EVERY_MS = 50;
const UNPACK_TIMEOUT_MS = 300_000;

export interface Running {
  port: number;
  stop(): Promise<void>;
}

/** An unpacked root and how its programs find their libraries, or why there is none. */
export const unpackedServer = (name: string, packages: readonly string[]) => {
  try {
    const root = unpackPackages(packages, join(CACHE, name), UNPACK_TIMEOUT_MS);
    return { root, env: { ...process.env, LD_LIBRARY_PATH: librariesOf(root).join(delimiter) } };
  } catch (error) {
    return { missing: `apt cannot fetch ${name} (${String(error).slice(0, 200)})` };
  }
};

/** A program that is up once `isUp` says so. @throws with what it printed */
export const startProgram = async (
  program: string,
  args: readonly string[],
  how: { env: NodeJS.ProcessEnv; cwd?: string },
  isUp: () => Promise<boolean>,
): Promise<() => Promise<void>> => {
  const child: ChildProcess = spawn(program, args, { ...how, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.on("data", (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-4_000);
    });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while (!(await isUp())) {
    if (performance.now() > giveUpAt || child.exitCode !== null) {
      await stop();
      throw new Error(`${program} is not up:\n${printed}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return stop;
};

/** Whether something answers there over HTTP. */
export const answersAt = (port: number) => (): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/`, { redirect: "manual" }).then(
    () => true,
    () => false,
  );

export const ensureNginx = () => unpackedServer("nginx", ["nginx-light"]);

/** nginx with one server on loopback. @param server what stands in its block, beside `listen` and `root` */
export const startNginx = async (
  { root, env }: { root: string; env: NodeJS.ProcessEnv },
  server: string,
): Promise<Running> => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-nginx-"));
  const port = await freePort();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  mkdirSync(join(folder, "root"));
  const file = join(folder, "nginx.conf");
  writeFileSync(
    file,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events { worker_connections 64; }
http { access_log off; include ${root}/etc/nginx/mime.types; ${temporary.join(" ")}
server { listen 127.0.0.1:${port}; root ${folder}/root; ${server} } }`,
  );
  const program = join(root, "usr/sbin/nginx");
  execFileSync(program, ["-t", "-q", "-c", file, "-e", "stderr"], { env, stdio: "pipe" });
  const end = await startProgram(program, ["-c", file, "-e", "stderr"], { env }, answersAt(port));
  const stop = async () => {
    await end();
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, stop };
};

export const ensureWordpress = () =>
  unpackedServer("wordpress", ["wordpress", "php-cli", "php-mysql", "mariadb-server-core"]);

/** What Apache's rewriting does: files that are there, and WordPress for everything else. */
const ROUTER = `<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if ($path !== '/' && is_file(__DIR__ . $path)) return false;
if (is_file(__DIR__ . rtrim($path, '/') . '/index.php') && $path !== '/') { chdir(__DIR__ . $path); require __DIR__ . rtrim($path, '/') . '/index.php'; return; }
$_SERVER['SCRIPT_NAME'] = '/index.php';
require __DIR__ . '/index.php';
`;

const configurationOf = (socket: string, port: number): string => `<?php
define('DB_NAME', 'wordpress'); define('DB_USER', 'root'); define('DB_PASSWORD', ''); define('DB_HOST', 'localhost:${socket}');
define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HOME', 'http://127.0.0.1:${port}'); define('WP_SITEURL', WP_HOME);
define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true); define('FS_METHOD', 'direct');
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`;

const INSTALL = `<?php
define('WP_INSTALLING', true);
function wp_new_blog_notification() {}
require 'wp-load.php'; require 'wp-admin/includes/upgrade.php';
wp_install('Corner Shop', 'admin', 'owner@shop.example', true, '', $argv[1]);
update_option('permalink_structure', '/%postname%/');
`;

export const WORDPRESS_PASSWORD = "a long password of a test";

/** A WordPress of its own, with one administrator `admin`. */
export const startWordpress = async ({
  root,
  env,
}: {
  root: string;
  env: NodeJS.ProcessEnv;
}): Promise<Running> => {
  const folder = mkdtempSync(join(tmpdir(), "bridge-test-wordpress-"));
  const [site, data, socket] = ["site", "data", "db"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const port = await freePort();
  mkdirSync(data);
  const database = ["--no-defaults", "--user=root", `--basedir=${root}/usr`, `--datadir=${data}`];
  const quiet = { env, stdio: "pipe" } as const;
  const ends: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const end of ends.reverse()) await end();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const install = ["--auth-root-authentication-method=normal", "--skip-test-db"];
    execFileSync(join(root, "usr/bin/mariadb-install-db"), [...database, ...install], quiet);
    const client = (sql: string) =>
      execFileSync(
        join(root, "usr/bin/mariadb"),
        ["--no-defaults", "-u", "root", `--socket=${socket}`, "-e", sql],
        quiet,
      );
    const isUp = async () => {
      if (!existsSync(socket)) return false;
      try {
        client("select 1");
        return true;
      } catch {
        return false;
      }
    };
    const offline = ["--skip-networking", `--socket=${socket}`, `--pid-file=${folder}/db.pid`];
    ends.push(await startProgram(join(root, "usr/sbin/mariadbd"), [...database, ...offline], { env }, isUp));
    client("create database wordpress character set utf8mb4");
    cpSync(join(root, "usr/share/wordpress"), site, { recursive: true, dereference: true });
    const content = join(root, "var/lib/wordpress/wp-content");
    if (existsSync(content))
      cpSync(content, join(site, "wp-content"), { recursive: true, dereference: true });
    writeFileSync(join(site, "wp-config.php"), configurationOf(socket, port));
    writeFileSync(join(site, "router.php"), ROUTER);
    writeFileSync(join(site, "install.php"), INSTALL);
    const [program] = globSync(join(root, "usr/bin/php[0-9]*")) as [string];
    const [mysqli] = globSync(join(root, "usr/lib/php/*/mysqli.so")) as [string];
    const php = ["-n", "-d", `extension_dir=${join(mysqli, "..")}`];
    php.push("-d", "extension=mysqlnd.so", "-d", "extension=mysqli.so", "-d", "display_errors=stderr");
    execFileSync(program, [...php, "install.php", WORDPRESS_PASSWORD], { ...quiet, cwd: site });
    const serve = [...php, "-S", `127.0.0.1:${port}`, "router.php"];
    ends.push(await startProgram(program, serve, { env, cwd: site }, answersAt(port)));
    return { port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
