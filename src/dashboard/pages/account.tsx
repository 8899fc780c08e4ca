import { useState } from "preact/hooks";
import { put } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Field, Form } from "../components/form.tsx";
import { newPasswordIn, NewPassword } from "../components/new-password.tsx";
import { Page, Panel } from "../components/page.tsx";
import { Time } from "../components/time.tsx";
import { notify } from "../components/toasts.tsx";
import { session } from "../session.ts";
import { Plans } from "../components/plans.tsx";

export default function Account() {
  const { user, organisation, created_at, expires_at } = session.value!;
  return (
    <Page title="Your account">
      <div class="columns">
        <Panel title="You">
          <dl class="facts">
            <dt>Name</dt>
            <dd>{user.name}</dd>
            <dt>Role</dt>
            <dd>
              <Badge kind="accent">{user.role}</Badge>
            </dd>
            <dt>Organisation</dt>
            <dd>{organisation.name}</dd>
            <dt>Plans</dt>
            <dd>
              <Plans />
            </dd>
            <dt>Signed in</dt>
            <dd>
              <Time at={created_at} />, until <Time at={expires_at} /> at the latest
            </dd>
          </dl>
        </Panel>
        <Panel title="Change your password">
          <ChangePassword />
        </Panel>
      </div>
    </Page>
  );
}

function ChangePassword() {
  // A form that was submitted is replaced by an empty one.
  const [round, setRound] = useState(0);
  const change = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { password = "" } = values;
    const new_password = newPasswordIn(values, "new_password");
    await put("/dashboard/api/session/password", { body: { password, new_password } });
    notify("Password changed. You are signed out everywhere else.");
    setRound(round + 1);
  };
  return (
    <Form key={round} onSubmit={change} submit="Change password">
      <input
        type="text"
        name="username"
        autocomplete="username"
        value={session.value!.user.name}
        class="hidden"
        tabIndex={-1}
        aria-hidden="true"
        readOnly
      />
      <Field name="password" label="Current password" type="password" autocomplete="current-password" required />
      <NewPassword name="new_password" label="New password" />
    </Form>
  );
}
