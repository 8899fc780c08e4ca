import { Problem } from "../problem.ts";
import { CheckedField, Field } from "./form.tsx";

/** As the server has it. */
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
        check={lengthFault}
        hint={`At least ${MIN_LENGTH} characters. Several unrelated words are hard to guess and easy to remember.`}
      />
      <Field name="repeated" label="Repeat password" type="password" autocomplete="new-password" required />
    </>
  );
}

/**
 * The password that was typed into the field `name`.
 * @throws Problem where it is too short, or was typed differently the second time
 */
export function newPasswordIn(values: Readonly<Record<string, string>>, name = "password"): string {
  const password = values[name] ?? "";
  const fault = lengthFault(password);
  if (fault !== undefined) throw new Problem(400, { validation_errors: { [name]: [fault] } });
  if (values["repeated"] !== password)
    throw new Problem(400, { validation_errors: { repeated: ["The passwords do not match"] } });
  return password;
}

/** Counted in characters, as the server counts. */
function lengthFault(password: string): string | undefined {
  return [...password].length < MIN_LENGTH ? `Use at least ${MIN_LENGTH} characters` : undefined;
}
