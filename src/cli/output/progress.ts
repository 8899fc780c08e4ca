import { fstatSync } from "node:fs";
import type { Progress } from "../../batch/identify-result.ts";
import { drawBar } from "./bars.ts";
import { byteSize, clock, short } from "./numbers.ts";
import { standardError } from "../runner/standard-error.ts";
import { styleFor } from "./style.ts";

export const PROGRESS_MODES = ["auto", "bar", "json", "none"] as const;
export type ProgressMode = (typeof PROGRESS_MODES)[number];

/** The progress of any work on lines. */
type ShownProgress = Pick<Progress, "bytesRead" | "totalBytes" | "lines" | "elapsed">;

export interface ProgressDisplay {
  update(progress: ShownProgress): void;
  /** Clears the line, so that the next output starts on an empty one. */
  end(): void;
}

const CLEAR_LINE = "\r\x1b[K";
const BAR_COLUMNS = 24;
/** Milliseconds between two lines of `--progress json`. */
const JSON_INTERVAL = 1000;

/**
 * The display for a mode, undefined for none. `auto` draws a bar if stderr is a terminal, unless rows are printed there
 * too (`rowsOnTerminal`): they are their own progress.
 */
export function createProgress(mode: ProgressMode, rowsOnTerminal: boolean): ProgressDisplay | undefined {
  if (mode === "json") return jsonDisplay();
  if (mode === "bar" || (mode === "auto" && !rowsOnTerminal && isTerminal())) return barDisplay();
  return undefined;
}

/** Whether stderr is a terminal. If it is not even a device, no stream is created to find out. */
function isTerminal(): boolean {
  return fstatSync(2).isCharacterDevice() && process.stderr.isTTY;
}

function barDisplay(): ProgressDisplay {
  const style = styleFor(process.stderr);
  let isDrawn = false;
  return {
    update(progress) {
      const [bar, facts] = barTexts(progress);
      const columns = process.stderr.columns ?? 80;
      const fits = bar.length + facts.length < columns;
      standardError().write(`${CLEAR_LINE}${fits ? style("green", bar) + facts : facts.slice(0, columns - 1)}`);
      isDrawn = true;
    },
    end() {
      if (isDrawn) standardError().write(CLEAR_LINE);
      isDrawn = false;
    },
  };
}

function barTexts(progress: ShownProgress): [bar: string, facts: string] {
  const { bytesRead, totalBytes, lines } = progress;
  const { linesPerSecond, secondsLeft } = estimate(progress);
  const speed = `${short(lines)} lines  ${short(linesPerSecond)} lines/s`;
  if (totalBytes === null || secondsLeft === null) return ["", `${byteSize(bytesRead)}  ${speed}`];
  const share = Math.min(1, bytesRead / totalBytes);
  const size = `${byteSize(bytesRead)} of ${byteSize(totalBytes)}`;
  const bar = ` ${drawBar(share, BAR_COLUMNS).padEnd(BAR_COLUMNS)} `;
  return [bar, `${String(Math.floor(share * 100)).padStart(3)} %  ${size}  ${speed}  ${clock(secondsLeft)} left`];
}

function jsonDisplay(): ProgressDisplay {
  let shownAt = -Infinity;
  let last: ShownProgress | undefined;
  const show = (progress: ShownProgress): void => {
    const { linesPerSecond, secondsLeft } = estimate(progress);
    standardError().write(
      `${JSON.stringify({ ...progress, linesPerSecond: Math.round(linesPerSecond), secondsLeft })}\n`,
    );
    shownAt = progress.elapsed;
    last = undefined;
  };
  return {
    update(progress) {
      last = progress;
      if (progress.elapsed - shownAt >= JSON_INTERVAL) show(progress);
    },
    end() {
      if (last !== undefined) show(last);
    },
  };
}

/** From the average so far; the time left is null if the total is unknown. */
function estimate({ bytesRead, totalBytes, lines, elapsed }: ShownProgress): {
  linesPerSecond: number;
  secondsLeft: number | null;
} {
  const linesPerSecond = elapsed === 0 ? 0 : (lines * 1000) / elapsed;
  if (totalBytes === null || bytesRead === 0) return { linesPerSecond, secondsLeft: null };
  const secondsLeft = Math.max(0, ((totalBytes - bytesRead) * elapsed) / bytesRead / 1000);
  return { linesPerSecond, secondsLeft: Math.round(secondsLeft * 10) / 10 };
}
