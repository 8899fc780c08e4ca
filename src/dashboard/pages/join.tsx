import { post } from "../api.ts";
import { Form } from "../components/form.tsx";
import { Gate } from "../components/gate.tsx";
import { newPasswordIn, NewPassword } from "../components/new-password.tsx";
import type { PageProps } from "../components/page.tsx";
import { Note } from "../components/states.tsx";
import { navigate } from "../router.ts";
import { session } from "../session.ts";

/** The page of an invitation: its user chooses a password. */
export default function Join({ query }: PageProps) {
  const token = query.get("token") ?? "";
  const join = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const password = newPasswordIn(values);
    session.value = await post("/dashboard/api/join", { body: { token, password } });
    navigate("#/", { replace: true });
  };
  return (
    <Gate title="Join" about="You have been invited. Choose a password to sign in with.">
      {token === "" ? (
        <Note kind="bad">
          The link is incomplete: its token is missing. Copy the whole link, or ask for a new invitation.
        </Note>
      ) : (
        <Form onSubmit={join} submit="Join">
          <NewPassword autofocus />
        </Form>
      )}
    </Gate>
  );
}
