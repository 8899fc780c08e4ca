import { Type } from "typebox";
import { named, Nullable, NullableText, Timestamp, WholeNumber } from "./common.ts";

export const ChangeParameters = Type.Object({
  sequence: WholeNumber({ minimum: 1, description: "the number of a change, as in listAudit" }),
});

export const UndoQuery = Type.Object({
  sequence: Type.Optional(
    WholeNumber({
      minimum: 1,
      description: "of the change to undo; if another has been made since, the response is 409",
    }),
  ),
});

export const UndoableChange = named(
  "UndoableChange",
  Type.Object({
    sequence: Type.Integer({ minimum: 1 }),
    at: Timestamp,
    kind: Type.String({ description: "the kind of change, such as delete-rule" }),
    ruleset_id: NullableText({ format: "uuid" }),
    ruleset_name: NullableText(),
    summary: Type.String({ examples: ["deleted 198.51.100.7"] }),
    can_undo: Type.Boolean(),
    reason: NullableText({ description: "why it cannot be undone" }),
  }),
);

export const LastChange = named("LastChange", Type.Object({ change: Nullable(UndoableChange) }));
export const Undone = named("Undone", Type.Object({ undone: UndoableChange }));
