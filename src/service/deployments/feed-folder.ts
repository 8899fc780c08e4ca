import { chmodSync } from "node:fs";
import { makeFolder } from "../../files/make-folder.ts";
import { open, readdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Deployment, PublishedList } from "../../store/records/deployment.ts";
import type { Plan } from "../../store/state.ts";
import type { ServiceMemory } from "../store/service-memory.ts";
import { Periodic } from "../periodic.ts";
import { packList, unpackList } from "../sources/list-text.ts";
import type { PublishedLists, ServedList } from "./published-lists.ts";

/** Milliseconds between two checks for changes. */
const EVERY = 2000;
const ENDING = ".json";

interface Dependencies {
  readonly memory: ServiceMemory;
  readonly lists: Pick<PublishedLists, "served">;
}

interface Log {
  error(about: object, message: string): void;
}

/** The saved properties of a deployment: no token, and only the digest of its password. */
interface Kept {
  readonly deployment: Deployment;
  readonly plan: Plan | null;
  readonly list: { readonly published: PublishedList; readonly content: string } | null;
}

/** What a server can serve without the database. */
export interface KeptFeeds {
  readonly deployments: readonly Deployment[];
  readonly plans: readonly Plan[];
  readonly lists: ReadonlyMap<string, ServedList>;
}

/** The folder cannot be used. */
export class FeedFolderError extends Error {
  override readonly name = "FeedFolderError";

  constructor(path: string, cause: NodeJS.ErrnoException) {
    const what = cause.code === "EEXIST" || cause.code === "ENOTDIR" ? "not a folder" : "cannot be made or used";
    super(`--feeds-dir ${path}: ${what} (${cause.code}); name a folder of the server's user`, { cause });
  }
}

/** The last good lists in a folder that only the server's user can read, a file for each deployment. */
export class FeedFolder {
  readonly #path: string;
  readonly #services: Dependencies;
  readonly #log: Log;
  /** The state from which the file of each deployment was written. */
  readonly #saved = new Map<string, string>();
  readonly #saving = new Periodic(() => this.#saveAll(), EVERY);
  #isStarted = false;

  constructor(path: string, services: Dependencies, log: Log) {
    this.#path = path;
    this.#services = services;
    this.#log = log;
  }

  /** Throws FeedFolderError for a folder that cannot be made. */
  start(): void {
    try {
      makeFolder(this.#path, 0o700);
      chmodSync(this.#path, 0o700);
    } catch (cause) {
      throw new FeedFolderError(this.#path, cause as NodeJS.ErrnoException);
    }
    this.#isStarted = true;
    this.#saving.start();
  }

  async stop(): Promise<void> {
    if (!this.#isStarted) return;
    await this.#saving.stop();
    await this.#saveAll();
  }

  async #saveAll(): Promise<void> {
    for (const deployment of this.#services.memory.allDeployments()) {
      try {
        await this.#save(deployment);
      } catch (error) {
        this.#log.error(
          { deployment: deployment.id, err: error },
          "a feed was not saved (--feeds-dir); it is tried again",
        );
        return;
      }
    }
  }

  async #save(deployment: Deployment): Promise<void> {
    const { memory, lists } = this.#services;
    const plan = memory.plan(deployment.organisationId, "edl") ?? null;
    const served = lists.served(deployment.id);
    const { published = null } = served ?? {};
    const version = JSON.stringify([deployment, plan, published]);
    if (this.#saved.get(deployment.id) === version) return;
    const list = served === undefined ? null : { published: served.published, content: await packList(served.text) };
    await write(
      join(this.#path, `${deployment.id}${ENDING}`),
      JSON.stringify({ deployment, plan, list } satisfies Kept),
    );
    this.#saved.set(deployment.id, version);
  }
}

/** What a server has saved. Files that cannot be read are left out; there are none where there is no folder. */
export async function readFeedFolder(path: string): Promise<KeptFeeds> {
  const names = await readdir(path).catch((): string[] => []);
  const kept: Kept[] = [];
  for (const name of names.filter((each) => each.endsWith(ENDING))) {
    const text = await readFile(join(path, name), "utf8").catch(() => "null");
    const read = parsed(text);
    if (read !== null) kept.push(read);
  }
  const lists = new Map<string, ServedList>();
  for (const { deployment, list } of kept)
    if (list !== null) lists.set(deployment.id, { published: list.published, text: await unpackList(list.content) });
  return {
    // Files of earlier releases do not say which replaced URLs still work.
    deployments: kept.map(({ deployment }) => ({ ...deployment, previous: deployment.previous ?? [] })),
    plans: kept.flatMap(({ plan }) => plan ?? []),
    lists,
  };
}

function parsed(text: string): Kept | null {
  try {
    return JSON.parse(text) as Kept | null;
  } catch {
    return null;
  }
}

/** Written completely or not at all, even if the machine stops. */
async function write(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  const file = await open(temporary, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
}
