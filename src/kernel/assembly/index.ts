// What the module exports; src/kernel/kernel.ts gives these functions their types. Not "export ... from": the compiler
// would take that file for a different one than the same file in an import, with its own variables.
import { skipExpired, useActiveMatches } from "./active.ts";
import { undecidedLines } from "./bare-address.ts";
import { haveColumns, scanColumn, scanQuotedColumn } from "./columns.ts";
import { countChunk, countedAddresses, countedLines, countedMatched, countLines, countMatches, lookupChunk, resetCounts, useUnmatched } from "./count.ts";
import { setHosts } from "./hosts.ts";
import { lookupBatch4 } from "./lookup-ipv4.ts";
import { lookupBatch6 } from "./lookup-ipv6.ts";
import { scanMember, useMember } from "./members.ts";
import { countObjects, irregularObjects } from "./objects.ts";
import { cutRecords, stateOfRecords } from "./records.ts";
import { gatherTemplates, numberLines, useRows, useTails, writeRows, writtenLines } from "./rows.ts";
import { countNewlines, scanChunk, scanned4, scanned6, scannedLines, setScanned } from "./scan.ts";
import { lookedUp, setTable } from "./table.ts";
import { writeTables } from "./tables.ts";
import { setWorkspace } from "./workspace.ts";

export {
  countChunk, countedAddresses, countedLines, countedMatched, countLines, countMatches, countNewlines, countObjects, cutRecords, gatherTemplates, haveColumns, irregularObjects, lookedUp, lookupBatch4, lookupBatch6, lookupChunk,
  numberLines, resetCounts, scanChunk, scanColumn, scanMember, scanned4, scanned6, scannedLines, scanQuotedColumn, setHosts, setScanned, setTable, setWorkspace, skipExpired, stateOfRecords,
  undecidedLines, useActiveMatches, useMember, useRows, useTails, useUnmatched, writeRows, writeTables, writtenLines,
};
