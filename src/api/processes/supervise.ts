import { constants } from "node:os";
import { firstSignal } from "../end-signals.ts";
import type { LineWriter } from "../line-writer.ts";
import { createLog } from "../plugins/logging.ts";
import { limitsIn } from "../../service/store/limits-in.ts";
import { FileWriter } from "../../store/sqlite/file-writer.ts";
import type { StoreLocation } from "../../store/open-store.ts";
import type { Settings } from "../../service/settings.ts";
import { StartFailure, Supervisor } from "./supervisor.ts";

/** Milliseconds for processes to end after the time for their requests, before they are killed. */
const ENDING = 10_000;
/** Milliseconds for the last lines to be written. */
const LAST_LINES = 2000;

export interface SuperviseOptions {
  readonly processes: number;
  readonly settings: Settings;
  readonly location: StoreLocation;
  readonly logTo: LineWriter;
  readonly printTo: LineWriter;
}

/** Runs a server of several processes until SIGTERM or SIGINT. Resolves with its exit code when all have ended. */
export async function supervise({ location, settings, ...options }: SuperviseOptions) {
  const writer = "file" in location ? await FileWriter.open(location.file, limitsIn(settings)) : undefined;
  try {
    return await superviseWith(writer, { location, settings, ...options });
  } finally {
    await writer?.close();
  }
}

async function superviseWith(
  writer: FileWriter | undefined,
  { processes, settings, logTo, printTo }: SuperviseOptions,
) {
  const supervisor = new Supervisor({ processes, log: createLog(settings.logLevel, logTo), writer });
  process.on("SIGHUP", () => supervisor.reload());
  const written = async (exitCode: number) => {
    const areWritten = await Promise.all([logTo.close(LAST_LINES), printTo.close(LAST_LINES)]);
    return { exitCode, isWritten: !areWritten.includes(false) };
  };
  try {
    printTo.write(await supervisor.start());
  } catch (error) {
    if (error instanceof StartFailure) return written(error.exitCode);
    throw error;
  }
  let exitCode = 0;
  const signal = firstSignal((second) => {
    exitCode = 128 + constants.signals[second];
    supervisor.endAtOnce(second);
  });
  await supervisor.end(await signal, settings.shutdownTimeout * 1000 + ENDING);
  return written(exitCode);
}
