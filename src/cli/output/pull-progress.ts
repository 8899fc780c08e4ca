import { drawBar } from "./bars.ts";
import { byteSize } from "./numbers.ts";
import type { ProgressMode } from "./progress.ts";
import { standardError } from "../runner/standard-error.ts";
import { styleFor } from "./style.ts";

const CLEAR_LINE = "\r\x1b[K";
const BAR_COLUMNS = 24;
/** Milliseconds between two reports. */
const INTERVAL = { bar: 100, json: 1000 };

export interface PullProgress {
  /** `total` is null while it is not known. */
  show(bytes: number, total: number | null): void;
  end(): void;
}

/** As of logs: a bar on a terminal, or a line of JSON each second; undefined for none. */
export function createPullProgress(mode: ProgressMode): PullProgress | undefined {
  if (mode === "json")
    return {
      show: atMostEvery(INTERVAL.json, (bytes, total) => {
        standardError().write(`${JSON.stringify({ bytes, total })}\n`);
      }),
      end: () => {},
    };
  if (mode !== "bar" && !(mode === "auto" && process.stderr.isTTY)) return undefined;
  const style = styleFor(process.stderr);
  return {
    show: atMostEvery(INTERVAL.bar, (bytes, total) => {
      const bar = total === null ? "" : drawBar(bytes / total, BAR_COLUMNS).padEnd(BAR_COLUMNS);
      const facts = total === null ? byteSize(bytes) : `${byteSize(bytes)} of ${byteSize(total)}`;
      standardError().write(`${CLEAR_LINE} ${style("green", bar)} ${facts}`);
    }),
    end: () => void standardError().write(CLEAR_LINE),
  };
}

/** The last one, with all bytes, is always shown. */
function atMostEvery(interval: number, show: PullProgress["show"]): PullProgress["show"] {
  let shownAt = -Infinity;
  return (bytes, total) => {
    if (bytes !== total && performance.now() - shownAt < interval) return;
    shownAt = performance.now();
    show(bytes, total);
  };
}
