import { RuleError } from "../../rulesets/rule-error.ts";
import { parseTimestamp } from "../../rulesets/timestamp.ts";
import { invalid } from "../../service/service-error.ts";

/** The time in a parameter, in milliseconds; undefined if it is absent. @throws ServiceError "invalid" about it */
export function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    return parseTimestamp(text);
  } catch (error) {
    throw error instanceof RuleError ? invalid({ [name]: [error.message] }) : error;
  }
}
