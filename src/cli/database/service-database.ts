import { dirname, join } from "node:path";
import type { StoreLocation } from "../../store/open-store.ts";
import type { Organisation, State } from "../../store/state.ts";
import type { Store } from "../../store/store.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { homeFolder, makePrivateFolder } from "../snapshots/home.ts";
import { nearest } from "../../words/nearest.ts";
import { UsageError } from "../runner/usage-error.ts";

/** Where the service's data is. Every command that needs it takes these. */
export const DATABASE_OPTIONS: readonly Option[] = [
  {
    name: "db",
    value: "FILE",
    isPath: true,
    help: "SQLite file; default: $IPSIEVE_DB, otherwise ipsieve.db in the home folder",
  },
  { name: "database-url", value: "URL", help: "PostgreSQL database, postgres://...; default: $DATABASE_URL" },
];

export const ORGANISATION_OPTION: Option = {
  name: "org",
  value: "NAME",
  help: "organisation, by name or id; not needed if there is only one",
};

/** The note of every command that changes something. */
export const RUNNING_SERVER_NOTE = "A running server sees the change within a second.";

/** From the options, else from the environment, else in the data folder. Throws UsageError. */
export function databaseLocation(args: Arguments): StoreLocation {
  const [file, url] = [args.value("db"), args.value("database-url")];
  if (file !== undefined && url !== undefined)
    throw new UsageError("--db and --database-url name two databases; give one");
  const { IPSIEVE_DB = "", DATABASE_URL = "" } = process.env;
  if (file !== undefined) return { file };
  if (url !== undefined) return { url: checkedUrl("--database-url", url) };
  if (IPSIEVE_DB !== "") return { file: IPSIEVE_DB };
  if (DATABASE_URL !== "") return { url: checkedUrl("DATABASE_URL", DATABASE_URL) };
  return { file: join(homeFolder(), "ipsieve.db") };
}

/** Without the password. */
export function locationText(location: StoreLocation): string {
  if ("file" in location) return location.file;
  const url = new URL(location.url);
  url.password = "";
  return url.href;
}

/** Creates the folder of a SQLite file, unless it exists. Throws UsageError. */
export function makeFolderOf(location: StoreLocation): void {
  if (!("file" in location)) return;
  const folder = dirname(location.file);
  try {
    makePrivateFolder(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`${location.file}: its folder cannot be made (${code}); name another file with --db`);
  }
}

/** Opens the database, runs a task with it, and closes it. `create` creates it, or migrates it to this release. */
export async function withStore<T>(args: Arguments, create: boolean, use: (store: Store) => Promise<T>): Promise<T> {
  const location = databaseLocation(args);
  if (create) makeFolderOf(location);
  const { openStore } = await import("../../store/open-store.ts");
  const store = await openStore(location, { create });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The organisation that `--org` names, or the only one. Throws UsageError. */
export function chosenOrganisation({ organisations }: State, args: Arguments): Organisation {
  const given = args.value("org");
  if (given === undefined) {
    if (organisations.length === 1) return organisations[0]!;
    throw new UsageError(
      organisations.length === 0
        ? 'there are no organisations; "ipsieve admin org create NAME" creates one'
        : "there are several organisations; name one with --org",
    );
  }
  const found = organisations.find(({ name }) => name === given) ?? organisations.find(({ id }) => id === given);
  if (found !== undefined) return found;
  const meant = nearest(
    given,
    organisations.map(({ name }) => name),
  );
  throw new UsageError(
    `--org ${JSON.stringify(given)}: ${meant === undefined ? '"ipsieve admin org list" lists them' : `did you mean ${meant}?`}`,
  );
}

/** How suggested commands name the organisation, quoted for a shell. */
export function organisationOption(name: string): string {
  return ` --org ${/^[\w.@-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`}`;
}

/** The actor and time of a change made from the command line. */
export function signature(): { actor: string; at: number } {
  const { username } = process.getBuiltinModule("node:os").userInfo();
  return { actor: `command:${username}`, at: Date.now() };
}

/** The midnight UTC at which a date begins, in milliseconds. Throws UsageError. */
export function midnight(option: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : Number.NaN;
  // Date.parse reads 31 February as 3 March.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text) {
    throw new UsageError(`--${option} ${JSON.stringify(text)}: give a date as YYYY-MM-DD`);
  }
  if (time <= Date.now())
    throw new UsageError(`--${option} ${text}: that midnight (UTC) has passed; give a later date`);
  return time;
}

/** 2026-11-21; nothing for null. */
export function dateText(time: number | null): string {
  return time === null ? "" : new Date(time).toISOString().slice(0, 10);
}

function checkedUrl(from: string, text: string): string {
  const url = URL.parse(text);
  if (url !== null && (url.protocol === "postgres:" || url.protocol === "postgresql:")) return text;
  throw new UsageError(
    `${from}: this is not the URL of a PostgreSQL database; write postgres://user:password@host:5432/name`,
  );
}
