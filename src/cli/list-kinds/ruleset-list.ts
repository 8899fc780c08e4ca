import { rulesetColumns } from "../../datasets/ruleset-columns.ts";
import { openRulesetSnapshot } from "../../datasets/ruleset-files.ts";
import { RULESET_COLUMNS, RULESET_RENDERER } from "../../datasets/ruleset-renderer.ts";
import { withPath } from "../../datasets/with-path.ts";
import { checkStoredRuleset, storedLabels } from "../../rulesets/stored/stored-ruleset.ts";
import type { ListKind } from "./list-kind.ts";

export const RULESET_LIST: ListKind = {
  async open(path) {
    const snapshot = await openRulesetSnapshot(path);
    withPath(path, () => storedLabels(snapshot.metadata, snapshot.table));
    return snapshot;
  },
  rows: { renderer: RULESET_RENDERER, columns: RULESET_COLUMNS, appendAs: "rule" },
  arrowColumns: rulesetColumns,
  async counts(snapshot, path) {
    const { rulesetCounts } = await import("../output/ruleset-counts.ts");
    return withPath(path, () => rulesetCounts(snapshot));
  },
  checkContents: (snapshot, path) => withPath(path, () => checkStoredRuleset(snapshot.metadata, snapshot.table)),
};
