import { post } from "../api.ts";
import { Field, Form } from "../components/form.tsx";
import { Gate } from "../components/gate.tsx";
import { newPasswordIn, NewPassword } from "../components/new-password.tsx";
import type { PageProps } from "../components/page.tsx";
import { navigate } from "../router.ts";
import { session } from "../session.ts";

/** Creates the first user of a server, with the link that it prints. */
export default function Setup({ query }: PageProps) {
  const token = query.get("token") ?? "";
  // The link names the only existing organisation: another name would create a second one, without its rulesets and
  // keys.
  const known = query.get("organisation") ?? "";
  const setUp = async (values: Readonly<Record<string, string>>): Promise<void> => {
    const { token: typed = token, organisation = "", name = "" } = values;
    const password = newPasswordIn(values);
    session.value = await post("/dashboard/api/setup", { body: { token: typed.trim(), organisation, name, password } });
    navigate("#/", { replace: true });
  };
  return (
    <Gate title="Set up" about="Creates the first administrator, who can then invite others.">
      <Form onSubmit={setUp} submit="Set up">
        {token === "" && (
          <Field name="token" label="Token" hint="The server printed it at start-up." autocomplete="off" required />
        )}
        <Field
          name="organisation"
          label="Organisation"
          hint="Rulesets, keys and users belong to it. To use an existing organisation, enter its name."
          autocomplete="organization"
          defaultValue={known}
          autofocus={known === ""}
          required
        />
        <Field
          name="name"
          label="Your name"
          hint="Used to sign in."
          autocomplete="username"
          autofocus={known !== ""}
          required
        />
        <NewPassword />
      </Form>
    </Gate>
  );
}
