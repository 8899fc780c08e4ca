import { Type } from "typebox";
import { formatPrefix, parsePrefix } from "../../address/prefix.ts";
import { reasonAgainst } from "../../deployments/unprocessable.ts";
import type { CompiledDeployment } from "../../service/deployments/compile-deployment.ts";
import { formatNamed } from "../../service/deployments/deployment-formats.ts";
import { doubtfulSources } from "../../service/deployments/doubtful-sources.ts";
import { unprocessableOf } from "../../service/deployments/feed-files.ts";
import { SourceError } from "../../service/sources/gather-source.ts";
import { guardWarnings } from "../../service/deployments/guard-deployment.ts";
import { type ListDifference, listDifference } from "../../service/deployments/list-difference.ts";
import { prefixesOfList } from "../../service/sources/list-text.ts";
import { readDefinition } from "../../service/deployments/read-deployment.ts";
import { warningsIn } from "../../service/guards/collateral-documents.ts";
import { checkRulesetText } from "../../service/rules/read-rule.ts";
import { invalid } from "../../service/service-error.ts";
import type { Services } from "../../service/services.ts";
import type { AddressSet } from "../../sets/address-set.ts";
import { changedDefinition, type Deployment, type DeploymentDefinition } from "../../store/records/deployment.ts";
import type { App } from "../app-type.ts";
import { READ_EDL } from "../operation.ts";
import { Collateral } from "../schemas/collateral.ts";
import { Count, type DocumentOf, named, NullableTimestamp, timeOrNull } from "../schemas/common.ts";
import {
  changesIn,
  contextOf,
  deployments,
  DoubtfulSources,
  PreviewBody,
  PreviewNewBody,
  Reason,
  SOURCES,
} from "./deployments.ts";
import { findIn } from "./resource.ts";

/** Prefixes that a preview lists. */
const SHOWN_PREFIXES = 20;

const Addresses = Type.String({ pattern: "^[0-9]+$", description: "how many addresses; as text, as it may be long" });
const ChangedAddresses = (which: string) =>
  Type.Object(
    {
      ipv4_addresses: Addresses,
      ipv6_addresses: Addresses,
      prefixes: Type.Array(Type.String(), { description: `the first ${SHOWN_PREFIXES}` }),
    },
    { description: which },
  );

const DeploymentPreview = named(
  "DeploymentPreview",
  Type.Object({
    ipv4_entries_count: Count,
    ipv6_entries_count: Count,
    ipv4_addresses: Addresses,
    ipv6_addresses: Addresses,
    timed_entries_count: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: "entries that devices drop by themselves (option timeouts); absent without it",
      }),
    ),
    removed_ipv4_entries: Type.Integer({ minimum: 0, description: "what excludes remove, as the fewest prefixes" }),
    removed_ipv6_entries: Count,
    fitted: Type.Optional(
      Type.Object(
        {
          added_ipv4_addresses: Addresses,
          added_ipv6_addresses: Addresses,
          added: Type.Array(Type.String(), { description: `the first ${SHOWN_PREFIXES} prefixes of them` }),
        },
        {
          description:
            "the addresses added to shorten the list (overflow: fit); absent if it has few enough entries anyway",
        },
      ),
    ),
    entries: Type.Array(Type.String(), { description: `the first ${SHOWN_PREFIXES}` }),
    widest: Type.Array(Type.String(), { description: "the widest prefixes of each family" }),
    unprocessable_count: Type.Integer({ minimum: 0, description: "entries that the format cannot express" }),
    unprocessable: Type.Array(Type.Object({ prefix: Type.String(), reason: Type.String() }), {
      description: `the first ${SHOWN_PREFIXES} of them, each with the reason`,
    }),
    files: Type.Integer({ minimum: 1, description: "that the list is split into" }),
    changes_at: NullableTimestamp,
    reasons: Type.Array(Reason, {
      description: "why it would not be published",
    }),
    doubtful_sources: DoubtfulSources,
    difference: Type.Optional(
      Type.Object(
        {
          ipv4_entries_before: Count,
          ipv6_entries_before: Count,
          listed: ChangedAddresses("addresses that devices do not have and would get"),
          unlisted: ChangedAddresses("addresses that devices have and would no longer get"),
        },
        {
          description:
            "how it differs from the list that devices have now; absent for a deployment that does not exist yet",
        },
      ),
    ),
    warnings: Type.Optional(
      Type.Array(Collateral, {
        description:
          "what a list with the purpose blocklist would block that it should not, or what is left out of it (guard: carve): the first 100, the most addresses first; absent if there is nothing, or with guard: off",
      }),
    ),
  }),
);

/** What deployments would publish. */
export function addDeploymentPreviewRoutes(app: App, services: Services): void {
  const newSchema = {
    operationId: "previewNewDeployment",
    summary: "The list that a deployment like this would have now; nothing is written",
    tags: deployments.tags,
    problems: [400, 413, 415],
    body: PreviewNewBody,
    response: { 200: DeploymentPreview },
    bodyExample: { include: SOURCES, exclude: [{ prefixes: ["203.0.113.128/25"] }] },
  };
  app.post(`${deployments.path}::preview`, { config: READ_EDL, schema: newSchema }, async (request) => {
    const { name = "preview", ...fields } = request.body;
    checkRulesetText({ name, description: fields.description });
    const definition = await readDefinition(fields, contextOf(request, services));
    const { organisationId } = request.caller;
    return previewOf({ organisationId, name, definition, published: null }, services);
  });

  const schema = {
    operationId: "previewDeployment",
    summary: "The list as it would be now, with these changes; nothing is written",
    tags: deployments.tags,
    problems: [400, 404, 413, 415],
    params: deployments.params,
    body: PreviewBody,
    response: { 200: DeploymentPreview },
    bodyExample: { exclude: [{ prefixes: ["203.0.113.0/26"] }] },
  };
  app.post(`${deployments.one}::preview`, { config: READ_EDL, schema }, async (request) => {
    const found = findIn(deployments, request, services);
    const { name = found.name, ...fields } = request.body;
    const changes = await changesIn({ name, ...fields }, found, request, services);
    return previewOf({ ...found, name, definition: changedDefinition(found.definition, changes) }, services, found);
  });
}

/** Rejects with ServiceError "invalid" for a source that cannot be read. O(sources), in slices. */
async function previewOf(
  deployment: Parameters<Services["publishing"]["lists"]["preview"]>[0],
  services: Services,
  before?: Deployment,
): Promise<DocumentOf<typeof DeploymentPreview>> {
  const { definition, organisationId } = deployment;
  try {
    const compiled = await services.publishing.lists.preview(deployment);
    return previewDocument(definition, compiled, {
      unprocessable: await unprocessableOf(deployment, compiled.text),
      doubtfulSources: doubtfulSources(definition, organisationId, services.memory),
      difference: before && (await differenceFrom(before, definition, compiled, services)),
    });
  } catch (error) {
    throw error instanceof SourceError ? invalid({ include: [error.message] }) : error;
  }
}

/** How a compiled list differs from what devices have: by the definition `before`. */
async function differenceFrom(
  { id, definition: before }: Deployment,
  { firewall_format: format }: DeploymentDefinition,
  { text }: CompiledDeployment,
  { publishing: { lists } }: Services,
) {
  const served = lists.served(id);
  const none = Buffer.alloc(0);
  const entries = served?.published.entries ?? { 4: 0, 6: 0 };
  const now = { text: served?.text ?? { 4: none, 6: none }, expression: formatNamed(before.firewall_format) };
  return { entries, ...(await listDifference(now, { text, expression: formatNamed(format) })) };
}

/** What a preview says besides the list itself. */
interface PreviewedList {
  readonly unprocessable: readonly string[];
  readonly doubtfulSources: readonly string[];
  /** From the list that devices have; undefined for a deployment that does not exist yet. */
  readonly difference: (ListDifference & Pick<CompiledDeployment, "entries">) | undefined;
}

function previewDocument(
  definition: DeploymentDefinition,
  { list, timed, added, removed, text, entries, chunks, until, rejections, suspicions, collateral }: CompiledDeployment,
  { unprocessable, doubtfulSources: doubtful, difference }: PreviewedList,
): DocumentOf<typeof DeploymentPreview> {
  const { tally } = list;
  const format = formatNamed(definition.firewall_format);
  return {
    ipv4_entries_count: entries[4],
    ipv6_entries_count: entries[6],
    ipv4_addresses: String(tally.addresses(4)),
    ipv6_addresses: String(tally.addresses(6)),
    ...(timed !== undefined && { timed_entries_count: entries[4] + entries[6] - timed.permanent }),
    removed_ipv4_entries: removed.count(4),
    removed_ipv6_entries: removed.count(6),
    ...(added !== undefined && { fitted: fittedDocument(added) }),
    entries: [...prefixesOfList(text[4]).take(SHOWN_PREFIXES), ...prefixesOfList(text[6]).take(SHOWN_PREFIXES)]
      .slice(0, SHOWN_PREFIXES)
      .map(formatPrefix),
    widest: ([4, 6] as const).flatMap((family) => tally.widest(family).map(formatPrefix)),
    unprocessable_count: unprocessable.length,
    unprocessable: unprocessable.slice(0, SHOWN_PREFIXES).map((prefix) => ({
      prefix,
      reason: reasonAgainst(format, parsePrefix(prefix)) ?? "",
    })),
    files: chunks,
    changes_at: until === Number.POSITIVE_INFINITY ? null : timeOrNull(until),
    reasons: [...rejections, ...suspicions],
    doubtful_sources: doubtful,
    ...(difference !== undefined && { difference: differenceDocument(difference) }),
    ...(collateral !== undefined && warningsIn(guardWarnings(definition, collateral))),
  };
}

function differenceDocument({ entries, listed, unlisted }: NonNullable<PreviewedList["difference"]>) {
  return {
    ipv4_entries_before: entries[4],
    ipv6_entries_before: entries[6],
    listed: changedDocument(listed),
    unlisted: changedDocument(unlisted),
  };
}

function changedDocument(addresses: AddressSet) {
  return {
    ipv4_addresses: String(addresses.size(4)),
    ipv6_addresses: String(addresses.size(6)),
    prefixes: [...addresses.prefixes().take(SHOWN_PREFIXES)].map(formatPrefix),
  };
}

/** What was added to shorten a list. */
function fittedDocument(added: AddressSet) {
  return {
    added_ipv4_addresses: String(added.size(4)),
    added_ipv6_addresses: String(added.size(6)),
    added: [...added.prefixes().take(SHOWN_PREFIXES)].map(formatPrefix),
  };
}
