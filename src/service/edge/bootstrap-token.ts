import type { Deployment } from "../../store/records/deployment.ts";
import { digestOfToken, makeToken } from "../access/secret-token.ts";
import { ServiceError } from "../service-error.ts";
import type { EdgeTokens } from "./edge-tokens.ts";

export interface BootstrapToken {
  readonly text: string;
  /** The digest by which the store knows it. */
  readonly digest: string;
}

/**
 * Makes the token with which an edge component of this type begins, issued at `at` (milliseconds since 1970) by the
 * server at `baseUrl`. @throws ServiceError "conflict" if there is no base URL, or no key file
 */
export function makeBootstrapToken(
  tokens: EdgeTokens,
  { id, organisationId }: Deployment,
  { baseUrl, type, at }: { readonly baseUrl: string; readonly type: string; readonly at: number },
): BootstrapToken {
  // A forged Host must not send components elsewhere.
  if (baseUrl === "")
    throw new ServiceError("conflict", "the token names the server's public URL; the operator sets --base-url");
  const { text: jti } = makeToken();
  const text = tokens.sign({
    iss: baseUrl.replace(/\/$/, ""),
    jti,
    use: "bootstrap",
    component_type: type,
    deployment_id: id,
    workspace_id: organisationId,
    iat: Math.floor(at / 1000),
  });
  return { text, digest: digestOfToken(jti) };
}
