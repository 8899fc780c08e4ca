import { fileURLToPath } from "node:url";

/** The sample that comes with the package: invented data about documentation ranges. */
export const SAMPLE_DATASET: string = fileURLToPath(new URL("../../data/cti-sample.ipsieve", import.meta.url));
