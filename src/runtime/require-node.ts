import { NODE_VERSION, NodeVersionError, nodeVersionError } from "./node-version.ts";

// Imported first by every entry: later modules use features that older releases of Node lack, and would fail without a
// clear error.
const problem = nodeVersionError(NODE_VERSION);
if (problem !== undefined) throw new NodeVersionError(problem);
