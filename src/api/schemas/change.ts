import { Type } from "typebox";
import { ACCESS_LEVELS } from "../../store/records/credential.ts";
import { PURPOSES } from "../../store/state.ts";
import { CHANGE_TYPES } from "../../service/changes/change-types.ts";
import { Count, IdAndName, named, NullableTimestamp, Timestamp, WholeNumber } from "./common.ts";
import { RuleSchema } from "./rule.ts";

export const DEFAULT_CHANGES = 1000;
const MAX_CHANGES = 10_000;

export const ChangesQuery = Type.Object({
  after: Type.Optional(
    WholeNumber({ minimum: 0, default: 0, description: "the number of the last change that is known" }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_CHANGES,
      default: DEFAULT_CHANGES,
      description: "how many changes a JSON response has at most",
    }),
  ),
  feed: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        "the `feed` that `after` belongs to: if the database has been restored from a backup since, the response is 410",
    }),
  ),
});

const Sequence = Type.Integer({ minimum: 0, format: "int64" });

const ChangeSchema = named(
  "Change",
  Type.Object({
    sequence: Type.Integer({
      minimum: 1,
      format: "int64",
      description: "the changes of an organisation are numbered without gaps, in the order in which they were made",
    }),
    at: Timestamp,
    type: Type.Enum([...CHANGE_TYPES]),
    ruleset_id: Type.Optional(Type.String({ format: "uuid", description: "of changes of rules and rulesets" })),
    rule: Type.Optional(RuleSchema),
    ruleset: Type.Optional(
      Type.Object({ name: Type.String(), purpose: Type.Enum([...PURPOSES]), description: Type.String() }),
    ),
    deployment: Type.Optional(IdAndName),
    last_accessed: Type.Optional({
      ...NullableTimestamp,
      description: "of a deployment whose list no device fetches any more: when one last did",
    }),
    list: Type.Optional(
      // Without a name of its own, generators call it `ChangeList`.
      named(
        "ChangedList",
        Type.Object(
          {
            generation: Type.Optional(Type.Integer({ description: "of a list that was published" })),
            number: Type.Optional(Type.Integer({ description: "of a list that was refused" })),
            reasons: Type.Optional(Type.Array(Type.Object({ code: Type.String(), message: Type.String() }))),
            ipv4_entries_count: Count,
            ipv6_entries_count: Count,
          },
          { description: "the list of the deployment" },
        ),
      ),
    ),
    external_list: Type.Optional(
      Type.Object(
        {
          id: Type.String({ format: "uuid" }),
          name: Type.String(),
          generation: Type.Integer({
            minimum: 0,
            description: "increases by one whenever the content changes; 0: no content yet",
          }),
          ipv4_entries_count: Type.Optional(Count),
          ipv6_entries_count: Type.Optional(Count),
          added_count: Type.Optional(Count),
          removed_count: Type.Optional(Count),
          problem: Type.Optional(
            Type.Object(
              { kind: Type.Enum(["failed", "refused"]), code: Type.String(), message: Type.String() },
              { description: "why the latest fetch changed nothing: it failed, or the fetched list was refused" },
            ),
          ),
        },
        { description: "an external list whose content has changed, or whose fetches have begun to fail" },
      ),
    ),
    key: Type.Optional(
      Type.Object({
        id: Type.String({ format: "uuid" }),
        label: Type.String(),
        access: Type.Enum([...ACCESS_LEVELS]),
        expires_at: NullableTimestamp,
      }),
    ),
    catalogue: Type.Optional(
      Type.Object({
        prefixes: Type.Optional(Count),
        added: Type.Optional(Count),
        removed: Type.Optional(Count),
        created_at: Type.Optional(Timestamp),
      }),
    ),
    webhook: Type.Optional(
      Type.Object(
        { id: Type.String({ format: "uuid" }), host: Type.String(), reason: Type.Enum(["gone", "failing"]) },
        { description: "an endpoint to which the server has stopped delivering" },
      ),
    ),
  }),
);

export const ChangeList = named(
  "ChangeList",
  Type.Object({
    feed: Type.String({ description: "the id of the feed; after a restore from a backup, it is another one" }),
    sequence: Type.Integer({ minimum: 0, format: "int64", description: "the number of the last change that there is" }),
    next_after: Type.Integer({
      minimum: 0,
      format: "int64",
      description: "`after` of the next request; equal to `sequence` when there are no more changes",
    }),
    changes: Type.Array(ChangeSchema),
  }),
);

/** What a problem of the kind "gone" has if the changes are no longer kept. */
export const GONE_CHANGES = {
  sequence: Type.Optional(
    Type.Integer({
      ...Sequence,
      description: "for changes: the number of the last one; read everything again, then the changes after it",
    }),
  ),
  feed: Type.Optional(Type.String({ description: "for changes: the id of the feed" })),
};
