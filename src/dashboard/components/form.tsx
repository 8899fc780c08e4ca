import { type ComponentChildren, createContext, type HTMLAttributes, type SelectHTMLAttributes } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { type Problem, problemOf } from "../problem.ts";
import { Button } from "./button.tsx";
import { ProblemNote } from "./states.tsx";

type Faults = Readonly<Record<string, readonly string[]>>;

const FormFaults = createContext<Faults>({});

interface FormProps {
  /**
   * Given what was typed, by the fields' names. What it rejects with is shown at the fields that it names, or above
   * them.
   */
  readonly onSubmit: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly submit: string;
  readonly onCancel?: (() => void) | undefined;
  readonly danger?: boolean;
  /** It cannot be sent yet. */
  readonly disabled?: boolean;
  readonly children: ComponentChildren;
}

/** A form that is sent by its button or Enter, once at a time. */
export function Form({ onSubmit, submit, onCancel, danger = false, disabled = false, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    if (problem !== undefined) form.current!.querySelector<HTMLElement>("[aria-invalid=true], .note.bad")?.focus();
  }, [problem]);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy || disabled) return;
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
  // A fault of a field that the form does not have is shown above.
  const names = new Set([...(form.current?.elements ?? [])].map((each) => (each as HTMLInputElement).name));
  const isTold =
    problem !== undefined &&
    Object.keys(problem.fields).length > 0 &&
    Object.keys(problem.fields).every((name) => names.has(name));
  return (
    <form ref={form} class="form" noValidate onSubmit={(event) => void send(event)}>
      {problem !== undefined && !isTold && <ProblemNote problem={problem} />}
      <FormFaults.Provider value={problem?.fields ?? {}}>{children}</FormFaults.Provider>
      <footer class="form-foot">
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" look={danger ? "danger" : "primary"} busy={isBusy} disabled={disabled}>
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

/** What a control has to be given. */
interface Tied {
  readonly id: string;
  readonly name: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": boolean | undefined;
}

/**
 * The label, hint and faults of a field, and what ties them to its control. `faults`: found here; undefined: those that
 * the form was rejected with.
 */
function Frame({
  name,
  label,
  hint,
  optional = false,
  faults: own,
  children,
}: FieldProps & {
  readonly faults?: readonly string[] | undefined;
  readonly children: (tied: Tied) => ComponentChildren;
}) {
  const id = useId();
  const given = useContext(FormFaults)[name] ?? [];
  const faults = own ?? given;
  const described = [faults.length > 0 && `${id}-fault`, hint !== undefined && `${id}-hint`].filter(Boolean).join(" ");
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
        "aria-invalid": faults.length > 0 || undefined,
      })}
      {faults.length > 0 && (
        <p class="fault" id={`${id}-fault`}>
          {faults.join("; ")}
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

/** The types of text that a field takes; the package's own type wants one member more for each of them. */
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

/**
 * A field whose faults are found here: `check` says what is wrong with a value as soon as the field is left, and until
 * it is right.
 */
export function CheckedField({
  name,
  label,
  hint,
  optional,
  check,
  ...input
}: FieldProps & InputAttributes & { readonly check: (value: string) => string | undefined }) {
  const [faults, setFaults] = useState<readonly string[]>();
  const given = useContext(FormFaults)[name];
  // What the form was rejected with counts until something else is typed.
  useEffect(() => setFaults(undefined), [given]);
  const look = (value: string): void => {
    const fault = value === "" ? undefined : check(value);
    setFaults(fault === undefined ? [] : [fault]);
  };
  return (
    <Frame {...{ name, label, hint, optional: optional ?? false, faults }}>
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

/** `options`: what is sent, and what is shown for it. */
export function Select({
  name,
  label,
  hint,
  optional,
  options,
  ...select
}: FieldProps & { readonly options: Readonly<Record<string, string>> } & Other<SelectHTMLAttributes>) {
  return (
    <Frame {...{ name, label, hint, optional: optional ?? false }}>
      {(tied) => (
        <select {...select} {...tied}>
          {Object.entries(options).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}
