import { Type } from "typebox";
import { AREAS } from "../../store/state.ts";
import { Count, named, NullableTimestamp, Timestamp } from "./common.ts";

const Window = named("RateLimitWindow", Type.Object({ area: Type.Enum([...AREAS], { description: "of the plan" }), limit: Count, remaining: Count, reset: Type.Integer({ minimum: 1, description: "seconds until it ends" }) }));
const Milliseconds = Type.Unsafe<number | null>({ type: ["number", "null"], description: "null without requests" });

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
        minute: Window,
        month: Window,
      }),
      { description: "those that are not revoked, the newest first; of the minute and the month each that of the active plan that has least left" },
    ),
    minutes: Type.Array(
      Type.Object({
        at: Timestamp,
        requests: Type.Integer({ minimum: 0, description: "of API keys, whoever's" }),
        errors: Type.Integer({ minimum: 0, description: "requests that were answered by a status from 500 on" }),
        lookups: Type.Integer({ minimum: 0, description: "addresses and prefixes" }),
        p50_ms: Milliseconds,
        p99_ms: Milliseconds,
      }),
      { description: "the last 60 of this server, the oldest first" },
    ),
    snapshots: Type.Array(Type.Object({ name: Type.Enum(["catalogue", "threats"]), generation: Count, created_at: NullableTimestamp, loaded_at: NullableTimestamp })),
    rules: Type.Object({ active: Count, expired: Count }, { description: "of the organisation" }),
  }),
);
