import type { RecordDatasetCommand } from "../command.ts";
import type { Decision } from "./_decision.ts";
import { checkTexts } from "./_texts.ts";

/** Only the audit log needs it: the data are files of the server, which have been replaced already. */
export function recordDataset(command: RecordDatasetCommand): Decision {
  checkTexts(command.new.source ?? "", command.old?.source ?? "");
  return {
    outcome: {},
    changes: [{ change: { kind: "dataset", dataset: command.new }, old: command.old ?? undefined }],
  };
}
