import { type ComponentChildren, createContext, type HTMLAttributes, type SelectHTMLAttributes } from "preact";
import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Problem, problemOf } from "../problem.ts";
import { Button } from "./button.tsx";
import { ProblemNote } from "./states.tsx";

type FieldErrors = Readonly<Record<string, readonly string[]>>;

const FormErrors = createContext<FieldErrors>({});

interface FormProps {
  /**
   * Gets the entered values, by the fields' names. If it rejects, the errors are shown at the fields they name, or
   * above them.
   */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly submit: string;
  readonly onCancel?: (() => void) | undefined;
  readonly danger?: boolean;
  /** It cannot be submitted yet, and why. */
  readonly disabled?: string | undefined;
  readonly children: ComponentChildren;
}

/** A form that is submitted with its button or Enter, once at a time. */
export function Form({ onSubmit, submit, onCancel, danger = false, disabled, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const why = useId();
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  // The focus moves in the turn that shows the errors: later, it would move while the user types on. The fields are
  // rendered after the form, but in the same turn.
  useLayoutEffect(() => {
    if (problem !== undefined)
      queueMicrotask(() => form.current?.querySelector<HTMLElement>("[aria-invalid=true], .note.bad")?.focus());
  }, [problem]);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy || disabled !== undefined) return;
    setBusy(true);
    const values = Object.fromEntries(
      [...new FormData(form.current!)].filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
    try {
      await onSubmit(values);
      setProblem(undefined);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  // An error for a field that the form does not have is shown above.
  const names = new Set([...(form.current?.elements ?? [])].map((each) => (each as HTMLInputElement).name));
  const isAtFields =
    problem !== undefined &&
    Object.keys(problem.fields).length > 0 &&
    Object.keys(problem.fields).every((name) => names.has(name));
  return (
    <form ref={form} class="form" noValidate onSubmit={(event) => void send(event)}>
      {problem !== undefined && !isAtFields && <ProblemNote problem={problem} />}
      <FormErrors.Provider value={problem?.fields ?? {}}>{children}</FormErrors.Provider>
      <footer class="form-foot">
        {disabled !== undefined && (
          <span class="muted small" id={why}>
            {disabled}
          </span>
        )}
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button
          type="submit"
          look={danger ? "danger" : "primary"}
          busy={isBusy}
          disabled={disabled !== undefined}
          aria-describedby={disabled === undefined ? undefined : why}
        >
          {submit}
        </Button>
      </footer>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly optional?: boolean;
}

/** The attributes that a control needs. */
interface Tied {
  readonly id: string;
  readonly name: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

/**
 * The label, hint and errors of a field, and the attributes that associate them with its control. `errors`: found here;
 * undefined: those of the rejected form.
 */
function Frame({
  name,
  label,
  hint,
  optional = false,
  errors: own,
  children,
}: FieldProps & {
  readonly errors?: readonly string[] | undefined;
  readonly children: (tied: Tied) => ComponentChildren;
}) {
  const id = useId();
  const given = useContext(FormErrors)[name] ?? [];
  const errors = own ?? given;
  const described = [errors.length > 0 && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean).join(" ");
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="muted"> (optional)</span>}
      </label>
      {children({
        id,
        name,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": errors.length > 0 || undefined,
      })}
      {errors.length > 0 && (
        <p class="field-error" id={`${id}-error`}>
          {errors.join("; ")}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** The types of text that a field can have; the package's own type requires one more property for each of them. */
interface InputAttributes extends Other<HTMLAttributes<HTMLInputElement>> {
  readonly type?: "text" | "password" | "date" | "number" | "search" | "email" | "datetime-local";
  readonly value?: string;
  readonly defaultValue?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly placeholder?: string;
  readonly min?: string | number;
  readonly max?: string | number;
  readonly maxLength?: number;
}

type Other<Attributes> = Omit<Attributes, keyof FieldProps | "id" | "role" | "children">;

export function Field({ name, label, hint, optional, ...input }: FieldProps & InputAttributes) {
  return (
    <Frame {...{ name, label, hint, optional: optional ?? false }}>
      {(tied) => <input {...(input as object)} {...tied} />}
    </Frame>
  );
}

/** The label of a credential, which users choose to recognize it. */
export function LabelField({ hint, defaultValue = "" }: { readonly hint: string; readonly defaultValue?: string }) {
  return (
    <Field
      name="label"
      label="Label"
      {...{ hint, defaultValue }}
      maxLength={200}
      autocomplete="off"
      autofocus
      required
    />
  );
}

/**
 * A field that is validated here: `check` returns what is wrong with a value, as soon as the user leaves the field and
 * until it is right.
 */
export function CheckedField({
  name,
  label,
  hint,
  optional,
  check,
  ...input
}: FieldProps & InputAttributes & { readonly check: (value: string) => string | undefined }) {
  const given = useContext(FormErrors)[name];
  // Errors of the rejected form are shown until something else is typed.
  const [found, setFound] = useState<{ readonly after: typeof given; readonly errors: readonly string[] }>();
  const errors = found?.after === given ? found?.errors : undefined;
  const look = (value: string): void => {
    const error = value === "" ? undefined : check(value);
    setFound({ after: given, errors: error === undefined ? [] : [error] });
  };
  return (
    <Frame {...{ name, label, hint, optional: optional ?? false, errors }}>
      {(tied) => (
        <input
          {...(input as object)}
          {...tied}
          onBlur={(event) => look(event.currentTarget.value)}
          onInput={(event) => tied["aria-invalid"] === true && look(event.currentTarget.value)}
        />
      )}
    </Frame>
  );
}

/** `options`: the values to send, and their texts. */
export function Select({
  name,
  label,
  hint,
  optional,
  options,
  defaultValue,
  ...select
}: FieldProps & { readonly options: Readonly<Record<string, string>> } & Other<SelectHTMLAttributes>) {
  return (
    <Frame {...{ name, label, hint, optional: optional ?? false }}>
      {(tied) => (
        <select {...select} {...tied}>
          {Object.entries(options).map(([value, text]) => (
            <option
              key={value}
              value={value}
              selected={defaultValue === undefined ? undefined : value === defaultValue}
            >
              {text}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}
