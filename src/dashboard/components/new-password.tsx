import { Problem } from "../problem.ts";
import { CheckedField, Field } from "./form.tsx";

/** The server's minimum. */
const MIN_LENGTH = 10;

interface Props {
  readonly name?: string;
  readonly label?: string;
  readonly autofocus?: boolean;
}

/** A password that is typed twice, in fields `name` and `repeated`. */
export function NewPassword({ name = "password", label = "Password", autofocus = false }: Props) {
  return (
    <>
      <CheckedField
        name={name}
        label={label}
        type="password"
        autocomplete="new-password"
        autofocus={autofocus}
        required
        check={lengthError}
        hint={`At least ${MIN_LENGTH} characters. Several unrelated words are hard to guess and easy to remember.`}
      />
      <Field name="repeated" label="Repeat password" type="password" autocomplete="new-password" required />
    </>
  );
}

/**
 * The password in the field `name`.
 * @throws Problem if it is too short, or if the repetition differs
 */
export function newPasswordIn(values: Readonly<Record<string, string>>, name = "password"): string {
  const password = values[name] ?? "";
  const error = lengthError(password);
  if (error !== undefined) throw new Problem(400, { validation_errors: { [name]: [error] } });
  if (values["repeated"] !== password)
    throw new Problem(400, { validation_errors: { repeated: ["The passwords do not match"] } });
  return password;
}

/** Counted in characters, as the server counts. */
function lengthError(password: string): string | undefined {
  return [...password].length < MIN_LENGTH ? `Use at least ${MIN_LENGTH} characters` : undefined;
}
