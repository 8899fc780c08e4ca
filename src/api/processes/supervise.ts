import { constants } from "node:os";
import { firstSignal } from "../end-signals.ts";
import { closeWriters, type LineWriter } from "../line-writer.ts";
import { createLog } from "../plugins/logging.ts";
import { limitsIn } from "../../service/store/limits-in.ts";
import { FileWriter } from "../../store/sqlite/file-writer.ts";
import type { StoreLocation } from "../../store/open-store.ts";
import type { Settings } from "../../service/settings.ts";
import { lackOfCores, roomHere } from "./process-room.ts";
import { StartFailure, Supervisor } from "./supervisor.ts";

/** Milliseconds that processes have to end, after the time for their requests, before they are killed. */
const ENDING = 10_000;

export interface SuperviseOptions {
  readonly processes: number;
  readonly settings: Settings;
  readonly location: StoreLocation;
  readonly logTo: LineWriter;
  readonly printTo: LineWriter;
}

/** Runs a server of several processes until SIGTERM or SIGINT. Resolves with its exit code when all have ended. */
export async function supervise({ location, settings, ...options }: SuperviseOptions) {
  let supervisor: Supervisor | undefined;
  // A signal before there is anything to reload must not end the process either.
  process.on("SIGHUP", () => supervisor?.reload());
  const writer = "file" in location ? await FileWriter.open(location.file, limitsIn(settings)) : undefined;
  try {
    const { processes, logTo } = options;
    const log = createLog(settings.logLevel, logTo);
    const lack = lackOfCores(processes, roomHere());
    if (lack !== undefined) log.warn(lack);
    supervisor = new Supervisor({ processes, log, writer });
    const exitCode = await runAll(supervisor, settings, options);
    return { exitCode, isWritten: await closeWriters(logTo, options.printTo) };
  } finally {
    await writer?.close();
  }
}

/** Resolves with the exit code. */
async function runAll(
  supervisor: Supervisor,
  { shutdownTimeout }: Settings,
  { printTo }: Pick<SuperviseOptions, "printTo">,
): Promise<number> {
  let exitCode = 0;
  // Before there are processes, which a signal that ends this one would leave without it in the middle of their start.
  const signal = firstSignal((second) => {
    exitCode = 128 + constants.signals[second];
    supervisor.endAtOnce(second);
  });
  try {
    const text = await Promise.race([supervisor.start(), signal.then(() => undefined)]);
    if (text !== undefined) printTo.write(text);
  } catch (error) {
    if (error instanceof StartFailure) return error.exitCode;
    throw error;
  }
  await supervisor.end(await signal, shutdownTimeout * 1000 + ENDING);
  return exitCode;
}
