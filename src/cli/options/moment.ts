import { MomentError, parseMoment } from "../../time/parse-moment.ts";
import { UsageError } from "../runner/usage-error.ts";

/** The time given by an option, or by an operand (null), as by `parseMoment`. Throws UsageError. */
export function momentOf(option: string | null, text: string): Date {
  try {
    return parseMoment(text);
  } catch (error) {
    if (!(error instanceof MomentError)) throw error;
    throw new UsageError(`${option === null ? "" : `--${option} `}${JSON.stringify(text)}: ${error.message}`);
  }
}
