import assert from "node:assert/strict";
import { test } from "node:test";
import { readNewList } from "../../src/service/lists/read-list-definition.ts";
import {
  CREDENTIALS_SETTING,
  DEPLOYMENTS_SETTING,
  LISTS_SETTING,
  WEBHOOKS_SETTING,
} from "../../src/store/records/limit-settings.ts";
import { definitionOf } from "../deployments/definition-of.ts";
import { by, databases, Replica } from "./harness/stores.ts";

const LIMITS = {
  deploymentsPerOrganisation: 1,
  listsPerOrganisation: 2,
  webhooksPerOrganisation: 3,
  credentialsPerOrganisation: 4,
};
const WEBHOOK = { description: "", url: "https://siem.example/hook", kinds: ["key.revoked"], active: true } as const;

test("an organisation has as many of each as the settings say, and the error names the setting", async (t) => {
  const [{ make, stop }] = (await databases()) as [Awaited<ReturnType<typeof databases>>[0]];
  t.after(stop);
  const test = async ({ store }: Replica): Promise<void> => {
    const { organisation, rulesets } = await store.write({ kind: "create-organisation", name: "Example", ...by(1) });
    const owned = { organisationId: organisation.id, ...by(2) };
    const definition = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
    const deploy = () => store.write({ kind: "create-deployment", ...owned, name: "edge", definition });
    const deploymentId = (await deploy()).deployment.id;
    const list = readNewList({ url: "https://lists.example/a" });
    const secretOf = () => ({ label: "x", digest: crypto.randomUUID(), start: "ipb_" });
    const collections = [rulesets[0]!.id];
    const kinds = [
      [1, 1, DEPLOYMENTS_SETTING, deploy],
      [0, 2, LISTS_SETTING, () => store.write({ kind: "create-list", ...owned, name: "drop", definition: list })],
      [
        0,
        3,
        WEBHOOKS_SETTING,
        () => store.write({ kind: "create-webhook", ...owned, definition: WEBHOOK, secret: "sealed" }),
      ],
      [
        0,
        4,
        CREDENTIALS_SETTING,
        () => {
          const about = { deploymentId, credential: "bouncer", hostsOnly: true, ...secretOf() } as const;
          return store.write({ kind: "create-credential", ...owned, ...about });
        },
      ],
      [
        0,
        4,
        CREDENTIALS_SETTING,
        () => store.write({ kind: "create-credential", credential: "taxii", ...owned, collections, ...secretOf() }),
      ],
    ] as const;
    for (const [made, most, setting, create] of kinds) {
      for (let count: number = made; count < most; count++) await create();
      await assert.rejects(
        create,
        (error: Error) => error.message.includes(` at most ${most} `) && error.message.includes(`(${setting})`),
      );
    }
  };
  await Replica.using(await make(), test, LIMITS);
});
