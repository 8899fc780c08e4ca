import { NODE_VERSION, NodeVersionError, nodeVersionError } from "./node-version.ts";

// Imported first by what programs import: modules after it use what older releases of Node lack, and would fail without
// saying why.
const fault = nodeVersionError(NODE_VERSION);
if (fault !== undefined) throw new NodeVersionError(fault);
