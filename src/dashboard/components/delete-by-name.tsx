import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "./dialog.tsx";
import { Field, Form } from "./form.tsx";
import { Note } from "./states.tsx";

interface Props {
  readonly title: string;
  readonly name: string;
  /** What the user must type, if it is not called a name. */
  readonly label?: string;
  /** The text of the button. */
  readonly action: string;
  readonly onClose: () => void;
  readonly onDelete: () => Promise<unknown>;
  /** What is lost. */
  readonly children: ComponentChildren;
}

/** For what cannot be restored: the user must type its name. */
export function DeleteByName({
  title,
  name,
  label = "Type its name to delete it",
  action,
  onClose,
  onDelete,
  children,
}: Props) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog title={title} onClose={onClose}>
      <Note kind="warning">{children}</Note>
      <Form
        onSubmit={onDelete}
        onCancel={onClose}
        submit={action}
        danger
        disabled={typed.trim() === name.trim() ? undefined : "Type the name first."}
      >
        <Field
          name="typed"
          label={label}
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          placeholder={name}
          autocomplete="off"
          autofocus
        />
      </Form>
    </Dialog>
  );
}
