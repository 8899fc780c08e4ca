import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../free-port.ts";
import { makeFastFolder } from "./fast-folder.ts";

const RELEASES = "/usr/lib/postgresql";
const NEEDED = ["initdb", "pg_ctl", "psql", "pg_dump", "pg_restore"];

/**
 * The folder of the programs of Debian's newest PostgreSQL: the server, and pg_dump and pg_restore, which must be of
 * the same release.
 */
function programsFolder(): string | undefined {
  if (!existsSync(RELEASES)) return undefined;
  return readdirSync(RELEASES)
    .sort((a, b) => Number(b) - Number(a))
    .map((release) => join(RELEASES, release, "bin"))
    .find((folder) => NEEDED.every((name) => existsSync(join(folder, name))));
}

export const whyNoDebianPostgres: false | string =
  programsFolder() === undefined ? "PostgreSQL is not installed; install it with: apt-get install postgresql" : false;

/** A PostgreSQL server with the tools of its release, in a folder of its own. */
export class DebianPostgres {
  /** The folder of its programs. */
  readonly programs: string = programsFolder()!;
  readonly #folder = makeFastFolder();
  readonly #port: number;
  readonly #asRoot = process.getuid?.() === 0;

  private constructor(port: number) {
    this.#port = port;
  }

  static async start(): Promise<DebianPostgres> {
    const server = new DebianPostgres(await freePort());
    server.#makeCluster();
    return server;
  }

  /** Creates an empty database. */
  makeDatabase(name: string): string {
    this.#run("psql", "--quiet", this.#url("postgres"), "--command", `create database ${name}`);
    return this.#url(name);
  }

  [Symbol.dispose](): void {
    this.#run("pg_ctl", "stop", "--mode=immediate", "--wait", `--pgdata=${this.#data}`);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, "data");
  }

  #url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.#port}/${database}`;
  }

  #makeCluster(): void {
    chmodSync(this.#folder, 0o755);
    mkdirSync(this.#data);
    if (this.#asRoot) check("chown", spawnSync("chown", ["postgres", this.#folder, this.#data], { encoding: "utf8" }));
    this.#run(
      "initdb",
      "--no-sync",
      "--encoding=UTF8",
      "--auth=trust",
      "--username=postgres",
      `--pgdata=${this.#data}`,
    );
    const options = `-p ${this.#port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
    const log = `--log=${join(this.#folder, "log")}`;
    this.#run("pg_ctl", "start", "--wait", `--pgdata=${this.#data}`, log, "-o", options);
  }

  /** PostgreSQL does not run as root. */
  #run(name: string, ...args: readonly string[]): void {
    const words = [join(this.programs, name), ...args];
    const [program, ...rest] = this.#asRoot ? ["runuser", "-u", "postgres", "--", ...words] : words;
    check(name, spawnSync(program!, rest, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"], cwd: "/" }));
  }
}

function check(name: string, { status, stderr, error }: ReturnType<typeof spawnSync>): void {
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${String(error ?? stderr)}`);
}
