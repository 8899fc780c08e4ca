// oxlint-disable-next-line import/no-unassigned-import -- it runs before what other modules need
import "./runtime/require-node.ts";

export * from "./core.ts";

// snapshots
export type { SnapshotContent } from "./snapshot/encode-snapshot.ts";
export { writeSnapshot } from "./snapshot/write-snapshot.ts";
export { type OpenOptions, openSnapshot } from "./snapshot/open-snapshot.ts";
export { parseTrustedKeys, type TrustedKeys } from "./snapshot/signing.ts";
export { signSnapshot, type SignOptions } from "./snapshot/sign-snapshot.ts";
export { verifySnapshot, type VerifiedSnapshot } from "./snapshot/verify-snapshot.ts";
export {
  type Generation,
  type HolderEvents,
  type HolderOptions,
  type Lease,
  SnapshotHolder,
  type WatchOptions,
  watchSnapshot,
} from "./snapshot/snapshot-holder.ts";

// catalogues
export {
  importCatalogue,
  type ImportedCatalogue,
  type ImportedFile,
  type SourceReport,
} from "./cbs/import-catalogue.ts";
export { GENERIC_IMPORTERS, type Source, type SourceFile, SOURCES, type SourceType } from "./cbs/importers/sources.ts";
export type {
  ImportedEntry,
  ImportedList,
  Importer,
  ImportWarning,
  ImportWarningCode,
  Named,
  Place,
} from "./cbs/importers/imported-list.ts";
export { decodeList } from "./cbs/importers/decode-list.ts";
export { ImportError, type ImportErrorCode } from "./cbs/importers/import-error.ts";
export { openCatalogue, openCatalogueSnapshot } from "./datasets/open-catalogue.ts";

// networks
export { openNetworks, openNetworksSnapshot } from "./datasets/open-networks.ts";

// threat intelligence
export { openCtiDataset, openCtiSnapshot } from "./datasets/open-cti-dataset.ts";

// batches: `identify` of whole logs, under a name of its own here
export { identify as identifyLines } from "./batch/identify.ts";
export type { IdentifyOptions, LabelledSnapshot } from "./batch/identify-options.ts";
export type { AddressChoice } from "./batch/lines/fields/field-address.ts";
export type { CreateRowTemplates } from "./batch/engine/create-row-templates.ts";
export type { TimeCount, TimeUnit } from "./batch/engine/time-counter.ts";
export type {
  IdentifyResult,
  MalformedInputLine,
  Progress,
  RepeatedAddress,
  TimeCounts,
} from "./batch/identify-result.ts";
export type { TemplateFormat } from "./rows/row-format.ts";
export type { AddressCounts } from "./batch/engine/address-counts.ts";
export type { AddressRanking, CountedAddress, TopAddresses } from "./batch/top-addresses.ts";
export { createPool, Pool, type PoolCallOptions, type PoolMatches, type PoolOptions } from "./batch/pool/pool.ts";
export { BatchError, type BatchErrorCode } from "./batch/batch-error.ts";
export { CATALOGUE_RENDERER as catalogueRenderer } from "./datasets/catalogue-renderer.ts";

// rulesets in files
export { openRuleset, openRulesetSnapshot, saveRuleset } from "./datasets/ruleset-files.ts";

// files that are replaced
export { watchCatalogue, watchCtiDataset, watchNetworks, watchRuleset } from "./datasets/watch-datasets.ts";

// types that signatures above name
export type { BatchErrorLocation } from "./batch/batch-error.ts";
export type { MalformedReason } from "./batch/engine/messages.ts";
export type { BatchLimits } from "./batch/identify-options.ts";
export type { RowSelection } from "./batch/engine/messages.ts";
export type { FieldSyntax } from "./batch/lines/fields/resolve-field.ts";
export type { RowFormat } from "./rows/row-format.ts";
export type { ListTimes } from "./cbs/import-catalogue.ts";
export type { FileOperations } from "./files/publish-file.ts";
