import { Problem } from "../problem.ts";
import { Field } from "./form.tsx";

/** A password that is typed twice, in fields `name` and `repeated`. */
export function NewPassword({ name = "password", label = "Password" }: { readonly name?: string; readonly label?: string }) {
  return (
    <>
      <Field name={name} label={label} type="password" autocomplete="new-password" required hint="At least 10 characters. Several unrelated words are hard to guess and easy to remember." />
      <Field name="repeated" label="The same again" type="password" autocomplete="new-password" required />
    </>
  );
}

/** @throws Problem where the second one is another than the first */
export function checkRepeated({ repeated }: Readonly<Record<string, string>>, password: string | undefined): void {
  if (repeated !== password) throw new Problem(400, { validation_errors: { repeated: ["this is not the same password"] } });
}
