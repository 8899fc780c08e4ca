import { threadId } from "node:worker_threads";
import type { CreateRowTemplates } from "../../src/batch/engine/create-row-templates.ts";

/** Rows that say whether the main thread (0) or a worker (1) wrote them. */
export const createRowTemplates: CreateRowTemplates = () => () => Buffer.from(`thread ${Math.min(threadId, 1)}\n`);
