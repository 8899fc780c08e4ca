import { RuleError } from "../../rulesets/rule-error.ts";
import { checkRuleName } from "../../rulesets/validate-rule.ts";
import { invalid } from "../service-error.ts";

export const MAX_USER_NAME_LENGTH = 100;

/** The name of a user. @throws ServiceError "invalid" */
export function readUserName(text: string): string {
  if (text.length > MAX_USER_NAME_LENGTH) throw invalid({ name: [`use at most ${MAX_USER_NAME_LENGTH} characters`] });
  return readName("name", text);
}

/** The name of an organisation. @throws ServiceError "invalid" */
export function readOrganisationName(text: string): string {
  return readName("organisation", text);
}

/** A name by which someone is recognized: no word of it may look like another word in other letters. */
function readName(field: string, text: string): string {
  const line = readLine(field, text);
  rejectCharacter(field, line, INVISIBLE, "is invisible");
  const mixed = line.match(WORDS)?.find((word) => !ALPHABETS.some((alphabet) => alphabet.test(word)));
  if (mixed === undefined) return line;
  throw invalid({
    [field]: [
      `the word ${JSON.stringify(mixed)} mixes letters of several alphabets, some of which look alike; use one alphabet per word`,
    ],
  });
}

/** One line without spaces around it, displayed in the order in which it is written. @throws ServiceError "invalid" */
export function readLine(field: string, text: string): string {
  if (text.trim() !== text || text === "") throw invalid({ [field]: ["must not be empty or have spaces around it"] });
  const line = checkedLine(field, text);
  rejectCharacter(field, line, REORDERING, "changes the order in which text is shown");
  return line;
}

function rejectCharacter(field: string, line: string, refused: RegExp, why: string): void {
  const at = line.search(refused);
  if (at < 0) return;
  const code = line.codePointAt(at)!.toString(16).toUpperCase().padStart(4, "0");
  throw invalid({ [field]: [`the character U+${code} at position ${at} ${why}; remove it`] });
}

function checkedLine(field: string, text: string): string {
  try {
    return checkRuleName(text);
  } catch (error) {
    if (error instanceof RuleError) throw invalid({ [field]: [error.message] });
    throw error;
  }
}

/** Embeddings, overrides and isolates of the writing direction. */
const REORDERING = /[\u202a-\u202e\u2066-\u2069]/;
/**
 * Formatting characters (including writing directions and joiners), characters that are not drawn or not assigned,
 * spaces other than U+0020, and the Braille blank.
 */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cn}\u2800]|[^\P{Zs} ]/u;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
/**
 * What a word may be written in: one alphabet, or scripts that East Asian languages combine, with Latin letters allowed
 * (UTS #39, section 5.2).
 */
const ALPHABETS = [
  ...["Latin", "Cyrillic", "Greek", "Armenian", "Georgian", "Hebrew", "Arabic", "Cherokee"].map(
    (script) => new RegExp(`^[\\p{scx=${script}}\\p{scx=Common}\\p{scx=Inherited}]*$`, "u"),
  ),
  /^[\p{scx=Latin}\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Common}\p{scx=Inherited}]*$/u,
  /^[\p{scx=Latin}\p{scx=Han}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Common}\p{scx=Inherited}]*$/u,
  // No letter of the other scripts looks like one of these.
  /^[^\p{sc=Latin}\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Armenian}\p{sc=Georgian}\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Cherokee}]*$/u,
];
