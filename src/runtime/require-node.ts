import { NODE_VERSION, NodeVersionError, nodeVersionFault } from "./node-version.ts";

// Imported first by what programs import: modules after it use what older releases of Node lack, and would fail without
// saying why.
const fault = nodeVersionFault(NODE_VERSION);
if (fault !== undefined) throw new NodeVersionError(fault);
