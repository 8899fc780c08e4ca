import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Logger } from "pino";
import type { RecordDatasetCommand } from "../../store/command.ts";
import type { Store } from "../../store/store.ts";
import { type CatalogueUpdate, countsOf } from "./catalogue-updates.ts";
import type { FeedImport } from "./feed-imports.ts";

interface Recording {
  readonly store: Pick<Store, "write">;
  readonly log: Pick<Logger, "error">;
}

/**
 * Records a replaced dataset in the audit log. The dataset is already in use, so if the database fails, only the entry
 * is lost; the server's log has it then.
 */
export async function recordDataset({ store, log }: Recording, command: RecordDatasetCommand): Promise<void> {
  try {
    await (command.kind === "import-feed" ? store.write(command) : store.write(command));
  } catch (error) {
    const { actor, new: facts } = command;
    log.error({ err: error, actor, ...facts }, "a replaced dataset is missing in the audit log");
  }
}

export function feedChange(imported: FeedImport, at: number): RecordDatasetCommand {
  const { organisationId, startedBy, source, report, digest } = imported;
  const { dataset = null, replaced = null, feeds = [] } = report ?? {};
  return {
    kind: "import-feed",
    actor: `user:${startedBy}`,
    at,
    organisationId,
    old: replaced === null ? null : { dataset: "cti", prefixes: replaced.prefixes },
    new: {
      dataset: "cti",
      source,
      ...(dataset && { createdAt: Date.parse(dataset.createdAt), prefixes: dataset.ipv4 + dataset.ipv6 }),
      ...(replaced && { added: replaced.added, removed: replaced.removed }),
      skipped: feeds.reduce((sum, { skipped }) => sum + skipped, 0),
      ...(digest !== null && { digest }),
    },
  };
}

/** `path`: the path of the catalogue. */
export async function catalogueChange(
  update: CatalogueUpdate,
  path: string,
  at: number,
): Promise<RecordDatasetCommand> {
  const { organisationId, startedBy, replacedAt, result } = update;
  const { changed, new: added, refused, failed } = countsOf(update);
  const digest = await digestOf(path).catch(() => undefined);
  return {
    kind: "update-catalogue",
    actor: `user:${startedBy}`,
    at,
    organisationId,
    old: replacedAt === null ? null : { dataset: "catalogue", createdAt: replacedAt },
    new: {
      dataset: "catalogue",
      source: `${added} new, ${changed} changed, ${refused + failed} failed lists`,
      createdAt: Date.parse(result!.createdAt),
      prefixes: result!.ipv4 + result!.ipv6,
      ...(digest !== undefined && { digest }),
    },
  };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}
