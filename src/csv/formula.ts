/**
 * A text that a spreadsheet takes for a formula: a text that begins with `=`, `+`, `-` or `@`, in full width or small
 * form too. Spaces and characters that no one sees are passed over, since some programs drop them: a byte order mark, a
 * no-break or zero-width space.
 */
const FORMULA =
  "^[\\p{White_Space}\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}]*[=+\\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]";
/** Made when it is first needed: the classes of characters take most of a millisecond. */
let formula: RegExp | undefined;
/** A tab or a carriage return moves to another cell or line, whatever follows. */
const OTHER_CELL = /^[\t\r]/;

/** Whether a cell with this text would be run rather than shown. */
export function isFormula(text: string): boolean {
  formula ??= new RegExp(FORMULA, "u");
  return formula.test(text) || OTHER_CELL.test(text);
}
