import { makeToken } from "../../../service/access/secret-token.ts";
import type { Services } from "../../../service/services.ts";
import { lastEnd } from "../../../store/records/previous-secret.ts";
import { formatTimestamp } from "../../../time/format-timestamp.ts";
import type { App } from "../../app-type.ts";
import { signature } from "../../http/signed-request.ts";
import { BY_ADMINS } from "../../operation.ts";
import { DeploymentParameters, Rotated, RotateDeploymentBody } from "../../schemas/deployment.ts";
import { previousDocuments } from "../../schemas/previous-secrets.ts";
import { findDeployment } from "../public/deployments/deployments.ts";

const HOUR = 3_600_000;
const GRACE_HOURS = 24;

/** New credentials of deployments, which only admins may give. */
export function addDeploymentCredentialRoutes(app: App, services: Services): void {
  const schema = {
    operationId: "rotateDeployment",
    summary: "Replaces the URLs of a deployment, or its password, which only this response contains",
    tags: ["Deployments"],
    problems: [400, 404, 409, 413, 415],
    params: DeploymentParameters,
    body: RotateDeploymentBody,
    response: { 200: Rotated },
    bodyExample: { credential: "url", grace_hours: 24 },
  };
  const config = { ...BY_ADMINS, hasSecret: true };
  app.post("/edl/deployments/:deployment_id(^[^:]+)::rotate", { config, schema }, async (request) => {
    const { id: deploymentId } = findDeployment(request, services);
    const { credential, grace_hours: hours = GRACE_HOURS } = request.body;
    const { text, digest } = makeToken();
    const isUrl = credential === "url";
    const graceUntil = request.now + hours * HOUR;
    const { deployment } = await services.store.write({
      kind: "rotate-deployment",
      ...signature(request),
      deploymentId,
      credential: isUrl ? { url: true } : { password: digest },
      graceUntil,
    });
    return {
      password: isUrl ? null : text,
      previous_valid_until: isUrl ? formatTimestamp(lastEnd(deployment.previous, request.now) ?? graceUntil) : null,
      previous_urls: previousDocuments(deployment.previous, request.now),
    };
  });
}
