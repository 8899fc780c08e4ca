import { type PreviousSecret, stillWorking } from "../../store/records/previous-secret.ts";
import type { Arguments, Option } from "../runner/command.ts";
import { wholeNumber } from "../runner/parse-arguments.ts";

const HOUR = 3_600_000;
const DEFAULT_HOURS = 24;

/** `--grace-hours`; `what`: what goes on for that long after something was replaced. */
export function graceOption(what: string, maxHours: number): Option {
  return {
    name: "grace-hours",
    value: "N",
    help: `how long ${what}: 0 to ${maxHours} hours; default: ${DEFAULT_HOURS}. Those replaced earlier keep their own ends; 0 ends all of them`,
  };
}

/** In milliseconds. @throws UsageError */
export function graceOf(args: Arguments, maxHours: number): number {
  const hours = args.value("grace-hours");
  return HOUR * (hours === undefined ? DEFAULT_HOURS : wholeNumber("grace-hours", hours, maxHours, 0));
}

/** When those that were replaced stop working, such as "TIME, TIME"; undefined: none works any more. */
export function endsOf(previous: readonly PreviousSecret[], now: number): string | undefined {
  const ends = stillWorking(previous, now).map(({ until }) => new Date(until).toISOString());
  return ends.length === 0 ? undefined : ends.join(", ");
}
