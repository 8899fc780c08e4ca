import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { parseAddress } from "../../../src/address/parse-address.ts";
import { parsePrefix } from "../../../src/address/prefix.ts";
import { ADDRESS_FORMAT, PREFIX_FORMAT } from "../../../src/api/schemas/common.ts";
import type { Area } from "../../../src/store/state.ts";
import { inlined } from "../inlined-document.ts";

/** A JSON schema, with the keywords that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly maxProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  /** In upper case. */
  readonly method: string;
  /** With `{name}` for each parameter. */
  readonly path: string;
  /** The area whose plan it needs. */
  readonly plan: Area;
  readonly parameters: readonly Parameter[];
  /** The schema of the body by media type; empty if it takes no body. */
  readonly bodies: ReadonlyMap<string, Schema>;
  /** Of the body as JSON; undefined if there is none. */
  readonly example: unknown;
  /** By status. */
  readonly responses: ReadonlyMap<number, DocumentedResponse>;
}

export interface DocumentedResponse {
  /** Headers of every such response, in lower case. */
  readonly requiredHeaders: readonly string[];
  /** The validator of the body by media type, compiled when it is first needed; empty if there is no body. */
  readonly bodies: ReadonlyMap<string, () => ValidateFunction>;
}

type Json = Readonly<Record<string, any>>;

/** The documents that were read, by their text. */
const READ = new Map<string, ApiDocument>();

/** The document of the server at /openapi.json. */
export class ApiDocument {
  readonly operations: readonly Operation[];
  readonly #document: Json;
  readonly #ajv: Ajv2020;
  readonly #checks = new Map<Schema, ValidateFunction>();

  constructor(served: Json) {
    const document = inlined(served);
    this.#document = document;
    // Most checks run a few times: what compiles fast is worth more than what runs fast.
    this.#ajv = new Ajv2020({
      strict: false,
      allErrors: false,
      validateFormats: true,
      inlineRefs: false,
      code: { optimize: false },
    });
    addFormats.default(this.#ajv);
    this.#ajv.addFormat(ADDRESS_FORMAT, isAddress).addFormat(PREFIX_FORMAT, isPrefix);
    // One by one: of a document as a whole, each reference to a schema would compile it again.
    for (const [name, schema] of Object.entries(document["components"].schemas))
      this.#ajv.addSchema(byName(withoutExtras(schema)), NAMED + name);
    this.operations = Object.entries(document["paths"]).flatMap(([path, methods]) =>
      Object.entries(methods as Json).map(([method, each]) => this.#operation(path, method, each)),
    );
  }

  /** Servers of one test file mostly serve the same document, which is then read only once. */
  static async of(url: string, scope: "public" | "dashboard" = "public"): Promise<ApiDocument> {
    const text = await (await fetch(`${url}${scope === "public" ? "" : "/dashboard/api"}/openapi.json`)).text();
    const document = READ.get(text) ?? new ApiDocument(JSON.parse(text));
    READ.set(text, document);
    return document;
  }

  /** The methods of a path, in upper case. */
  methodsOf(path: string): string[] {
    return this.operations.filter((each) => each.path === path).map(({ method }) => method);
  }

  resolve(schema: Schema): Schema {
    return schema.$ref === undefined
      ? schema
      : this.resolve(this.#document["components"].schemas[schema.$ref.split("/").at(-1)!]);
  }

  /** Whether a value matches the schema of the document at this position. */
  fits(schema: Schema, value: unknown): boolean {
    const check = this.#checks.get(schema) ?? this.#ajv.compile(byName(schema));
    this.#checks.set(schema, check);
    return check(value);
  }

  #operation(path: string, method: string, operation: Json): Operation {
    const { operationId, parameters, requestBody, responses, "x-plan": plan } = operation;
    const bodies = new Map(
      Object.entries((requestBody?.content ?? {}) as Json).map(([type, { schema }]) => [type, schema as Schema]),
    );
    return {
      id: operationId,
      method: method.toUpperCase(),
      path,
      plan,
      parameters,
      bodies,
      example: requestBody?.content?.["application/json"]?.example,
      responses: new Map(
        Object.entries(responses as Json).map(([status, each]) => [Number(status), this.#response(each)]),
      ),
    };
  }

  #response({ headers = {}, content = {} }: Json): DocumentedResponse {
    const checkOf = (type: string): (() => ValidateFunction) => {
      let check: ValidateFunction | undefined;
      return () => (check ??= this.#ajv.compile(byName(withoutExtras(content[type].schema ?? {}))));
    };
    const requiredHeaders = Object.entries(headers as Json)
      .filter(([, { required }]) => required === true)
      .map(([name]) => name.toLowerCase());
    return { requiredHeaders, bodies: new Map(Object.keys(content).map((type) => [type, checkOf(type)])) };
  }
}

/** Begins the names under which the document's schemas are compiled. */
const NAMED = "schema:";

/** A schema that refers to those of the document by their names. */
function byName(schema: unknown): any {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/components/schemas/', `"$ref":"${NAMED}`));
}

/** Properties that a schema does not name must not be returned. */
function withoutExtras(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key: string, value: any) => {
    const isClosed =
      value?.type === "object" && value.properties !== undefined && value.additionalProperties === undefined;
    return isClosed ? { ...value, additionalProperties: false } : value;
  });
}

const isAddress = (text: string): boolean => isRead(() => parseAddress(text));
const isPrefix = (text: string): boolean => isRead(() => parsePrefix(text));

function isRead(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
