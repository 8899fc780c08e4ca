import { CREDENTIALS, type CredentialKind } from "../../../src/store/records/credential.ts";
import { type Answer, ask, type TestServer } from "../start-server.ts";

export const KINDS = Object.keys(CREDENTIALS) as CredentialKind[];
/** Where each kind is valid, and what others get there. */
export const DOORS: Readonly<
  Record<CredentialKind, { open(t: TestServer, text: string): Promise<Answer>; refusal: number }>
> = {
  api: {
    open: (t, text) => ask(t, "GET", "/v1/edl/ip-rulesets/", { headers: { "X-API-Key": text } }),
    refusal: 401,
  },
  bouncer: {
    open: (t, text) => ask(t, "GET", "/v1/decisions/stream?startup=true", { headers: { "X-Api-Key": text } }),
    refusal: 403,
  },
  edge: {
    open: (t, text) => ask(t, "POST", "/api/v1/edl/bootstrap", { body: { bootstrap_token: text } }),
    refusal: 401,
  },
  taxii: {
    open(t, text) {
      const authorization = `Basic ${btoa(`${text.slice(0, 8)}:${text}`)}`;
      return ask(t, "GET", "/taxii2/", { headers: { authorization, accept: "application/taxii+json;version=2.1" } });
    },
    refusal: 401,
  },
};

/** The token of an edge component with this `jti`; texts of other kinds are what their holders send. */
export function sentBy(
  t: TestServer,
  kind: CredentialKind,
  text: string,
  organisation: string,
  deployment: string,
): string {
  if (kind !== "edge") return text;
  const about = { iss: "http://lists.example", use: "bootstrap", component_type: "traefik", iat: 1 } as const;
  return t.server.services.publishing.edgeTokens.sign({
    ...about,
    jti: text,
    deployment_id: deployment,
    workspace_id: organisation,
  });
}
