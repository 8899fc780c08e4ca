import { Type } from "typebox";
import { formatTimestamp } from "../../time/format-timestamp.ts";
import type { User } from "../../store/state.ts";
import { Count, named, NullableTimestamp, strict, Timestamp } from "./common.ts";
import { Role, UserName } from "./session.ts";

export const UserSchema = named(
  "User",
  Type.Object({
    id: Type.String({ format: "uuid" }),
    name: Type.String(),
    role: Role,
    created_at: Timestamp,
    last_sign_in_at: NullableTimestamp,
    invited: Type.Boolean({ description: "whether there is an invitation that can be accepted" }),
  }),
);

export function userDocument({ id, name, role, createdAt, lastSignInAt, invitedUntil }: User, now: number) {
  const invited = invitedUntil !== null && now < invitedUntil;
  return {
    id,
    name,
    role,
    created_at: formatTimestamp(createdAt),
    last_sign_in_at: lastSignInAt === null ? null : formatTimestamp(lastSignInAt),
    invited,
  };
}

export const UserList = named("UserList", Type.Object({ items: Type.Array(UserSchema), count: Count }));
export const UserParameters = Type.Object({ user_id: Type.String({ format: "uuid" }) });
export const CreateUserBody = named("CreateUserRequest", Type.Object({ name: UserName, role: Role }, strict));
export const UpdateUserBody = named("UpdateUserRequest", Type.Object({ role: Role }, strict));

export const InvitedUser = named(
  "InvitedUser",
  Type.Object({
    user: UserSchema,
    invitation: Type.Object({
      token: Type.String({ description: "for the link /#/join?token=...; it is not shown again" }),
      expires_at: Timestamp,
    }),
  }),
);
