import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import type { PublishListCommand } from "../../src/store/command.ts";
import type { DefinitionChanges, Deployment, PullToRecord } from "../../src/store/records/deployment.ts";
import type { Credential } from "../../src/store/records/credential.ts";
import type { StoreErrorCode } from "../../src/store/store-error.ts";
import { by, databases, Replica } from "./harness/stores.ts";
import { onlyLong } from "../rounds.ts";
import { definitionOf } from "../deployments/definition-of.ts";

const DEFINITION = definitionOf({ include: [{ prefixes: ["192.0.2.0/24"] }] });
const DAY = 86_400_000;

for (const { name, skip, make, stop } of await databases()) {
  describe(`deployments on ${name}`, { skip: skip || (name === "PostgreSQL" && onlyLong()) }, () => {
    after(stop);

    /** Runs with an organisation that has a deployment, then compares the memory with a fresh load. */
    const withDeployment = async (run: (replica: Replica, deployment: Deployment) => Promise<void>): Promise<void> =>
      Replica.using(await make(), async (replica) => {
        const { organisation } = await replica.organisation();
        const { deployment } = await create(replica, organisation.id);
        await run(replica, deployment);
      });

    test("it is created, partly changed, and kept as deleted; another organisation's is not found", () =>
      withDeployment(async ({ store, memory }, { id, organisationId }) => {
        const owned = { organisationId, deploymentId: id };
        const changed = { name: "edge", definition: { active: false } };
        const { deployment } = await store.write({ kind: "update-deployment", ...owned, ...changed, ...by(5) });
        assert.deepEqual(deployment, memory.deployments.get(id));
        assert.deepEqual(deployment.definition, { ...DEFINITION, active: false });
        assert.deepEqual([deployment.name, deployment.createdAt, deployment.updatedAt], ["edge", 2, 5]);
        const { sequence } = memory;
        await store.write({ kind: "update-deployment", ...owned, ...changed, ...by(6) });
        assert.equal(memory.sequence, sequence, "the same again is no change");
        const other = { organisationId: crypto.randomUUID(), deploymentId: id };
        await refused("deployment-not-found", store.write({ kind: "delete-deployment", ...other, ...by(7) }));
        await store.write({ kind: "delete-deployment", ...owned, ...by(8) });
        assert.equal(memory.deployments.get(id)!.deletedAt, 8);
        await refused("deployment-not-found", store.write({ kind: "delete-deployment", ...owned, ...by(9) }));
      }));

    test("options: only those that are named change, and null removes one, whatever another server writes at once", () =>
      withDeployment(async ({ store, memory }, { id, organisationId }) => {
        const change = (options: DefinitionChanges["options"], at: number) =>
          store.write({
            kind: "update-deployment",
            organisationId,
            deploymentId: id,
            definition: { options: options! },
            ...by(at),
          });
        const optionsNow = () => memory.deployments.get(id)!.definition.options;
        await change({ comments: true, max_growth: 10 }, 5);
        await Promise.all([change({ max_entries: 1000 }, 6), change({ max_bytes: 500_000 }, 6)]);
        assert.deepEqual(optionsNow(), { comments: true, max_growth: 10, max_entries: 1000, max_bytes: 500_000 });
        await Promise.all([change({ max_entries: null, comments: null }, 7), change({ max_bytes: 9 }, 7)]);
        assert.deepEqual(optionsNow(), { max_growth: 10, max_bytes: 9 });
        const { sequence } = memory;
        await change({ max_bytes: 9, comments: null }, 8);
        await change({}, 9);
        assert.equal(memory.sequence, sequence, "the same again is no change");
      }));

    test("an organisation has at most 100, not counting deleted ones", () =>
      withDeployment(async (replica, { id, organisationId }) => {
        const rest = Array.from({ length: 99 }, () => create(replica, organisationId));
        await Promise.all(rest);
        await refused("too-many-deployments", create(replica, organisationId));
        await replica.store.write({ kind: "delete-deployment", organisationId, deploymentId: id, ...by(3) });
        await create(replica, organisationId);
      }));

    test("credentials: a token has a grace time, a password has none", () =>
      withDeployment(async ({ store }, { id, organisationId }) => {
        const rotating = { kind: "rotate-deployment", organisationId, deploymentId: id } as const;
        const url = { credential: { url: true }, graceUntil: 100 } as const;
        const { deployment } = await store.write({ ...rotating, ...url, ...by(10) });
        const previous = [{ rotation: 1, replacedAt: 10, until: 100 }];
        assert.deepEqual([deployment.rotation, deployment.previous, deployment.password], [2, previous, null]);
        const password = { credential: { password: "digest" }, graceUntil: 0 } as const;
        const after = await store.write({ ...rotating, ...password, ...by(11) });
        assert.deepEqual({ ...after.deployment, updatedAt: 10, password: null }, deployment);
        assert.equal(after.deployment.password, "digest");
      }));

    test("lists: the first of two servers publishes; one of an earlier state, or compared with another, is late", () =>
      withDeployment(async ({ store, memory }, { id, organisationId }) => {
        const publish = (basedOn: number, sequence: number, digest: string) =>
          store.write(publishing({ organisationId, deploymentId: id }, { basedOn, sequence, digest }));
        assert.equal(await store.read("publishedList", id), null);
        const first = await publish(0, 3, "a");
        assert.deepEqual(
          [first.isLate, first.deployment.published!.generation, first.deployment.published!.at],
          [false, 1, 50],
        );
        assert.deepEqual(await store.read("publishedList", id), { generation: 1, content: "content of a" });
        assert.equal((await publish(0, 4, "b")).isLate, true);
        assert.equal((await publish(1, 2, "b")).isLate, true);
        assert.equal((await publish(1, 4, "a")).deployment.published!.generation, 1);
        assert.deepEqual(memory.deployments.get(id)!.published!.sequence, 4);
        assert.equal((await publish(1, 5, "b")).deployment.published!.generation, 2);
        assert.deepEqual(await store.read("publishedList", id), { generation: 2, content: "content of b" });
        await store.write({ kind: "delete-deployment", organisationId, deploymentId: id, ...by(60) });
        assert.equal(await store.read("publishedList", id), null);
      }));

    test("a refused list keeps the previous one; it is released by number; the audit log has only actions of people", () =>
      withDeployment(async ({ store, memory }, { id, organisationId }) => {
        const owned = { organisationId, deploymentId: id };
        await store.write(publishing(owned, { basedOn: 0, sequence: 3, digest: "a" }));
        const refusal = { reasons: [{ code: "shrinks", message: "by 80 %" }], entries: { 4: 1, 6: 0 } };
        const refusing = { kind: "refuse-list", ...owned, basedOn: 1, refusal } as const;
        await refused("list-not-refused", store.write({ kind: "release-list", ...owned, number: 1, ...by(60) }));
        await store.write({ ...refusing, ...by(61) });
        const { published, refused: why } = memory.deployments.get(id)!;
        assert.deepEqual([published!.generation, why], [1, { ...refusal, at: 61, number: 1 }]);
        const { sequence } = memory;
        await store.write({ ...refusing, ...by(62) });
        assert.equal(memory.sequence, sequence, "the same reasons again are no change");
        await refused("list-not-refused", store.write({ kind: "release-list", ...owned, number: 2, ...by(63) }));
        await store.write({ kind: "release-list", ...owned, number: 1, ...by(64) });
        assert.equal(memory.deployments.get(id)!.released, 1);
        const collateral = [{ id: "a", ipv4_addresses: "1", ipv6_addresses: "0" }];
        await store.write({ ...refusing, refusal: { ...refusal, collateral }, ...by(65) });
        const other = memory.deployments.get(id)!;
        assert.deepEqual([other.refused!.number, other.released], [2, null], "it would block something else");
        await store.write(publishing(owned, { basedOn: 1, sequence: 9, digest: "b" }));
        const now = memory.deployments.get(id)!;
        assert.deepEqual([now.published!.generation, now.refused, now.released], [2, null, null]);
        const { entries } = await store.read("audit", organisationId, { limit: 10 });
        assert.deepEqual(
          entries.map(({ command }) => command),
          ["release-list", "create-deployment", ...Array.from({ length: 3 }, () => "create-organisation")],
        );
      }));

    test("a credential is created, revoked once, and not found by others; an organisation has at most 100", () =>
      withDeployment(async ({ store, memory }, { id, organisationId }) => {
        const credential = await newCredential(store, organisationId, id, "first");
        assert.deepEqual(memory.credentials.get(credential.id), credential);
        assert.deepEqual([credential.deploymentId, credential.hostsOnly, credential.revokedAt], [id, true, null]);
        for (let i = 1; i < 100; i++) await newCredential(store, organisationId, id, `${i}`);
        await refused("too-many-credentials", newCredential(store, organisationId, id, "one more"));
        const revoking = {
          kind: "revoke-credential",
          credential: "bouncer",
          organisationId,
          credentialId: credential.id,
        } as const;
        await refused(
          "credential-not-found",
          store.write({ ...revoking, organisationId: crypto.randomUUID(), ...by(70) }),
        );
        const revoked = await store.write({ ...revoking, ...by(71) });
        assert.deepEqual(revoked.credential, { ...credential, revokedAt: 71 });
        const { sequence } = memory;
        assert.deepEqual(await store.write({ ...revoking, ...by(72) }), revoked);
        assert.equal(memory.sequence, sequence, "the same again is no change");
        await newCredential(store, organisationId, id, "in its place");
        const allows = { ...DEFINITION, purpose: "allowlist" } as const;
        const create = { kind: "create-deployment", organisationId, name: "allows", definition: allows } as const;
        const { deployment } = await store.write({ ...create, ...by(73) });
        const { credentials } = await store.load(null);
        const valid = credentials.find(({ revokedAt }) => revokedAt === null)!;
        await store.write({ ...revoking, credentialId: valid.id, ...by(74) });
        await refused("not-a-blocklist", newCredential(store, organisationId, deployment.id, "blocks it"));
      }));

    test("the state of a bouncer advances only from the state that the response was made from; lists are deleted with their last user", () =>
      withDeployment(async ({ store }, { id, organisationId }) => {
        const [one, other] = [
          await newCredential(store, organisationId, id, "one"),
          await newCredential(store, organisationId, id, "other"),
        ];
        const record = (credentialId: string, basedOn: number, digest: string, pulledAt: number) => {
          const progress = { credentialId, deploymentId: id, basedOn, digest, content: `content of ${digest}` };
          return store.record("bouncers", { ...progress, issuedAt: 5, pulledAt, agent: "a", doubt: null });
        };
        const list = (digest: string) => store.read("bouncerList", id, digest);
        assert.equal(await store.read("bouncerState", one.id), null);
        assert.equal(await record(one.id, 0, "a", 10), true);
        assert.equal(await record(one.id, 0, "b", 11), false, "made from an earlier state");
        assert.deepEqual(await store.read("bouncerState", one.id), {
          credentialId: one.id,
          version: 1,
          digest: "a",
          doubt: null,
          issuedAt: 5,
          pulledAt: 10,
          agent: "a",
        });
        assert.deepEqual([await list("a"), await list("b")], ["content of a", null]);
        assert.equal(await record(other.id, 0, "a", 12), true);
        assert.equal(await record(one.id, 1, "b", 13), true);
        assert.deepEqual([await list("a"), await list("b")], ["content of a", "content of b"]);
        assert.equal(await record(other.id, 1, "b", 14), true);
        assert.equal(await list("a"), null, "no bouncer has it");
        assert.equal((await store.read("bouncerStates", organisationId)).length, 2);
        await store.write({
          kind: "revoke-credential",
          credential: "bouncer",
          organisationId,
          credentialId: one.id,
          ...by(80),
        });
        assert.equal(await store.read("bouncerState", one.id), null);
        assert.equal(await record(one.id, 0, "c", 15), false, "it is revoked");
        assert.deepEqual([await list("b"), await list("c")], ["content of b", null]);
      }));

    test("blocked amounts are added up by hour for 31 days; too many sources count as other", () =>
      withDeployment(async ({ store }, { id }) => {
        const count = (source: string, amount: number) => ({ source, prefix: "", unit: "packet", amount }) as const;
        const record = (at: number, ...counts: ReturnType<typeof count>[]) =>
          store.record("blocked", { deploymentId: id, at, counts });
        await record(40 * DAY, count("old", 1));
        await record(71 * DAY + 5, count("a", 2), count("b", 1), count("a", 3));
        await record(71 * DAY + 9, count("a", 4));
        assert.deepEqual(await store.read("blocked", id, 71 * DAY + 10), {
          counts: [count("a", 9), count("b", 1)],
          hours: [{ at: 71 * DAY, unit: "packet", amount: 10 }],
        });
        await record(71 * DAY + 11, ...Array.from({ length: 600 }, (_, index) => count(`s${index}`, 1)));
        const { counts, hours } = await store.read("blocked", id, 71 * DAY + 12);
        assert.deepEqual([counts[0], hours[0]!.amount], [count("other", 102), 610]);
      }));

    test("of each key and deployment, the URLs that it has read are recorded", () =>
      withDeployment(async (replica, { id, organisationId }) => {
        const { store } = replica;
        const keyId = (await createKey(replica, organisationId)).id;
        const reader = { keyId, deploymentId: id, rotation: 1, at: 5 };
        await store.record("urlReaders", reader);
        await store.record("urlReaders", reader);
        assert.deepEqual(await store.read("urlReaders", organisationId), [reader]);
        await store.record("urlReaders", { ...reader, rotation: 2, at: 6 });
        const read = await store.read("urlReaders", organisationId);
        assert.deepEqual(
          [...read].sort((one, other) => one.at - other.at),
          [reader, { ...reader, rotation: 2, at: 6 }],
        );
        assert.deepEqual(await store.read("urlReaders", crypto.randomUUID()), []);
      }));

    test("pulls are recorded once, counted by day, and the last hundred are kept", () =>
      withDeployment(async ({ store }, { id }) => {
        const pulls = Array.from({ length: 150 }, (_, index) => pull(id, 40 * DAY + 1000 * index, `p${index}`));
        await store.record("pulls", pulls.slice(0, 120));
        await store.record("pulls", pulls.slice(60));
        const log = await store.read("pulls", id);
        assert.deepEqual(
          log.pulls,
          pulls
            .slice(50)
            .reverse()
            .map(({ id: _id, earlier: _earlier, ...rest }) => rest),
        );
        assert.deepEqual(log.days, [{ day: 40 * DAY, pulls: 150, bytes: 1500 }]);
        const later = { ...pull(id, 71 * DAY, "later"), earlier: { pulls: 4, bytes: 7 } };
        await store.record("pulls", [later]);
        await store.record("pulls", [later]);
        assert.deepEqual((await store.read("pulls", id)).days, [{ day: 71 * DAY, pulls: 5, bytes: 17 }]);
        assert.deepEqual(await store.read("pullTimes"), [{ deploymentId: id, at: 71 * DAY }]);
      }));
  });
}

function create({ store }: Replica, organisationId: string) {
  return store.write({ kind: "create-deployment", organisationId, name: "office", definition: DEFINITION, ...by(2) });
}

async function createKey({ store }: Replica, organisationId: string): Promise<Credential> {
  const about = { label: "reader", access: "read", digest: "d", start: "ips_Ab3d", expiresAt: null } as const;
  return (await store.write({ kind: "create-credential", credential: "api", organisationId, ...about, ...by(3) }))
    .credential;
}

function publishing(
  owned: { readonly organisationId: string; readonly deploymentId: string },
  { basedOn, sequence, digest }: { readonly basedOn: number; readonly sequence: number; readonly digest: string },
): PublishListCommand {
  const list = { sequence, digest, entries: { 4: 1, 6: 0 }, chunks: 1, datasets: {} };
  return { kind: "publish-list", ...owned, basedOn, list, content: `content of ${digest}`, ...by(50) };
}

function pull(deploymentId: string, at: number, id: string): PullToRecord {
  const earlier = { pulls: 0, bytes: 0 };
  const device = { file: "combined.txt", address: "192.0.2.1", agent: "a" };
  return { deploymentId, at, id, ...device, status: 200, bytes: 10, earlier };
}

async function newCredential(store: Replica["store"], organisationId: string, deploymentId: string, label: string) {
  const about = { credential: "bouncer", label, digest: `digest of ${label} ${deploymentId}`, start: "ipb_" } as const;
  const owned = { organisationId, deploymentId, hostsOnly: true, ...by(65) };
  return (await store.write({ kind: "create-credential", ...owned, ...about })).credential as Credential<"bouncer">;
}

async function refused(code: StoreErrorCode, write: Promise<unknown>): Promise<void> {
  await assert.rejects(write, { name: "StoreError", code });
}
