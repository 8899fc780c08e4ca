import type { FileReport } from "../../update/update-catalogue.ts";
import { drawBar } from "./bars.ts";
import type { ProgressMode } from "./progress.ts";
import { standardError } from "../runner/standard-error.ts";
import { styleFor } from "./style.ts";

const CLEAR_LINE = "\r\x1b[K";
const BAR_COLUMNS = 24;

export interface UpdateProgress {
  show(report: FileReport, done: number, total: number): void;
  end(): void;
}

/** As of logs: a bar on a terminal, or a line of JSON for each list; undefined for none. */
export function createUpdateProgress(mode: ProgressMode): UpdateProgress | undefined {
  if (mode === "json")
    return {
      show: (report, done, total) => void standardError().write(`${JSON.stringify({ done, total, ...report })}\n`),
      end: () => {},
    };
  if (mode !== "bar" && !(mode === "auto" && process.stderr.isTTY)) return undefined;
  const style = styleFor(process.stderr);
  return {
    show({ path, outcome }, done, total) {
      const bar = drawBar(done / total, BAR_COLUMNS).padEnd(BAR_COLUMNS);
      const facts = ` ${done} of ${total} lists  ${path} ${outcome}`.slice(
        0,
        (process.stderr.columns ?? 80) - BAR_COLUMNS - 2,
      );
      standardError().write(`${CLEAR_LINE} ${style("green", bar)}${facts}`);
    },
    end: () => void standardError().write(CLEAR_LINE),
  };
}
