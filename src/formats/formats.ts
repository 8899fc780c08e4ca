import { clickhouse } from "./clickhouse.ts";
import { csv } from "./csv.ts";
import type { ListKind } from "./entry.ts";
import { haproxy } from "./haproxy.ts";
import { ipset } from "./ipset.ts";
import { jsonl, ndjson } from "./json-lines.ts";
import { mmdb } from "./mmdb.ts";
import { nftables } from "./nftables.ts";
import { nginx } from "./nginx.ts";
import { text } from "./text.ts";

/** Every format, by name, in the order in which help and documents name them. */
export const FORMATS = {
  mmdb,
  clickhouse,
  text,
  csv,
  jsonl,
  ndjson,
  nginx,
  haproxy,
  ipset,
  nftables,
} as const;

type Formats = typeof FORMATS;

/** The names of the formats for lists of a kind. */
export type FormatOf<Kind extends ListKind> = {
  [Name in keyof Formats]: Kind extends Formats[Name]["kinds"][number] ? Name : never;
}[keyof Formats];

export function formatsOf<Kind extends ListKind>(kind: Kind): readonly FormatOf<Kind>[] {
  const names = Object.keys(FORMATS) as (keyof Formats)[];
  return names.filter((name): name is FormatOf<Kind> => FORMATS[name].kinds.some((each) => each === kind));
}
