import type { RecordDatasetCommand } from "../command.ts";
import type { Organisation } from "../state.ts";
import type { Decision } from "./_decision.ts";
import { checkTexts } from "./_texts.ts";

/**
 * Written to the audit log of the organisation whose admin had the dataset replaced and, because all organisations look
 * addresses up in the catalogue, to the feeds of all `organisations`. The data are files of the server, which have been
 * replaced already.
 */
export function recordDataset(command: RecordDatasetCommand, organisations: readonly Organisation[]): Decision {
  checkTexts(command.new.source ?? "", command.old?.source ?? "");
  const body = { type: "catalogue.updated", dataset: command.new } as const;
  const isForAll = command.kind === "update-catalogue";
  return {
    outcome: {},
    ...(isForAll && { eventsOfAll: { organisationIds: organisations.map(({ id }) => id), body } }),
    changes: [{ change: { kind: "dataset", dataset: command.new }, old: command.old ?? undefined }],
  };
}
