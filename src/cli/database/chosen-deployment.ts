import type { Deployment } from "../../store/records/deployment.ts";
import type { State } from "../../store/state.ts";
import { UsageError } from "../runner/usage-error.ts";

/** The deployment of the organisation with this id or name. @throws UsageError */
export function chosenDeployment({ deployments }: State, organisationId: string, text: string): Deployment {
  const own = deployments.filter((each) => each.organisationId === organisationId && each.deletedAt === null);
  const found = own.filter(({ id, name }) => id === text || name === text);
  if (found.length === 1) return found[0]!;
  throw new UsageError(
    found.length === 0
      ? `there is no deployment ${JSON.stringify(text)}; there are: ${
          own
            .map(({ name }) => name)
            .sort()
            .join(", ") || "none"
        }`
      : `several deployments are named ${JSON.stringify(text)}; give the id: ${found.map(({ id }) => id).join(", ")}`,
  );
}
