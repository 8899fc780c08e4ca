import { Type } from "typebox";
import { MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import { AREAS, ROLES } from "../../store/state.ts";
import { MAX_USER_NAME_LENGTH } from "../../service/access/read-user.ts";
import type { LiveSession } from "../../service/store/service-memory.ts";
import type { Services } from "../../service/services.ts";
import {
  Count,
  type DocumentOf,
  IdAndName,
  named,
  NullableTimestamp,
  strict,
  timeOrNull,
  Timestamp,
} from "./common.ts";

const MIN_PASSWORD_LENGTH = 10;
const MAX_PASSWORD_LENGTH = 500;
const TOKEN_CHARACTERS = 43;

export const Role = named(
  "Role",
  Type.Enum([...ROLES], { description: "viewers read, editors also write rulesets, admins do everything" }),
);
export const UserName = Type.String({
  minLength: 1,
  maxLength: MAX_USER_NAME_LENGTH,
  description: "without control characters; case is ignored at sign-in",
  examples: ["ann@example.org"],
});
const NewPassword = Type.String({ minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH, format: "password" });
/** Any length: how long new passwords must be says nothing about one that was set earlier. */
const Password = Type.String({ maxLength: MAX_PASSWORD_LENGTH, format: "password" });
const Token = Type.String({ maxLength: TOKEN_CHARACTERS, description: "of the link" });

export const SessionSchema = named(
  "Session",
  Type.Object({
    user: Type.Object({ id: Type.String({ format: "uuid" }), name: Type.String(), role: Role }),
    organisation: IdAndName,
    plans: Type.Array(
      Type.Object({
        area: Type.Enum([...AREAS]),
        active: Type.Boolean({ description: "at the moment" }),
        until: NullableTimestamp,
      }),
    ),
    created_at: Timestamp,
    expires_at: Timestamp,
    settings: Type.Object(
      {
        bulk_addresses: Count,
        rules_per_ruleset: Count,
        body_bytes: Count,
        bulk_body_bytes: Count,
        allow_special_purpose: Type.Boolean(),
      },
      { description: "limits of the server" },
    ),
  }),
);

/** What a page needs to know about the signed-in user, as of `now`. */
export function sessionDocument(
  { session, user }: LiveSession,
  { memory, settings }: Services,
  now: number,
): DocumentOf<typeof SessionSchema> {
  const { id, name, role, organisationId } = user;
  const plans = AREAS.map((area) => {
    const plan = memory.plan(organisationId, area);
    const until = plan?.until ?? null;
    return {
      area,
      active: plan !== undefined && plan.active && (until === null || now < until),
      until: timeOrNull(until),
    };
  });
  return {
    user: { id, name, role },
    organisation: { id: organisationId, name: memory.organisation(organisationId)?.name ?? "" },
    plans,
    created_at: formatTimestamp(session.createdAt),
    expires_at: formatTimestamp(session.expiresAt),
    settings: {
      bulk_addresses: settings.bulkAddresses,
      rules_per_ruleset: settings.rulesPerRuleset,
      body_bytes: settings.bodyBytes,
      bulk_body_bytes: settings.bulkBodyBytes,
      allow_special_purpose: settings.specialPurpose,
    },
  };
}

export const Setup = named(
  "Setup",
  Type.Object({ needed: Type.Boolean({ description: "whether the first user is yet to be created" }) }),
);
export const SetupBody = named(
  "SetupRequest",
  Type.Object(
    {
      token: Token,
      organisation: Type.String({
        minLength: 1,
        maxLength: MAX_NAME_LENGTH,
        description: "an existing one, or a new one",
      }),
      name: UserName,
      password: NewPassword,
    },
    strict,
  ),
);
export const SignInBody = named(
  "SignInRequest",
  Type.Object({ name: Type.String({ maxLength: MAX_USER_NAME_LENGTH }), password: Password }, strict),
);
export const JoinBody = named("JoinRequest", Type.Object({ token: Token, password: NewPassword }, strict));
export const PasswordBody = named(
  "PasswordRequest",
  Type.Object({ password: Password, new_password: NewPassword }, strict),
);
