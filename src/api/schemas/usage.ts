import { Type } from "typebox";
import { AREAS } from "../../store/state.ts";
import { type Window, WINDOWS } from "../../service/usage/traffic-history.ts";
import { Count, named, NullableTimestamp, Timestamp } from "./common.ts";

const RateWindow = named(
  "RateLimitWindow",
  Type.Object({
    area: Type.Enum([...AREAS], { description: "of the plan" }),
    limit: Count,
    remaining: Count,
    reset: Type.Integer({ minimum: 1, description: "seconds until it ends" }),
  }),
);
const Milliseconds = Type.Unsafe<number | null>({ type: ["number", "null"], description: "null without requests" });

const windows = Object.keys(WINDOWS) as Window[];

export const UsageQuery = Type.Object({
  window: Type.Optional(
    Type.Enum(windows, {
      default: "hour",
      description:
        "how far back: 60 steps of a minute, 96 of a quarter of an hour, 168 of an hour, or 180 of four hours",
    }),
  ),
});

export const Usage = named(
  "Usage",
  Type.Object({
    keys: Type.Array(
      Type.Object({
        id: Type.String({ format: "uuid" }),
        label: Type.String(),
        start: Type.String({ description: "the first characters of its text" }),
        state: Type.Enum(["active", "expired"]),
        requests_this_month: Type.Integer({ minimum: 0, description: "answered by all servers" }),
        minute: RateWindow,
        month: RateWindow,
      }),
      {
        description:
          "keys that are not revoked, newest first; the minute and the month are each those of the active plan with the least left",
      },
    ),
    window: Type.Enum(windows),
    step_seconds: Type.Integer({ minimum: 60, description: "the length of a step" }),
    steps: Type.Array(
      Type.Object({
        at: Timestamp,
        requests: Type.Integer({
          minimum: 0,
          description: "to the public API, with any organisation's key or without a key",
        }),
        refused: Type.Integer({ minimum: 0, description: "requests with a response status from 400 to 499" }),
        failed: Type.Integer({ minimum: 0, description: "requests with a response status of 500 and above" }),
        lookups: Type.Integer({ minimum: 0, description: "addresses and prefixes" }),
        p50_ms: Milliseconds,
        p99_ms: Milliseconds,
      }),
      { description: "for all servers together, oldest first" },
    ),
    snapshots: Type.Array(
      Type.Object({
        name: Type.Enum(["catalogue", "threats"]),
        generation: Count,
        created_at: NullableTimestamp,
        loaded_at: NullableTimestamp,
      }),
    ),
    rules: Type.Object({ active: Count, expired: Count }, { description: "of the organisation" }),
  }),
);
