// The part of the package that needs no `node:` module: for browsers, workers, Deno, Bun and edge platforms. None of
// its imports needs one either (`test/exports/entries.test.ts`).

// addresses
export type { Address, Family, Prefix } from "./address/address.ts";
export { AddressError, type AddressErrorCode } from "./address/address-error.ts";
export { isAddress, parseAddress, parseAddressInto } from "./address/parse-address.ts";
export { formatAddress } from "./address/format-address.ts";
export { comparePrefixes, formatPrefix, parsePrefix, prefixContains, prefixOf } from "./address/prefix.ts";
export { lastAddress, mergePrefixes, parseRange, rangeToPrefixes } from "./address/range.ts";
export { type SpecialPurpose, specialPurpose } from "./address/special-purpose.ts";

// tries and tables
export { PrefixTrie, type PrefixEntry } from "./trie/prefix-trie.ts";
export type { PrefixSource, PrefixVisitor } from "./trie/prefix-source.ts";
export type { ValueId } from "./trie/value-id.ts";
export { freeze } from "./table/freeze.ts";
export { type MatchId, NO_MATCH } from "./table/match-id.ts";
export { PrefixTable } from "./table/prefix-table.ts";
export { TableError } from "./table/table-error.ts";

// snapshots
export { Snapshot, type SnapshotInfo } from "./snapshot/snapshot.ts";
export { snapshotFromBytes } from "./snapshot/snapshot-from-bytes.ts";
export { SnapshotError, type SnapshotErrorCode } from "./snapshot/snapshot-error.ts";

// catalogues
export {
  Catalogue,
  type CatalogueChecks,
  type CatalogueMetadata,
  type CatalogueNode,
  type CatalogueSource,
} from "./cbs/catalogue.ts";
export { CatalogueBuilder, type CatalogueSubject } from "./cbs/catalogue-builder.ts";
export { CatalogueError, type CatalogueErrorCode } from "./cbs/catalogue-error.ts";
export { identify, identifyText } from "./cbs/identify.ts";
export type { LookupDocument, LookupMatch, LookupPrimary } from "./cbs/lookup-document.ts";
export { type NetworkName, primarySentence } from "./cbs/primary.ts";
export { type ClaimedCrawler, claimedCrawler, type CrawlerVerdict } from "./cbs/crawler-verdict.ts";
export { CatalogueTree, type Extent } from "./cbs/catalogue-tree.ts";
export {
  browse,
  type ChildDocument,
  type ListFilter,
  type ListItem,
  listProviders,
  listRegions,
  listServices,
  type NodeDocument,
} from "./cbs/browse.ts";
export { type RangeDocument, type RangeOptions, type RangePage, rangesOf } from "./cbs/ranges.ts";
export { SearchIndex, type SearchOptions } from "./cbs/search.ts";
export { type CatalogueStats, catalogueStats, type TypeStats } from "./cbs/stats.ts";
export { type CatalogueDiff, diffCatalogues, type NodeChange, type PrefixChange } from "./cbs/diff.ts";
export {
  type CatalogueExportOptions,
  EXPORT_FORMATS,
  exportCatalogue,
  type ExportFormat,
} from "./cbs/export-catalogue.ts";
export { clickhouseDdl } from "./formats/data/clickhouse.ts";
export { catalogueFromBytes } from "./datasets/catalogue-from-bytes.ts";
export { DatasetError as UsageError, type DatasetErrorCode as UsageErrorCode } from "./datasets/dataset-error.ts";

// networks
export {
  type Network,
  type NetworkOwner,
  Networks,
  type NetworksMetadata,
  type NetworksSource,
} from "./networks/networks.ts";
export { NetworksError, type NetworksErrorCode } from "./networks/networks-error.ts";
export { networksFromBytes } from "./datasets/networks-from-bytes.ts";

// threat intelligence
export { CtiDataset, type CtiMetadata, type CtiSource } from "./cti/dataset.ts";
export { CtiBuilder } from "./cti/dataset-builder.ts";
export { type CtiDocument, type ExtendedCtiDocument } from "./cti/documents.ts";
export { CLASSIFICATIONS, type Classification, type CtiRecord, mergeRecords, recordOf } from "./cti/fields.ts";
export {
  BULK_DOCUMENTS,
  type BatchLookup,
  bulkDocuments,
  bulkJson,
  bulkJsonLines,
  bulkLookup,
  type BulkDocument,
} from "./cti/bulk-lookup.ts";
export { FEED_FORMATS, type FeedFormat, FeedImport, type FeedOptions } from "./cti/import-feed.ts";
export { type FeedReport, type FeedWarning, type SkippedFeedLine } from "./cti/importers/feed.ts";
export { FeedError, type FeedErrorCode } from "./cti/importers/feed-error.ts";
export { CtiError, type CtiErrorCode } from "./cti/cti-error.ts";
export { ctiDatasetFromBytes } from "./datasets/cti-dataset-from-bytes.ts";

// sets
export { type AddressRange, AddressSet, type SetOperation } from "./sets/address-set.ts";
export {
  type AddressCount,
  millionthsOf,
  type RelatedPair,
  type RelatedSet,
  relating,
  type Relation,
  type Relations,
} from "./sets/relate.ts";
export { fit, type Fit, FitError, type FitLoss, type FitOptions, fitting } from "./sets/fit.ts";

// rulesets
export { activeRules, isActive, type Rule } from "./rulesets/rule.ts";
export {
  type Addition,
  addRule,
  type AddRequest,
  CONFLICT_MODES,
  type ConflictMode,
  type RuleChanges,
  updateRule,
} from "./rulesets/write-rule.ts";
export {
  PURPOSES,
  type Purpose,
  Ruleset,
  type RulesetExportOptions,
  type RulesetImport,
  type RulesetImportOptions,
  type RulesetOptions,
} from "./rulesets/ruleset.ts";
export { type ExplainedRule, explain, type Explanation, type RuleRole } from "./rulesets/explain.ts";
export {
  type Hits,
  type Replay,
  type ReplayDifference,
  replayDifference,
  replaying,
  RuleHits,
  type SeenAddresses,
  type SeenAt,
  topHits,
} from "./rulesets/replay.ts";
export { rulesetFromBytes } from "./datasets/ruleset-from-bytes.ts";
export { RulesetError, type RulesetErrorCode } from "./rulesets/ruleset-error.ts";
export type { AddOptions, RuleOptions } from "./rulesets/rule-options.ts";
export { NO_RULE, type RuleId } from "./rulesets/rule-id.ts";
export { type CheckResult, type OnMalformed, type PageRequest, RuleIndex } from "./rulesets/index/rule-index.ts";
export type { RuleBatchLookup, RuleEngine } from "./rulesets/index/rule-engine.ts";
export { columnsOf, type PlainColumns, type RuleColumns } from "./rulesets/rule-columns.ts";
export { namesOf, type PackedNames, packNames, type RuleNames } from "./rulesets/rule-names.ts";
export { planReplacement, type ReplacementPlan, type DesiredRule } from "./rulesets/plan-replacement.ts";
export { RuleError, type RuleErrorCode, type RuleField } from "./rulesets/rule-error.ts";
export { checkRuleName, expiryInDays, parseRulePrefix, type PrefixPolicy } from "./rulesets/validate-rule.ts";
export { parseTimestamp } from "./rulesets/timestamp.ts";
export { formatTimestamp } from "./time/format-timestamp.ts";
export {
  exportRules,
  type ExportPart,
  type RuleExportFormat,
  type RuleExportOptions,
  RULE_EXPORT_FORMATS,
} from "./rulesets/export-rules.ts";
export {
  IMPORT_FORMATS,
  type ImportedRules,
  type ImportFormat,
  type ImportOptions,
  RuleImport,
  type SkippedLines,
} from "./rulesets/importers/import-rules.ts";
export type { ImportedRule, LineError, RuleDefaults, SkippedLine } from "./rulesets/importers/imported-rule.ts";

export { type Compaction, type CompactOptions, compacting, type RedundantRule } from "./rulesets/compact.ts";

// what a list would block
export {
  type Collateral,
  findCollateral,
  findingCollateral,
  type Hit,
  type Protection,
} from "./collateral/find-collateral.ts";
export { type ProtectedThings, protectionOf } from "./collateral/protection-of.ts";
export type { NodeClass } from "./collateral/node-classes.ts";
export type { Protected, ProtectedGroup, ProtectedKind } from "./collateral/protected.ts";

// batches
export type { Engine } from "./batch/engine/engine.ts";
export { type BufferMatches, type BufferProgress, Matcher } from "./batch/engine/matcher.ts";
export { NO_ADDRESS } from "./batch/lines/find-address.ts";

// types that signatures above name
export type { ProtectingRules } from "./collateral/find-collateral.ts";
export type { PrefixList as ListedPrefixes } from "./collateral/protected.ts";
export type { Claim } from "./cbs/catalogue.ts";
export type { StoredNodes } from "./cbs/_node-table.ts";
export type { InParts } from "./cbs/in-parts.ts";
export type { PrefixList } from "./cbs/_prefix-list.ts";
export type { SourceDocument } from "./cbs/browse.ts";
export type { Layer } from "./cbs/catalogue-ages.ts";
export type { RangeSelection } from "./cbs/ranges.ts";
export type { StoredBlobs } from "./cti/_blobs.ts";
export type { Named as NamedCtiEntity } from "./cti/documents.ts";
export type { TableEntry } from "./table/table-entry.ts";
export type { SectionName, SectionSpan, TableSections } from "./table/sections.ts";
export type { TableErrorCode } from "./table/table-error.ts";
export type { Favour, FreezeOptions } from "./table/freeze.ts";
export type { NodeKind, NodeKindUse, TableLayout } from "./table/table-layout.ts";
export type { ImportedColumns } from "./rulesets/importers/import-rules.ts";
export type { ListedColumns } from "./rulesets/rule-list.ts";
export type { FoundRules, RuleFilter, RuleSearch } from "./rulesets/index/rule-search.ts";
export type { Shared } from "./memory/shared-memory.ts";
export type { SharedMemory } from "./memory/web-assembly.ts";
export type { SnapshotHead, SnapshotSection, SnapshotSectionName } from "./snapshot/format.ts";
