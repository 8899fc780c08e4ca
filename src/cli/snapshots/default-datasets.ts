import { existsSync } from "node:fs";
import { join } from "node:path";
import { BUNDLED_CATALOGUE } from "../../datasets/open-catalogue.ts";
import { SAMPLE_DATASET } from "../../datasets/sample-dataset.ts";
import { currentCatalogue, homeFolder } from "./home.ts";

/** The catalogue that a command uses by default: the one from the last update, else the bundled one. */
export function defaultCatalogue(): string {
  const updated = currentCatalogue(homeFolder());
  return existsSync(updated) ? updated : BUNDLED_CATALOGUE;
}

/** `defaultCatalogue`, as the help describes it. */
export const DEFAULT_CATALOGUE = 'the one from the last "ipsieve cbs update", otherwise the bundled one';

/** The dataset that a command uses by default: the one from the last import, else the sample. */
export function defaultDataset(): string {
  const imported = datasetPath(homeFolder());
  return existsSync(imported) ? imported : SAMPLE_DATASET;
}

/** The path of the dataset that commands and server read from a home folder. */
export function datasetPath(home: string): string {
  return join(home, "cti.ipsieve");
}

/** `defaultDataset`, as the help describes it. */
export const DEFAULT_DATASET = "cti.ipsieve in the home folder (the one the server uses), otherwise the bundled sample";
