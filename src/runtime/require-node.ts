import { NODE_VERSION, NodeVersionError, nodeVersionError } from "./node-version.ts";

// Imported first by what programs import: modules after it use what older releases of Node lack, and would fail without
// saying why.
const problem = nodeVersionError(NODE_VERSION);
if (problem !== undefined) throw new NodeVersionError(problem);
