import { type TSchema, Type } from "typebox";
import { CONDITIONAL } from "../../../openapi/documented-headers.ts";

/** The response of an operation that changes only with the catalogue. */
export function tagged<Schema extends TSchema>(answer: Schema) {
  return {
    response: { 200: answer, 304: Type.Null() },
    requestHeaders: CONDITIONAL,
    responseHeaders: { ETag: "changes with the catalogue" },
  };
}
