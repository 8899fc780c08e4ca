import { readSnapshotHead } from "../../snapshot/read-head.ts";
import { SnapshotError } from "../../snapshot/snapshot-error.ts";
import { ageDays, OLD_DAYS } from "../../cbs/catalogue-ages.ts";
import { BUNDLED_CATALOGUE } from "../../datasets/open-catalogue.ts";
import { EXTENSION, type ListedGeneration, listGenerations } from "../../update/list-generations.ts";
import { defaultCatalogue } from "./default-datasets.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { historyFolder, homeFolder } from "./home.ts";
import { momentOf } from "../options/moment.ts";
import { standardError } from "../runner/standard-error.ts";
import { UsageError } from "../runner/usage-error.ts";

export const AS_OF_OPTION: Option = {
  name: "as-of",
  value: "TIME",
  help: "use the catalogue as of TIME: the newest one in the folder that --snapshot names (default: the update history) made no later than TIME, a date (until its end, UTC) or a date and time with a zone",
};

export const NOW_OPTION: Option = {
  name: "now",
  value: "TIME",
  help: "skip what has expired at TIME, a date (its end, UTC) or a date and time with a zone; default: the time of --as-of, otherwise the current time",
};

/** The time that expiries are compared with: one for the whole command, in milliseconds since 1970. */
export function chosenMoment(args: Arguments): number {
  const now = args.value("now");
  const asOf = args.value("as-of");
  if (now !== undefined) return momentOf("now", now).getTime();
  return asOf === undefined ? Date.now() : momentOf("as-of", asOf).getTime();
}

/**
 * The file that a command's options name, or the default one. With --as-of it is named on stderr. Throws UsageError.
 */
export async function chosenSnapshot(args: Arguments): Promise<string> {
  const text = args.value("as-of");
  const snapshot = args.value("snapshot");
  if (text === undefined) return snapshot ?? (await freshEnough(defaultCatalogue()));
  return generationAsOf({
    folder: snapshot ?? historyFolder(homeFolder()),
    time: momentOf("as-of", text),
    what: "--as-of",
    remedy: "name a folder of catalogues with --snapshot DIR",
  });
}

/**
 * The file that an operand names: for a date or a time, the newest catalogue in the update history as of then, which is
 * printed on stderr; otherwise the operand itself. Throws UsageError.
 */
export async function fileOrGeneration(operand: string): Promise<string> {
  if (!/^\d{4}-\d\d-\d\d(?:T|$)/.test(operand)) return operand;
  return generationAsOf({
    folder: historyFolder(homeFolder()),
    time: momentOf(null, operand),
    what: operand,
    remedy: `for a file of this name, write ./${operand}`,
  });
}

/**
 * The path, after a notice on a terminal if the catalogue is old. Programs that read standard error are not told again
 * and again: "info" and "cbs sources" have the ages.
 */
async function freshEnough(path: string): Promise<string> {
  if (!process.stderr.isTTY) return path;
  // What is wrong with the file is reported when it is opened.
  const head = await readSnapshotHead(path).catch(() => undefined);
  const notice = head === undefined ? undefined : ageNotice(head.createdAt, Date.now(), path === BUNDLED_CATALOGUE);
  if (notice !== undefined) standardError().write(`ipsieve: ${notice}\n`);
  return path;
}

/** The notice about a catalogue of this date; undefined unless it is old. */
export function ageNotice(createdAt: Date, now: number, isBundled: boolean): string | undefined {
  const days = ageDays(createdAt.getTime(), now);
  if (days <= OLD_DAYS) return undefined;
  const what = isBundled ? "the bundled catalogue" : "the catalogue";
  return `${what} is ${days} days old (${createdAt.toISOString().slice(0, 10)}); "ipsieve cbs update" fetches the publishers' current lists`;
}

/** What an option or an operand selects from a folder of catalogues. */
interface HistoryQuery {
  readonly folder: string;
  readonly time: Date;
  /** The option or the operand, with which errors begin. */
  readonly what: string;
  /** What to do if the folder does not exist or holds no catalogue. */
  readonly remedy: string;
}

/** The newest generation in a folder that was made no later than `time`. Throws UsageError. */
async function generationAsOf(query: HistoryQuery): Promise<string> {
  const { folder, time, what, remedy } = query;
  const generations = await generationsIn(query);
  const newest = generations.findLast(({ createdAt }) => createdAt <= time);
  if (newest !== undefined) {
    const made = newest.createdAt.toISOString();
    standardError().write(`ipsieve: as of ${time.toISOString()}: ${newest.path}, made ${made}\n`);
    return newest.path;
  }
  const [oldest] = generations;
  if (oldest === undefined) throw new UsageError(`${what}: ${folder} holds no catalogue (*${EXTENSION}); ${remedy}`);
  throw new UsageError(
    `${what}: no catalogue in ${folder} was made by ${time.toISOString()}; the oldest, ${oldest.path}, is of ${oldest.createdAt.toISOString()}`,
  );
}

/** A corrupt file may be the requested one: answering from another generation instead would be wrong. */
async function generationsIn({ folder, what, remedy }: HistoryQuery): Promise<ListedGeneration[]> {
  try {
    return await listGenerations(folder);
  } catch (error) {
    if (error instanceof SnapshotError)
      throw new UsageError(
        `${what}: ${error.message}; its time is unknown: restore the file, or remove it if you do not need it`,
      );
    throw new UsageError(
      `${what}: ${folder}: ${reasonOf(error as NodeJS.ErrnoException)}; keep a history with "ipsieve cbs update", or ${remedy}`,
    );
  }
}

function reasonOf({ code }: NodeJS.ErrnoException): string {
  if (code === "ENOENT") return "there is no such folder";
  return code === "ENOTDIR" ? "it is a file, not a folder of catalogues" : `cannot be read (${code})`;
}
