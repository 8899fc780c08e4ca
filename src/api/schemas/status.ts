import { Type } from "typebox";
import { SEVERITIES, SUBJECTS } from "../../service/status/finding.ts";
import { Count, named, NullableText, Timestamp } from "./common.ts";

const Severity = named(
  "Severity",
  Type.Enum([...SEVERITIES], {
    description: "critical: it does not do what it is for; warning: it soon will not; notice: good to know",
  }),
);

const FindingSchema = named(
  "Finding",
  Type.Object({
    severity: Severity,
    code: Type.String({ description: "its kind", examples: ["deployment-refused"] }),
    about: Type.Object({
      type: Type.Enum([...SUBJECTS]),
      id: NullableText({ format: "uuid" }),
      name: Type.String({ description: "of an endpoint of webhooks, its host" }),
    }),
    message: Type.String({ description: "what is wrong: the rest of a sentence that begins with the name" }),
    at: NullableText({ format: "date-time", description: "since when, or when it will happen; null if unknown" }),
    cure: Type.String({ description: "what puts it right, in a few words" }),
    command: NullableText({ description: "the command that shows more or puts it right; null if there is none" }),
  }),
);

export const Status = named(
  "Status",
  Type.Object({
    state: Type.Enum(["ok", "warning", "critical"], {
      description: "of the worst finding; notices do not count",
    }),
    at: Timestamp,
    findings: Type.Array(FindingSchema, { description: "the worst first" }),
    looked_at: Type.Object(
      { deployments: Count, lists: Count, rulesets: Count, keys: Count, webhooks: Count, datasets: Count },
      { description: "how many of what were examined" },
    ),
    hours: Type.Array(
      Type.Object({
        at: Timestamp,
        changes: Count,
        blocked_requests: Count,
        blocked_packets: Count,
      }),
      { description: "the last 24 hours, oldest first; changes as in the audit log, at most the newest 10,000" },
    ),
    days: Type.Array(Type.Object({ day: Timestamp, pulls: Count }), {
      description:
        "how often lists were requested on the last 31 days (UTC), oldest first; days without a request are left out",
    }),
  }),
);
