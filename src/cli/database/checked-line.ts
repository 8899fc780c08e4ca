import { readLine } from "../../service/access/read-user.ts";
import { ServiceError } from "../../service/service-error.ts";
import { UsageError } from "../runner/usage-error.ts";

/** An operand that is one line of text, by the rules of the service. @throws UsageError */
export function checkedLine(operand: string, text: string): string {
  return readAs(operand, operand, () => readLine(operand, text));
}

/** What the service reads as `field` is an operand or option here, and its errors are about that. @throws UsageError */
export function readAs<Value>(what: string, field: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    throw new UsageError(`${what}: ${error.fields?.[field]?.join("; ") ?? error.message}`);
  }
}
