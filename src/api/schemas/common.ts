import { type Static, type TOptional, type TProperties, type TSchema, type TStringOptions, Type } from "typebox";
import { MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH } from "../../rulesets/validate-rule.ts";
import { namesOf, type SettingName } from "../../service/settings.ts";
import { formatTimestamp } from "../../time/format-timestamp.ts";

const NAME = Symbol("name");
const SHOWN = Symbol("shown");

/**
 * What a schema carries for the OpenAPI document only. The keys are symbols: copies, as `Type.Optional` makes them,
 * keep them, and no validator sees them.
 */
interface Marks {
  [NAME]?: string;
  [SHOWN]?: object;
}

/** Gives a schema its name among the components of the OpenAPI document. */
export function named<Schema extends TSchema>(name: string, schema: Schema): Schema {
  (schema as Marks)[NAME] = name;
  return schema;
}

export function nameOf(schema: unknown): string | undefined {
  return (schema as Marks | null | undefined)?.[NAME];
}

/**
 * Makes the OpenAPI document show another schema than the one used for validation: one that expresses in keywords what
 * the operation reports in better words than a validator.
 */
export function shownAs<Schema extends TSchema>(shown: object, schema: Schema): Schema {
  (schema as Marks)[SHOWN] = shown;
  return schema;
}

/** What the OpenAPI document shows instead of a schema. */
export function shownOf(schema: unknown): unknown {
  return (schema as Marks | null | undefined)?.[SHOWN] ?? schema;
}

const forHandlers = new WeakSet<object>();

/**
 * Leaves the items of a body's list to the handler, which checks each against its schema (`BodyList.errorsOf`): it has
 * a result for the invalid ones.
 */
export function withItemsForHandler<Schema extends TSchema>(schema: Schema): Schema {
  forHandlers.add(schema);
  return schema;
}

export function areItemsForHandler(schema: object): boolean {
  return forHandlers.has(schema);
}

export const strict = { additionalProperties: false } as const;

/** The same properties, none of them required. */
export function optional<Properties extends TProperties>(properties: Properties) {
  const entries = Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as { [Name in keyof Properties]: TOptional<Properties[Name]> };
}

/** What a handler returns for a schema: nobody changes it. */
export type DocumentOf<Schema extends TSchema> = Shown<Static<Schema>>;

type Shown<Value> = Value extends object ? { readonly [Name in keyof Value]: Shown<Value[Name]> } : Value;

/** A maximum number of items, by a setting such as `rules-per-ruleset`. The error names the setting. */
export function upTo(most: number, setting: SettingName): { readonly maxItems: number; readonly "x-setting": string } {
  return { maxItems: most, "x-setting": namesOf(setting) };
}

/** A string or null; as one type, which is serialized faster than a union. */
export function NullableText(options: object = {}): ReturnType<typeof Type.Unsafe<string | null>> {
  return Type.Unsafe<string | null>({ type: ["string", "null"], ...options });
}

/** A map with string keys, which not every version of OpenAPI can express as `Type.Record` does. */
export function MapOf<Schema extends TSchema>(schema: Schema, options: object = {}) {
  return Type.Unsafe<Record<string, Static<Schema>>>({ type: "object", additionalProperties: schema, ...options });
}

/**
 * A map by address or prefix. Beside one object in a union, its pattern makes it a type of its own for generators such as
 * ogen, which tell objects apart by the names of their properties.
 */
export function MapByAddress<Schema extends TSchema>(schema: Schema, options: object = {}) {
  return shownAs(
    { type: "object", patternProperties: { "^[0-9A-Fa-f:./]+$": schema }, additionalProperties: schema, ...options },
    MapOf(schema, options),
  );
}

export function Nullable<Schema extends TSchema>(schema: Schema, options: object = {}) {
  return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: "null" }], ...options });
}

/** An object or null, as one type: examples with null fit the document of OpenAPI 3.0, too. */
export function NullableObject<Schema extends TSchema>(schema: Schema, options: object = {}) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, ...options, type: ["object", "null"] });
}

export const FieldMessages = named(
  "FieldMessages",
  MapOf(Type.Array(Type.String()), { description: "error messages by field" }),
);

export const Timestamp = Type.String({
  format: "date-time",
  description: "ISO 8601, UTC, with milliseconds",
  examples: ["2026-11-21T12:00:00.000Z"],
});
export const NullableTimestamp = NullableText({ format: "date-time", examples: ["2026-12-31T00:00:00.000Z"] });

export function timeOrNull(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : formatTimestamp(at);
}

export const Count = Type.Integer({ minimum: 0, format: "int64" });

/** Ids of what an organisation has. */
export const Id = Type.String({ format: "uuid" });

/** The state of work that continues after its request. */
export const WorkState = named("WorkState", Type.Enum(["running", "done", "failed"]));

/** Something that has a document of its own elsewhere. */
export const IdAndName = named("IdAndName", Type.Object({ id: Type.String({ format: "uuid" }), name: Type.String() }));

/** Formats of strings that the OpenAPI document names and need not explain each time. */
export const ADDRESS_FORMAT = "ip-address";
export const PREFIX_FORMAT = "ip-prefix";

export const AddressText = Type.String({
  format: ADDRESS_FORMAT,
  description: "an IPv4 or IPv6 address",
  examples: ["203.0.113.7", "2001:db8::1"],
});
export const PrefixText = Type.String({
  format: PREFIX_FORMAT,
  description: "an address, or a prefix as address/length without host bits",
  examples: ["203.0.113.0/24"],
});

/** One of many addresses to look up: longer texts are not addresses. */
export const LookedUpText = Type.String({
  maxLength: 100,
  format: PREFIX_FORMAT,
  description: "an address, or a prefix as address/length without host bits",
});

/**
 * Names and other texts of one line: no control characters. The document shows it; the operation reports what is wrong
 * with a text better than a pattern could.
 */
export const LINE_PATTERN = "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$";

/** A text of one line. */
export function LineText(options: TStringOptions & { readonly maxLength: number }) {
  return shownAs(Type.String({ ...options, pattern: LINE_PATTERN }), Type.String(options));
}

/** Names of rulesets, deployments and lists, and labels of credentials. */
export const NameText = LineText({
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  description: "without control characters",
});
export const DescriptionText = LineText({
  maxLength: MAX_DESCRIPTION_LENGTH,
  description: "without control characters",
});

/** A whole number in a query without a limit of its own: as large as the engine counts exactly. */
export function WholeNumber<Options extends { readonly minimum: number }>(
  options: Options & { readonly default?: number; readonly description?: string },
) {
  return Type.Integer({ maximum: Number.MAX_SAFE_INTEGER, ...options });
}

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1000;
/** A key of a list, in base64. */
const MAX_CURSOR = 4000;

export const pageParameters = {
  page: Type.Optional(WholeNumber({ minimum: 1, default: 1, description: "which page" })),
  page_size: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_PAGE_SIZE, description: "items per page" }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR,
      description:
        "instead of page, to miss nothing and see nothing twice while others write: empty for the first page, then the value in `next`",
    }),
  ),
};

export function pageOf(name: string, item: TSchema, more: TProperties = {}): TSchema {
  return named(
    name,
    Type.Object({
      items: Type.Array(item),
      count: Type.Integer({ minimum: 0, description: "items on all pages" }),
      next: NullableText({ description: "the URL of the next page; null on the last page" }),
      prev: NullableText({
        description: "the URL of the previous page; null on the first page, and on pages by cursor",
      }),
      ...more,
    }),
  );
}
