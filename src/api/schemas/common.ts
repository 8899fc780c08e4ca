import { type TSchema, Type } from "typebox";
import { namesOf, type SettingName } from "../settings.ts";

const names = new Map<unknown, string>();

/** Gives a schema its name among the components of the OpenAPI document. */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  names.set(schema, name);
  return schema;
}

export function nameOf(schema: unknown): string | undefined {
  return names.get(schema);
}

const forHandlers = new WeakSet<object>();

/** Leaves the items of a body's list to the handler, which holds each to its schema (`BodyList.errorsOf`): it has an answer for those that are wrong. */
export function withItemsForHandler<Schema extends TSchema>(schema: Schema): Schema {
  forHandlers.add(schema);
  return schema;
}

export function areItemsForHandler(schema: object): boolean {
  return forHandlers.has(schema);
}

export const strict = { additionalProperties: false } as const;

/** At most so many items, which a setting says: `rules-per-ruleset`. A refusal names it. */
export function upTo(most: number, setting: SettingName): { readonly maxItems: number; readonly "x-setting": string } {
  return { maxItems: most, "x-setting": namesOf(setting) };
}

/** Text or null; as one type, which is serialized faster than a union. */
export function NullableText(options: object = {}): ReturnType<typeof Type.Unsafe<string | null>> {
  return Type.Unsafe<string | null>({ type: ["string", "null"], ...options });
}

export const Timestamp = Type.String({ format: "date-time", description: "ISO 8601, UTC, with milliseconds", examples: ["2026-11-21T12:00:00.000Z"] });
export const NullableTimestamp = NullableText({ format: "date-time", examples: ["2026-12-31T00:00:00.000Z"] });
export const Count = Type.Integer({ minimum: 0 });

export const AddressText = Type.String({ description: "an IPv4 or IPv6 address", examples: ["203.0.113.7", "2001:db8::1"] });
export const PrefixText = Type.String({ description: "an address, or a prefix as address/length without host bits", examples: ["203.0.113.0/24"] });

/** A whole number of a query without a limit of its own: as large as the engine counts exactly. */
export function WholeNumber<Options extends { readonly minimum: number }>(options: Options & { readonly default?: number; readonly description?: string }) {
  return Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, ...options });
}

const DEFAULT_PAGE_SIZE = 100;
const MOST_PAGE_SIZE = 1000;

export const pageParameters = {
  page: Type.Optional(WholeNumber({ minimum: 1, default: 1, description: "which page" })),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_PAGE_SIZE, default: DEFAULT_PAGE_SIZE, description: "items per page" })),
};

export function pageOf(name: string, item: TSchema): TSchema {
  return named(
    name,
    Type.Object({
      items: Type.Array(item),
      count: Type.Integer({ minimum: 0, description: "items on all pages" }),
      next: NullableText({ description: "the address of the next page; null on the last one" }),
      prev: NullableText({ description: "the address of the page before; null on the first one" }),
    }),
  );
}

export const ProblemDetail = named(
  "ProblemDetail",
  Type.Object({
    type: Type.String({ examples: ["/problems/validation-error"] }),
    title: Type.String({ examples: ["Validation Error"] }),
    status: Type.Integer({ examples: [400] }),
    detail: Type.String(),
    instance: Type.String({ description: "the path of the request" }),
    request_id: Type.Optional(Type.String({ description: "to quote to whoever runs the service" })),
    validation_errors: Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()), { description: "by field, what is wrong with it" })),
  }),
);

/** What 400 and 500 look like under `/v1/cti/`. */
export const ThreatError = named("ThreatError", Type.Object({ message: Type.String(), request_id: Type.String() }));
