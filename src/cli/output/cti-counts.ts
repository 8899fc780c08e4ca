import { formatPrefix, prefixOf } from "../../address/prefix.ts";
import { parseAddress } from "../../address/parse-address.ts";
import type { CtiDataset } from "../../cti/dataset.ts";
import type { CtiRecord } from "../../cti/fields.ts";
import type { MatchId } from "../../table/match-id.ts";
import type { BarColor } from "./bars.ts";
import { oneLine } from "../runner/one-line.ts";
import { countedBy, type CountedSection, type SnapshotCounts } from "./snapshot-counts.ts";

/** Lines by classification, actor and tag of the most specific prefix. A line counts once for each of its tags. */
export function ctiCounts(dataset: CtiDataset): SnapshotCounts {
  const section = (
    [one, all]: readonly [string, string],
    color: BarColor,
    perMatch: Float64Array,
    keysOf: (record: CtiRecord) => readonly string[],
  ): CountedSection => ({
    one,
    all,
    color,
    entries: countedBy(
      perMatch,
      (match) => keysOf(dataset.recordOf(match)),
      (key) => ({ key, name: null, shown: oneLine(key), members: { [one]: key } }),
    ),
  });
  return {
    sections: (perMatch) => [
      section(["classification", "classifications"], "red", perMatch, ({ classification }) => [classification]),
      section(["actor", "actors"], "magenta", perMatch, ({ actor }) => (actor === "" ? [] : [actor])),
      section(["tag", "tags"], "cyan", perMatch, ({ tags }) => tags),
    ],
    members(address, match) {
      const { ip: _, seen, ...known } = dataset.documentOf(address, match);
      return { seen, cidr: match === 0 ? null : cidrOf(dataset, address, match), ...known };
    },
    words(address, match) {
      const { classification, actor, tags } = dataset.documentOf(address, match);
      return match === 0 ? "" : [classification, ...(actor === "" ? [] : [actor]), ...tags].map(oneLine).join(", ");
    },
  };
}

function cidrOf({ table }: CtiDataset, address: string, match: MatchId): string {
  return formatPrefix(prefixOf(parseAddress(address), table.prefixLength(match)));
}
