import examples from "./examples.json" with { type: "json" };

/** Bodies other than JSON, by media type, and responses by status and media type. */
export interface OperationExamples {
  readonly bodies?: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * By operation id: recorded by `npm run examples` from the responses of a real server, with new ones of which
 * test/api/openapi/examples.test.ts compares them.
 */
export const EXAMPLES: Readonly<Record<string, OperationExamples>> = examples;
