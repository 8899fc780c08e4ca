import { useState } from "preact/hooks";
import { get, patch, post, remove } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { confirm } from "../components/confirm.tsx";
import { CopyButton } from "../components/copy.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Field, Form, Select } from "../components/form.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Loaded, Note } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { notify } from "../components/toasts.tsx";
import type { Invitation, Role, User } from "../documents.ts";
import { useLoad } from "../load.ts";
import { session } from "../session.ts";

const ROLES: Readonly<Record<Role, string>> = {
  viewer: "Viewer: sees everything but users and the audit log",
  editor: "Editor: also changes rulesets and rules",
  admin: "Admin: also keys, users and the audit log",
};

/** The open form above the list. */
type Opened =
  | { readonly kind: "invite" }
  | { readonly kind: "role"; readonly user: User }
  | { readonly kind: "link"; readonly user: User; readonly invitation: Invitation };

export default function Users() {
  const users = useLoad((signal) => get("/dashboard/api/users", { signal }));
  const [opened, open] = useState<Opened>();
  const close = (): void => open(undefined);
  const invited = (answer: { user: User; invitation: Invitation }): void => {
    open({ kind: "link", ...answer });
    users.reload();
  };
  return (
    <Page
      title="Users"
      about="People who sign in here. Programs have keys instead."
      actions={
        <Button look="primary" icon="plus" onClick={() => open({ kind: "invite" })}>
          Invite a user
        </Button>
      }
    >
      <Panel flush>
        <Loaded of={users}>
          {({ items }) => (
            <Table
              caption="Users"
              columns={columnsOf(open, invited, users.reload)}
              rows={items}
              keyOf={({ id }) => id}
            />
          )}
        </Loaded>
      </Panel>
      {opened?.kind === "invite" && <Invite onClose={close} onInvited={invited} />}
      {opened?.kind === "role" && <ChangeRole user={opened.user} onClose={close} onChanged={users.reload} />}
      {opened?.kind === "link" && <InvitationLink {...opened} onClose={close} />}
    </Page>
  );
}

type Invited = (answer: { user: User; invitation: Invitation }) => void;

function columnsOf(open: (opened: Opened) => void, invited: Invited, reload: () => void): Column<User>[] {
  const ownId = session.value!.user.id;
  return [
    {
      title: "Name",
      cell: ({ id, name }) => (
        <span class="row">
          <strong class="wrap">{name}</strong>
          {id === ownId && <Badge>you</Badge>}
        </span>
      ),
    },
    { title: "Role", cell: ({ role }) => <Badge kind={role === "admin" ? "accent" : "plain"}>{role}</Badge> },
    {
      title: "Last sign-in",
      cell: ({ invited, last_sign_in_at }) =>
        last_sign_in_at !== null ? (
          <Time at={last_sign_in_at} relative />
        ) : invited ? (
          <Badge kind="warning">invited, not joined yet</Badge>
        ) : (
          <span class="muted">never</span>
        ),
    },
    { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      title: "Actions",
      kind: "actions",
      cell: (user) => (
        <span class="row-actions">
          <Button small aria-label={`Change the role of ${user.name}`} onClick={() => open({ kind: "role", user })}>
            Role
          </Button>
          <Button small aria-label={`New link for ${user.name}`} onClick={() => askToInviteAgain(user, invited)}>
            New link
          </Button>
          <Button small aria-label={`Remove ${user.name}`} onClick={() => askToRemove(user, reload)}>
            Remove
          </Button>
        </span>
      ),
    },
  ];
}

function askToInviteAgain({ id, name, invited: isInvited }: User, invited: Invited): void {
  const text = isInvited
    ? "The previous link stops working."
    : "For a user who forgot their password: the link lets them choose a new one. The current password works until then.";
  confirm({
    title: `A new link for ${name}?`,
    text: <p>{text}</p>,
    action: "Create link",
    run: async () =>
      invited(await post("/dashboard/api/users/{user_id}/invitation", { params: { path: { user_id: id } } })),
  });
}

function askToRemove({ id, name }: User, reload: () => void): void {
  confirm({
    title: `Remove ${name}?`,
    text: <p>They are signed out everywhere and cannot sign in again. Their changes stay in the audit log.</p>,
    action: "Remove the user",
    danger: true,
    run: async () => {
      await remove("/dashboard/api/users/{user_id}", { params: { path: { user_id: id } } });
      notify(`${name} removed.`);
      reload();
    },
  });
}

function Invite({ onClose, onInvited }: { readonly onClose: () => void; readonly onInvited: Invited }) {
  const invite = async ({ name = "", role }: Readonly<Record<string, string>>): Promise<void> =>
    onInvited(await post("/dashboard/api/users", { body: { name, role: role as Role } }));
  return (
    <Dialog title="Invite a user" onClose={onClose}>
      <Form onSubmit={invite} onCancel={onClose} submit="Create invitation">
        <Field
          name="name"
          label="Name"
          hint="Used to sign in, such as an email address. Nothing is sent: you share the link yourself."
          maxLength={100}
          autocomplete="off"
          autofocus
          required
        />
        <Select name="role" label="Role" options={ROLES} />
      </Form>
    </Dialog>
  );
}

function ChangeRole({
  user,
  onClose,
  onChanged,
}: {
  readonly user: User;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}) {
  const change = async ({ role }: Readonly<Record<string, string>>): Promise<void> => {
    const { id } = user;
    await patch("/dashboard/api/users/{user_id}", { params: { path: { user_id: id } }, body: { role: role as Role } });
    const own = session.value!;
    if (id === own.user.id) session.value = { ...own, user: { ...own.user, role: role as Role } };
    notify(`${user.name} is ${role} now.`);
    onClose();
    onChanged();
  };
  return (
    <Dialog title={`The role of ${user.name}`} onClose={onClose}>
      <Form onSubmit={change} onCancel={onClose} submit="Change the role">
        <Select name="role" label="Role" options={ROLES} defaultValue={user.role} />
      </Form>
    </Dialog>
  );
}

function InvitationLink({
  user,
  invitation,
  onClose,
}: {
  readonly user: User;
  readonly invitation: Invitation;
  readonly onClose: () => void;
}) {
  const link = `${location.origin}${location.pathname}#/join?token=${encodeURIComponent(invitation.token)}`;
  return (
    <Dialog title={`A link for ${user.name}`} onClose={onClose}>
      <Note kind="warning">
        Copy the link now and share it privately. It is never shown again, works once, and until{" "}
        <Time at={invitation.expires_at} />.
      </Note>
      <div class="secret">
        <code>{link}</code>
        <CopyButton text={link} label="Copy the link" />
      </div>
      <footer class="dialog-foot">
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
