export type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI document, as far as the service writes one. */
export interface OpenApi {
  readonly openapi: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly contact: Json;
    readonly license: Json;
  };
  readonly servers: readonly Json[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Json; readonly securitySchemes: Json };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Json[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Answer>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Json;
}

export interface Answer {
  readonly description: string;
  readonly headers: Json;
  readonly content?: Json;
}
