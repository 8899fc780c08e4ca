import type { Change } from "../../store/change.ts";
import { CatalogueUpdates } from "../datasets/catalogue-updates.ts";
import { type CatalogueView, openCatalogueView } from "../datasets/catalogue-view.ts";
import type { ChildCommand } from "../datasets/child-command.ts";
import { EarlierCatalogues } from "../datasets/earlier-catalogues.ts";
import { COMPILE_TIME, FeedImports, type FeedTarget, FREE_BYTES } from "../datasets/feed-imports.ts";
import { FollowedCatalogue } from "../datasets/followed-catalogue.ts";
import { catalogueChange, feedChange, recordDataset } from "../datasets/record-dataset.ts";
import { ServedDataset, type SnapshotPaths } from "../datasets/served-dataset.ts";
import { ServedNetworks } from "../datasets/served-networks.ts";
import { openThreatView, type ThreatView } from "../datasets/threat-view.ts";
import { ExternalLists } from "../lists/external-lists.ts";
import { ListSecrets } from "../lists/list-secrets.ts";
import { outboundRules } from "../reserved-host.ts";
import { SharedCache } from "../shared-cache.ts";
import type { Access } from "./access.ts";
import type { Area, LoggedBasis } from "./area.ts";
import type { Logs } from "./logs.ts";
import { Parts } from "./parts.ts";

/** Bytes of whole rulesets and lists of ranges that are kept as files. */
const MAX_FILE_BYTES = 128 << 20;

export interface DataOptions {
  /** Where the snapshot of the kind "catalogue" is. */
  readonly catalogue: SnapshotPaths;
  /** Where the snapshot of the kind "cti" is; until there is one, lookups of threat intelligence get 503. */
  readonly threats: SnapshotPaths;
  /** Where the snapshot of the kind "networks" is: the first path with a file; without any, lookups have no network. */
  readonly networks?: readonly string[];
  /** The folder of the catalogues that updates have built; undefined unless the server uses those. */
  readonly historyFolder?: string | undefined;
  /** How the dashboard updates the catalogue; undefined if no update would change what this server uses. */
  readonly updateCommand?: ChildCommand | undefined;
  /** How the catalogue is pulled again and again; undefined unless it comes from a URL. */
  readonly pullCommand?: ChildCommand | undefined;
  /** How the dashboard imports threat feeds; undefined if no import would change what this server uses. */
  readonly feedTarget?: FeedTarget | undefined;
}

/** What is known about addresses: the catalogue, threat intelligence, networks, and lists that others publish. */
export class Data implements Area {
  readonly catalogue: ServedDataset<CatalogueView>;
  readonly threats: ServedDataset<ThreatView>;
  /** The networks that lookups show beside the services. */
  readonly networks: ServedNetworks;
  /** The catalogues that were in use before. */
  readonly earlierCatalogues: EarlierCatalogues;
  readonly catalogueUpdates: CatalogueUpdates;
  /** undefined unless the catalogue is pulled from a URL. */
  readonly followedCatalogue: FollowedCatalogue | undefined;
  readonly feedImports: FeedImports;
  /** Lists that others publish, and the credentials for them. */
  readonly externalLists: ExternalLists;
  readonly listSecrets: ListSecrets;
  /** Files that are made once for all clients that request them. */
  readonly files = new SharedCache<Buffer>(MAX_FILE_BYTES);
  readonly #parts = new Parts();

  constructor(basis: LoggedBasis, options: DataOptions, { secretKey }: Access, { identifications }: Logs) {
    const { settings, now, store, peers, memory, metrics, log } = basis;
    const { catalogue: cataloguePaths, historyFolder, updateCommand, pullCommand, feedTarget } = options;
    const catalogue = (this.catalogue = new ServedDataset({
      name: "catalogue",
      ...cataloguePaths,
      load: (path, time) => openCatalogueView(path, time, cataloguePaths),
      metrics,
      now,
      log,
    }));
    this.threats = new ServedDataset({ name: "cti", ...options.threats, load: openThreatView, metrics, now, log });
    this.networks = new ServedNetworks({ paths: options.networks ?? [], log });
    this.earlierCatalogues = new EarlierCatalogues({ folder: historyFolder, log });
    // Other processes would notice the new file a little later; the client that replaced it gets its response after that.
    const reloading = (name: "catalogue" | "threats") => async () =>
      (await Promise.all([this[name].reload(), peers.ask("reload", name)]))[0];
    this.catalogueUpdates = new CatalogueUpdates({
      command: updateCommand,
      catalogue: {
        reload: reloading("catalogue"),
        get times() {
          return catalogue.times;
        },
      },
      onUpdated: (update) =>
        catalogueChange(update, cataloguePaths.paths[0]!, now()).then((change) =>
          recordDataset({ store, log }, change),
        ),
      now,
      log,
    });
    this.followedCatalogue =
      pullCommand &&
      new FollowedCatalogue({ command: pullCommand, every: settings.catalogueInterval * 1000, metrics, now, log });
    this.feedImports = new FeedImports({
      store,
      target: feedTarget,
      threats: { reload: reloading("threats") },
      slots: identifications.slots,
      limits: { bytes: settings.feedBytes, freeBytes: FREE_BYTES, compileTime: COMPILE_TIME },
      onImported: (imported) => recordDataset({ store, log }, feedChange(imported, now())),
      now,
      log,
    });
    const secrets = (this.listSecrets = new ListSecrets(secretKey));
    this.externalLists = new ExternalLists({ store, memory, secrets, now, rules: outboundRules(settings), peers }, log);
    this.#addParts(peers.isFirst);
  }

  #addParts(isFirst: boolean): void {
    const { catalogue, threats, networks, catalogueUpdates, followedCatalogue, feedImports } = this;
    this.#parts.add(this.externalLists);
    for (const dataset of [catalogue, threats])
      this.#parts.add({ start: () => dataset.watch(), stop: () => dataset.close() });
    this.#parts.add({ stop: () => networks.close() });
    this.#parts.add({
      start: () => isFirst && followedCatalogue?.start(),
      stop: () => followedCatalogue?.close(),
    });
    this.#parts.add({ stop: () => catalogueUpdates.close() });
    this.#parts.add({ stop: () => feedImports.close() });
  }

  /** Loads the files for the first time. Rejects with the error of one. */
  async open(): Promise<void> {
    this.feedImports.sweep();
    await Promise.all([this.catalogue.open(), this.threats.open()]);
  }

  /** Loads the files again; failures are logged. */
  async reload(): Promise<void> {
    await Promise.all([this.catalogue.reload(), this.threats.reload(), this.networks.reload()]);
  }

  start(): Promise<void> {
    return this.#parts.start();
  }

  apply(changes: readonly Change[]): void {
    for (const change of changes) if (change.kind === "external-list") this.externalLists.changed(change.list.id);
  }

  /** Ends the commands in progress immediately. */
  kill(): void {
    this.catalogueUpdates.kill();
    this.followedCatalogue?.kill();
    this.feedImports.kill();
  }

  close(): Promise<void> {
    return this.#parts.stop();
  }
}
