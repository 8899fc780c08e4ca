import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { publishFile } from "../files/publish-file.ts";
import { UpdateError } from "./update-error.ts";

/** What is known about a stored list. */
export interface ListState {
  /** The checksum of the text, so that the state of another text is recognized. */
  readonly sha256: string;
  /** Where it came from; the server's validators hold for this URL only. */
  readonly url: string | null;
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** ISO 8601 in UTC, as in `CatalogueSource`. */
  readonly publishedAt: string | null;
  readonly fetchedAt: string;
  readonly changedAt: string;
}

/** A stored list. Its state is missing if a run ended between writing the text and the state. */
export interface StoredList {
  readonly text: string;
  readonly state: ListState | undefined;
}

const STATE_FILE = "state.json";

/**
 * The last good text of every list, in a folder, and their states in `state.json` there. Every file is replaced as a
 * whole; a text is written before its state, whose checksum shows whether they belong together.
 */
export class ListStore {
  readonly #folder: string;
  readonly #states: Map<string, ListState>;

  /** @throws UpdateError "bad-home" */
  constructor(folder: string) {
    this.#folder = folder;
    this.#states = readStates(join(folder, STATE_FILE));
  }

  pathOf(path: string): string {
    return join(this.#folder, path);
  }

  get(path: string): StoredList | undefined {
    const text = readIfThere(this.pathOf(path));
    if (text === undefined) return undefined;
    const state = this.#states.get(path);
    return { text, state: state?.sha256 === sha256Of(text) ? state : undefined };
  }

  /** Stores a text, and keeps its state until `saveStates`. */
  async keep(path: string, text: string, state: Omit<ListState, "sha256">): Promise<void> {
    const sha256 = sha256Of(text);
    if (this.get(path)?.text !== text) await writeText(this.pathOf(path), text);
    this.#states.set(path, { sha256, ...state });
  }

  stateOf(path: string): ListState | undefined {
    return this.#states.get(path);
  }

  async saveStates(): Promise<void> {
    const sorted = [...this.#states].sort(([a], [b]) => (a < b ? -1 : 1));
    await writeText(
      this.pathOf(STATE_FILE),
      `${JSON.stringify({ format: 1, lists: Object.fromEntries(sorted) }, null, 1)}\n`,
    );
  }
}

export async function writeText(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path));
  await writing(path, () => publishFile(path, [Buffer.from(text)]));
}

/** Creates a folder within the home folder, for its owner alone. @throws UpdateError "unwritable" */
export async function makeFolder(path: string): Promise<void> {
  await writing(path, () => mkdir(path, { recursive: true, mode: 0o700 }));
}

/** @throws UpdateError "unwritable", which names the path */
export async function writing(path: string, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/** The error of a failed write to a path. */
export function unwritable(path: string, cause: unknown): UpdateError {
  const { code, message } = cause as NodeJS.ErrnoException;
  return new UpdateError(
    "unwritable",
    `${path} cannot be written (${code ?? message}); check its permissions and the space on its disk`,
    { cause },
  );
}

export async function removeIfThere(path: string): Promise<void> {
  await unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new UpdateError(
      "bad-home",
      `${path} cannot be read (${(error as Error).message}); make it readable, or remove it to fetch it again`,
      { cause: error },
    );
  }
}

function readStates(path: string): Map<string, ListState> {
  const text = readIfThere(path);
  if (text === undefined) return new Map();
  try {
    const { format, lists } = JSON.parse(text) as { format: unknown; lists: Record<string, ListState> };
    if (format !== 1) throw new Error("its format is not 1");
    for (const state of Object.values(lists)) checkState(state);
    return new Map(Object.entries(lists));
  } catch (cause) {
    throw new UpdateError(
      "bad-home",
      `${path} cannot be read (${(cause as Error).message}); remove it to fetch all lists again`,
      { cause },
    );
  }
}

function checkState(state: ListState): void {
  const texts = [state.sha256, state.url, state.etag, state.lastModified];
  if (!texts.every((text) => text === null || typeof text === "string")) throw new Error("a state of other members");
  const times = [state.fetchedAt, state.changedAt, state.publishedAt ?? state.fetchedAt];
  if (!times.every((time) => typeof time === "string" && !Number.isNaN(Date.parse(time))))
    throw new Error("an invalid time");
}

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
