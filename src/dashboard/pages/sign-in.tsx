import { get, post } from "../api.ts";
import { Field, Form } from "../components/form.tsx";
import { Gate } from "../components/gate.tsx";
import { Note } from "../components/states.tsx";
import { useLoad } from "../load.ts";
import { hasExpired, session } from "../session.ts";

/** Shown instead of any page until the user has signed in. */
export function SignIn() {
  const { data: setup } = useLoad((signal) => get("/dashboard/api/setup", { signal }));
  const signIn = async ({ name = "", password = "" }: Readonly<Record<string, string>>): Promise<void> => {
    session.value = await post("/dashboard/api/session", { body: { name, password } });
    hasExpired.value = false;
  };
  return (
    <Gate title="Sign in">
      {setup?.needed === true && <Note>No users yet. Open the setup link the server printed at start-up.</Note>}
      {hasExpired.value && <Note>Your session has ended. Sign in to continue where you left off.</Note>}
      <Form onSubmit={signIn} submit="Sign in">
        <Field name="name" label="Name" autocomplete="username" autofocus required />
        <Field name="password" label="Password" type="password" autocomplete="current-password" required />
      </Form>
    </Gate>
  );
}
