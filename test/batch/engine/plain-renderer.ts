/** The rows of a catalogue, with a template of its own for each match. */
export { createRowTemplates } from "../../../src/datasets/catalogue-renderer.ts";
