import { RuleError } from "../rulesets/rule-error.ts";
import { checkRuleName } from "../rulesets/validate-rule.ts";
import { invalid } from "./problem.ts";

export const LONGEST_USER_NAME = 100;

/** The name of a user. @throws Problem (400) */
export function readUserName(text: string): string {
  if (text.length > LONGEST_USER_NAME) throw invalid({ name: [`it has more than ${LONGEST_USER_NAME} characters`] });
  return readLine("name", text);
}

/** The name of an organisation. @throws Problem (400) */
export function readOrganisationName(text: string): string {
  return readLine("organisation", text);
}

/** One line without spaces around it, so that what looks alike is alike. */
export function readLine(field: string, text: string): string {
  try {
    if (text.trim() === text && text !== "") return checkRuleName(text);
  } catch (error) {
    if (error instanceof RuleError) throw invalid({ [field]: [error.message] });
    throw error;
  }
  throw invalid({ [field]: ["it is empty, or has spaces around it"] });
}
