import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { Check } from "typebox/value";
import { tooManyItems } from "../../json/json-list.ts";
import { ArrivingBody } from "../http/arriving-body.ts";
import { chosen } from "../../words/chosen.ts";
import { nearest } from "../../words/nearest.ts";
import { invalid } from "../../service/service-error.ts";
import { mayHaveSecret, redact } from "../http/redact.ts";
import { areItemsForHandler } from "../schemas/common.ts";

type Read = (data: unknown) => { readonly value: unknown } | { readonly error: Error };

/**
 * Query strings are read by their schema, bodies are checked against theirs. Nothing is silently coerced, filled in or
 * dropped.
 */
export function validateStrictly(app: FastifyInstance): void {
  app.setValidatorCompiler<TSchema>(({ schema, httpPart }) => {
    if (httpPart === "querystring") return queryReader(schema as unknown as QuerySchema);
    // The operation decides what a path parameter may be: a malformed id is the id of nothing.
    return httpPart === "params" ? (value) => ({ value }) : bodyReader(schema);
  });
  app.addHook("onRoute", (route) => {
    if (route.schema?.body !== undefined) route.preValidation = readMissingBody;
  });
}

/** A missing body is one without members, where none is required. */
function readMissingBody(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  if (request.body !== undefined) return done();
  const { body } = request.routeOptions.schema as { body: TSchema & { readonly content?: object } };
  if (body.content !== undefined) return done();
  if (!mayBeMissing(body))
    return done(invalid({ body: ["is missing; send a JSON document with Content-Type: application/json"] }));
  request.body = {};
  done();
}

/** Whether a body without members is one of the operation. */
export function mayBeMissing(body: TSchema & { readonly content?: object }): boolean {
  return body.content === undefined && Check(body, {});
}

/** What the query of an operation may contain. */
export interface QuerySchema {
  readonly properties: Readonly<Record<string, ParameterSchema>>;
  readonly required?: readonly string[];
  /** Parameters that are read before the operation is reached: the key. */
  readonly read?: readonly string[];
}

interface ParameterSchema {
  readonly type?: "string" | "integer" | "boolean";
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/**
 * Reads the parameters that the schema names. Each may be given once; others are rejected: if `aggregate=true` were
 * ignored, the list would not be what the client expects.
 */
function queryReader({ properties, required = [], read = [] }: QuerySchema): Read {
  const entries = Object.entries(properties);
  const names = Object.keys(properties);
  return (data) => {
    const query = data as Readonly<Record<string, string | string[] | undefined>>;
    const errors: Record<string, string[]> = Object.create(null);
    const value: Record<string, unknown> = {};
    const reject = (name: string, message: string): unknown => (errors[name] = [message]);
    for (const [name, schema] of entries) {
      const text = query[name];
      if (Array.isArray(text)) reject(name, "given more than once");
      else if (text !== undefined) value[name] = readParameter(text, schema, (message) => reject(name, message));
      else if (required.includes(name)) reject(name, "is required");
    }
    const unknown = Object.keys(query).filter((name) => !Object.hasOwn(properties, name) && !read.includes(name));
    for (const name of unknown.slice(0, MAX_UNKNOWN)) errors[shownName(name)] = [unknownParameter(name, names)];
    return Object.keys(errors).length === 0 ? { value } : { error: invalid(errors) };
  };
}

/** Maximum unknown parameters that are listed. */
const MAX_UNKNOWN = 20;
const MAX_NAME = 60;

function unknownParameter(name: string, names: readonly string[]): string {
  const meant = name === "" ? undefined : nearest(name.toLowerCase(), names);
  if (meant !== undefined) return `unknown parameter; did you mean ${meant}?`;
  return `unknown parameter; ${names.length === 0 ? "this operation takes none" : `choose one of ${names.join(", ")}`}`;
}

/** The field of a parameter in errors. Anything that may be a key, sent as a name by mistake, is not repeated. */
function shownName(name: string): string {
  if (name === "" || mayHaveSecret(name) || redact(name) !== name) return "query";
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

function readParameter(text: string, schema: ParameterSchema, reject: (message: string) => unknown): unknown {
  const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER, minLength = 0, maxLength = Infinity } = schema;
  if (schema.enum !== undefined)
    return chosen(text, schema.enum) ?? reject(`${shown(text)} is not one of ${schema.enum.join(", ")}`);
  if (type === "boolean")
    return Object.hasOwn(BOOLEANS, text)
      ? BOOLEANS[text]
      : reject(`${shown(text)} is not a boolean; write true, false, 1 or 0`);
  if (type === "integer") {
    const number = /^[0-9]{1,16}$/.test(text) ? Number(text) : NaN;
    const range = `from ${minimum} to ${maximum}`;
    return number >= minimum && number <= maximum ? number : reject(`${shown(text)} is not a whole number ${range}`);
  }
  // As schemas count them: a surrogate pair is one character.
  const length = text.length > maxLength ? [...text].length : text.length;
  if (length < minLength) return reject(`use at least ${counted(minLength, "character")}`);
  return length <= maxLength ? text : reject(`use at most ${counted(maxLength, "character")}`);
}

function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Maximum errors of a body that are reported. */
const MAX_ERRORS = 200;

interface ArraySchema {
  readonly type: "array";
  readonly items: TSchema;
  readonly maxItems?: number;
  readonly "x-setting"?: string;
}

/**
 * The list that the bodies of an operation are, or have as a property. It is checked against its schema item by item:
 * one check of the whole would create an error for each of any number of invalid items.
 */
export class BodyList {
  /** The property of a document that is the list. */
  readonly member: string;
  /** Whether a body may be the list itself. */
  readonly isBareAllowed: boolean;
  readonly maxItems: number;
  /** The setting that determines it. */
  readonly setting: string | undefined;
  readonly #isForHandler: boolean;
  readonly #items: () => Validator;
  readonly #readObject: Read;
  readonly #readArray: Read;

  /** The list in the bodies of a schema, which may be a map of media types; undefined for those without. */
  static of(body: unknown): BodyList | undefined {
    if (body === undefined) return undefined;
    const { content } = body as { content?: Readonly<Record<string, { schema: TSchema }>> };
    const json = content === undefined ? (body as TSchema) : content["application/json"]?.schema;
    if (json === undefined) return undefined;
    const [objects, arrays] = formsOf(json);
    const { properties = {} } = objects as { properties?: Readonly<Record<string, Partial<ArraySchema>>> };
    const found = Object.entries(properties).find(([, { type }]) => type === "array");
    return found === undefined ? undefined : new BodyList(objects, arrays, found[0], found[1] as ArraySchema);
  }

  private constructor(
    objects: TSchema,
    arrays: TSchema,
    member: string,
    { items, maxItems = Infinity, "x-setting": setting }: ArraySchema,
  ) {
    this.member = member;
    this.isBareAllowed = arrays !== objects;
    this.maxItems = maxItems;
    this.setting = setting;
    this.#isForHandler = areItemsForHandler(objects);
    this.#items = compiledOnUse(items);
    this.#readObject = plainReader(withoutItems(objects, member));
    this.#readArray = this.isBareAllowed ? plainReader(withoutItems(arrays, member)) : this.#readObject;
  }

  /** Checks the body against the schema. */
  read(value: unknown): ReturnType<Read> {
    const list: unknown = Array.isArray(value)
      ? value
      : (value as Readonly<Record<string, unknown>> | null | undefined)?.[this.member];
    if (Array.isArray(list) && list.length > this.maxItems)
      return { error: invalid({ [this.member]: [tooManyItems(this)] }) };
    const read = this.readWithoutItems(value);
    if ("error" in read || !Array.isArray(list) || this.#isForHandler) return read;
    const errors = this.errorsOf(list, 0, Array.isArray(value) ? "" : this.member);
    return errors === undefined ? read : { error: invalid(errors) };
  }

  /** Checks all of a body except its items against the schema. */
  readWithoutItems(value: unknown): ReturnType<Read> {
    return Array.isArray(value) ? this.#readArray(value) : this.#readObject(value);
  }

  /**
   * The errors of the first invalid items, by field; undefined if there are none. The first item has the index `start`
   * in the list, which is called `name`.
   */
  errorsOf(items: readonly unknown[], start: number, name = this.member): Record<string, string[]> | undefined {
    let errors: Record<string, string[]> | undefined;
    let count = 0;
    const schema = this.#items();
    for (let index = 0; index < items.length && count < MAX_ERRORS; index++) {
      if (schema.Check(items[index])) continue;
      const own = errorsBy(schema.Errors(items[index]), `${name}[${start + index}]`);
      count += Object.keys(own).length;
      errors = Object.assign(errors ?? Object.create(null), own);
    }
    return errors;
  }
}

function bodyReader(schema: TSchema): Read {
  const list = BodyList.of(schema);
  const read = list === undefined ? plainReader(schema) : (value: unknown) => list.read(value);
  // A body that is still to be read is checked by its reader.
  return (value) => (value instanceof ArrivingBody ? { value } : read(value));
}

function plainReader(schema: TSchema): Read {
  const whenCompiled = compiledOnUse(schema);
  return (value) => {
    const compiled = whenCompiled();
    if (compiled.Check(value)) return { value };
    const named = withChoices(value, schema);
    if (named !== undefined && compiled.Check(named)) return { value: named };
    return { error: invalid(errorsBy(compiled.Errors(value))) };
  };
}

/** The document with its members that are choices by their own names; undefined for what is no document. */
function withChoices(value: unknown, schema: TSchema): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { properties = {} } = schema as {
    properties?: Readonly<Record<string, { enum?: readonly (string | number)[] }>>;
  };
  return Object.fromEntries(
    Object.entries(value).map(([name, own]) => {
      const { enum: choices = [] } = Object.hasOwn(properties, name) ? properties[name]! : {};
      return [name, typeof own === "string" ? (chosen(own, choices) ?? own) : own];
    }),
  );
}

/** A schema that is compiled when the first body needs it, in a few milliseconds: all of them would take 40 at the start. */
function compiledOnUse(schema: TSchema): () => Validator {
  let compiled: Validator | undefined;
  return () => (compiled ??= Compile(schema));
}

/**
 * A body that may be an object or an array is checked against the form that it has: errors about the other form would
 * only confuse.
 */
function formsOf(schema: TSchema): [TSchema, TSchema] {
  const { anyOf = [] } = schema as { anyOf?: (TSchema & { type?: string })[] };
  const arrays = anyOf.find(({ type }) => type === "array");
  const objects = anyOf.find(({ type }) => type === "object");
  return arrays === undefined || objects === undefined ? [schema, schema] : [objects, arrays];
}

function withoutItems(form: TSchema, member: string): TSchema {
  const { type, properties } = form as { type?: string; properties?: Readonly<Record<string, TSchema>> };
  if (type === "array") return { ...form, items: {} } as TSchema;
  return { ...form, properties: { ...properties, [member]: { ...properties![member], items: {} } } } as TSchema;
}

interface SchemaError {
  readonly keyword: string;
  /** Where the keyword stands in the schema. */
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** Errors by property, each once; if a property has alternatives, the last error is about the property as such. */
function errorsBy(found: readonly SchemaError[], root = ""): Record<string, string[]> {
  const errors: Record<string, string[]> = Object.create(null);
  const add = (field: string, message: string): void => {
    const own = (errors[field] ??= []);
    if (!own.includes(message)) own.push(message);
  };
  for (const { keyword, instancePath, params, message } of withoutOtherForms(found)) {
    const {
      requiredProperties = [],
      additionalProperties = [],
      allowedValues,
    } = params as Partial<Record<string, string[]>>;
    const field = fieldOf(instancePath, root);
    if (keyword === "required") for (const name of requiredProperties) add(join(field, name), "is required");
    else if (keyword === "additionalProperties")
      for (const name of additionalProperties) add(join(field, name), "unknown property");
    else if (keyword === "enum" && allowedValues !== undefined)
      add(field, `must be one of ${allowedValues.join(", ")}`);
    else if (keyword !== "boolean") add(field === "" ? "body" : field, messageOf(keyword, params, message));
  }
  return errors;
}

/**
 * Where a constant distinguishes forms, such as the `op` of a change, only the errors of the form that it names are left;
 * if it names none, one error with all of its values.
 */
function withoutOtherForms(found: readonly SchemaError[]): readonly SchemaError[] {
  const union = found.findLast(({ keyword }) => keyword === "anyOf");
  if (union === undefined) return found;
  const start = `${union.schemaPath}/anyOf/`;
  const formOf = ({ schemaPath }: SchemaError): string | undefined =>
    schemaPath.startsWith(start) ? schemaPath.slice(start.length).split("/", 1)[0] : undefined;
  const constants = found.filter((error) => error.keyword === "const" && formOf(error) !== undefined);
  if (constants.length === 0) return found;
  const others = new Set(constants.map(formOf));
  const meant = found.filter((error) => error !== union && !others.has(formOf(error)));
  if (meant.length > 0) return meant;
  const allowedValues = constants.map(({ params }) => (params as { readonly allowedValue: string }).allowedValue);
  return [{ ...constants[0]!, keyword: "enum", params: { allowedValues } }];
}

/** The message of a keyword in plain words; the validator's own for all others. */
function messageOf(keyword: string, params: object, message: string): string {
  const { limit, type } = params as { readonly limit?: number; readonly type?: string | readonly string[] };
  if (keyword === "minimum") return `must be at least ${limit}`;
  if (keyword === "maximum") return `must be at most ${limit}`;
  if (keyword === "minLength") return `use at least ${counted(limit!, "character")}`;
  if (keyword === "maxLength") return `use at most ${counted(limit!, "character")}`;
  if (keyword === "minProperties") return `use at least ${counted(limit!, "property", "properties")}`;
  if (keyword === "maxProperties") return `use at most ${counted(limit!, "property", "properties")}`;
  if (keyword === "anyOf") return "has none of the permitted forms";
  if (keyword !== "type" || type === undefined) return message;
  return `must be ${(typeof type === "string" ? [type] : type).map(withArticle).join(" or ")}`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function withArticle(type: string): string {
  if (type === "null") return type;
  return `${/^[aeiou]/.test(type) ? "an" : "a"} ${type}`;
}

function fieldOf(pointer: string, root: string): string {
  const parts = pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), root);
}

function join(path: string, member: string): string {
  return path === "" ? member : `${path}.${member}`;
}
