import { formatPrefix, parsePrefix, prefixContains } from "../../address/prefix.ts";
import { ImportError } from "./import-error.ts";
import type { ImportedEntry, ImportedList, Importer, ImportWarning } from "./imported-list.ts";

const PRIVATE = ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"].map((text) => parsePrefix(text));

/**
 * The same list without addresses for private use (RFC 1918), for a publisher that has some of its servers' own in it:
 * no one can be reached at them. Each is reported.
 */
export function withoutPrivate(importer: Importer): Importer {
  return (text): ImportedList => {
    const list = importer(text);
    const left = list.entries.flatMap((entry, at) => (isPrivate(entry) ? [leftOut(entry, at)] : []));
    if (left.length === 0) return list;
    const entries = list.entries.filter((entry) => !isPrivate(entry));
    if (entries.length === 0)
      throw new ImportError("empty", "line 1", "the list contains only addresses for private use");
    return {
      ...list,
      entries,
      warnings: [...list.warnings, ...left.slice(0, 100)],
      warningCounts: { ...list.warningCounts, "left-out": left.length },
    };
  };
}

function isPrivate({ prefix }: ImportedEntry): boolean {
  return PRIVATE.some((block) => prefixContains(block, prefix));
}

function leftOut({ prefix }: ImportedEntry, at: number): ImportWarning {
  const position = `entry ${at + 1}`;
  return {
    code: "left-out",
    position,
    message: `${position}: ${formatPrefix(prefix)} is for private use and is left out`,
  };
}
