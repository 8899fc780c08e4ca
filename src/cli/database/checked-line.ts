import { readLine } from "../../service/access/read-user.ts";
import { ServiceError } from "../../service/service-error.ts";
import { UsageError } from "../runner/usage-error.ts";

/** An operand that is one line of text, by the rules of the service. @throws UsageError */
export function checkedLine(operand: string, text: string): string {
  try {
    return readLine(operand, text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(`${operand}: ${error.fields?.[operand]?.join("; ") ?? error.message}`);
  }
}
