import { type TProperties, Type } from "typebox";
import { PROBLEMS, type ProblemKind, WITH_REQUEST_ID } from "../problem.ts";
import { named, strict } from "./common.ts";

/** The document of problems of a kind (RFC 9457): closed, with the kind's own properties besides the common ones. */
export function problemOf<Members extends TProperties>(kind: ProblemKind, members: Members) {
  const { status, title } = PROBLEMS[kind];
  return named(
    `${pascalCase(kind)}Problem`,
    Type.Object(
      {
        type: Type.Literal(`/problems/${kind}`),
        title: Type.String({ examples: [title] }),
        status: Type.Integer({ const: status }),
        detail: Type.String(),
        instance: Type.String({ description: "the path of the request" }),
        ...(WITH_REQUEST_ID.has(kind)
          ? { request_id: Type.String({ description: "to quote when you contact the operator of the service" }) }
          : {}),
        ...members,
      },
      strict,
    ),
  );
}

/** For example `NotFound` for not-found. */
export function pascalCase(text: string): string {
  return text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join("");
}

/** The form of 400 and 500 under `/v1/cti/`. */
export const ThreatError = named(
  "ThreatError",
  Type.Object({ message: Type.String(), request_id: Type.String() }, strict),
);
