import type { ComponentChildren, ComponentProps } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/confirm.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Form } from "../components/form.tsx";
import { ShownOnce } from "../components/shown-once.tsx";
import type { Column } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { notify } from "../components/toasts.tsx";
import { hasRole } from "../session.ts";

// What pages of all kinds of credentials have in common.

interface NewCredentialProps<Made> {
  readonly title: string;
  readonly submit: string;
  /** Why it cannot be created yet. */
  readonly disabled?: string | undefined;
  readonly create: (values: Readonly<Record<string, string>>) => Promise<Made>;
  readonly shown: (made: Made) => Omit<ComponentProps<typeof ShownOnce>, "onClose">;
  readonly onClose: () => void;
  readonly onCreated: () => void;
  /** The fields. */
  readonly children: ComponentChildren;
}

/** A form that creates a credential, and then its text, which is shown once. */
export function NewCredential<Made>(props: NewCredentialProps<Made>) {
  const { title, submit, disabled, create, shown, onClose, onCreated, children } = props;
  const [made, setMade] = useState<Made>();
  if (made !== undefined) return <ShownOnce {...shown(made)} onClose={onClose} />;
  const createOne = async (values: Readonly<Record<string, string>>): Promise<void> => {
    setMade(await create(values));
    onCreated();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={createOne} onCancel={onClose} submit={submit} disabled={disabled}>
        {children}
      </Form>
    </Dialog>
  );
}

interface Listed {
  readonly id: string;
  readonly label: string;
  readonly state: string;
  readonly created_at: string;
}

export const LABEL = { title: "Label", cell: ({ label }: Listed) => <strong class="wrap">{label}</strong> };
/** Of one that does not expire. */
export const STATE = {
  title: "State",
  cell: ({ state }: Listed) => <Badge kind={state === "active" ? "good" : "plain"}>{state}</Badge>,
};
export const CREATED = { title: "Created", cell: ({ created_at: at }: Listed) => <Time at={at} relative /> };

/** The last column, for admins. `more`: what else can be done to one. */
export function actionsOf<One extends Listed>(
  revoke: (one: One) => void,
  more: (one: One) => ComponentChildren = () => null,
): Column<One>[] {
  if (!hasRole("admin")) return [];
  const cell = (one: One) =>
    one.state === "active" && (
      <>
        {more(one)}
        <Button small aria-label={`Revoke ${one.label}`} onClick={() => revoke(one)}>
          Revoke
        </Button>
      </>
    );
  return [{ title: "Actions", kind: "actions", cell }];
}

/** Asks before one is revoked. `what` it is, and `text` says what follows for its holder. */
export function askToRevoke(
  { label }: Listed,
  {
    what,
    text,
    run,
  }: { readonly what: string; readonly text: ComponentChildren; readonly run: () => Promise<unknown> },
  reload: () => void,
): void {
  confirm({
    title: `Revoke "${label}"?`,
    text: <p>{text} This cannot be undone.</p>,
    action: `Revoke the ${what}`,
    danger: true,
    run: async () => {
      await run();
      notify(`"${label}" revoked.`);
      reload();
    },
  });
}
