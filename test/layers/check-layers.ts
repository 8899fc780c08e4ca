import { posix } from "node:path";
import { readReferences, type Reference, type SourceReferences } from "./read-references.ts";

export interface Room {
  readonly imports: readonly string[];
  readonly outside: readonly string[];
  readonly globals?: readonly string[];
  readonly plugs?: boolean;
  readonly reads?: readonly string[];
  /** Its folders, and single files, bottom-up: each imports only what stands before it. ".": the files beside them. */
  readonly folders?: readonly string[];
}

export interface Layers {
  readonly rooms: Readonly<Record<string, Room>>;
  /** Packages that only compute: a room that uses no others is pure. */
  readonly purePackages: readonly string[];
  readonly assembly: { readonly folder: string; readonly imports: readonly string[] };
  /** The files of the public API, which may re-export from every room except these, and from each other. */
  readonly entries: Readonly<Record<string, { readonly excludes: readonly string[] }>>;
}

/**
 * Checks sources (path below `src/` → text) against the room table. Returns one line per violation: `file:line: what`.
 */
export function checkLayers(layers: Layers, sources: Readonly<Record<string, string>>): string[] {
  return checkReferences(layers, readReferences(sources));
}

/** Like `checkLayers`, for sources that have been read: files with their references. */
export function checkReferences(layers: Layers, read: Iterable<readonly [string, SourceReferences]>): string[] {
  const violations: string[] = [];
  for (const [file, { references, worldGlobals, isBarrel }] of read) {
    const report = (line: number, what: string) => violations.push(`src/${file}:${line}: ${what}`);
    const entry = layers.entries[file];
    if (entry !== undefined) {
      for (const { kind, specifier, line } of references) {
        const target = roomOf((specifier ?? "").replace("./", ""));
        if (target !== undefined && entry.excludes.includes(target))
          report(line, `${kind} of src/${specifier!.slice(2)}: the entry may not import ${target}`);
      }
      continue;
    }
    const name = roomOf(file);
    const room = name === undefined ? undefined : layers.rooms[name];
    if (name === undefined || room === undefined) {
      report(1, "belongs to no room of layers.json");
      continue;
    }
    if (isBarrel) report(1, "is a barrel; import from the files that hold the things");
    const isAssembly = inAssembly(layers, file);
    for (const reference of references) {
      const what = isAssembly
        ? assemblyViolationOf(layers, reference, file)
        : violationOf(layers, reference, file, name, room);
      if (what !== undefined) report(reference.line, what);
    }
    const isPure = room.outside.every((name) => layers.purePackages.includes(name));
    for (const { name: world, line } of isPure ? worldGlobals : []) {
      if (!isAssembly && room.globals?.includes(world) === true) continue;
      report(line, `the pure room ${name} reaches the outside world through ${world}`);
    }
  }
  return violations;
}

function inAssembly(layers: Layers, file: string): boolean {
  return file.startsWith(`${layers.assembly.folder}/`);
}

/**
 * Assembly is compiled to a module of its own, of which everything that it imports becomes a part: so only listed files
 * are allowed.
 */
function assemblyViolationOf(layers: Layers, { kind, specifier }: Reference, file: string): string | undefined {
  const target = specifier?.startsWith(".") === true ? posix.join(posix.dirname(file), specifier) : undefined;
  const allowed =
    kind === "import" &&
    target !== undefined &&
    (inAssembly(layers, target) || layers.assembly.imports.includes(target));
  return allowed
    ? undefined
    : `${kind} of ${target === undefined ? (specifier ?? "a computed address") : `src/${target}`} in ${layers.assembly.folder}`;
}

function violationOf(layers: Layers, reference: Reference, file: string, name: string, room: Room): string | undefined {
  const { kind, specifier } = reference;
  if (specifier === null) return room.plugs === true ? undefined : `${kind} of a computed address`;
  if (!specifier.startsWith(".")) {
    return room.outside.includes(specifier) ? undefined : `${kind} of ${specifier}, which the room ${name} may not use`;
  }
  const target = posix.join("src", posix.dirname(file), specifier);
  if (!target.startsWith("src/")) return outsideOfSources(reference, target, name, room);
  const targetRoom = roomOf(target.slice("src/".length));
  if (inAssembly(layers, target.slice("src/".length))) return `${kind} of ${target}, which is in another language`;
  if (targetRoom === name) return upwards(kind, file, target.slice("src/".length), room);
  if (kind === "url") return `addresses ${target}: worker files live in the room that spawns them`;
  if (targetRoom === undefined || !room.imports.includes(targetRoom))
    return `${kind} of ${target}: ${name} may not import ${targetRoom ?? "it"}`;
  if (posix.basename(target).startsWith("_")) return `${kind} of ${target}, which is private to ${targetRoom}`;
  return undefined;
}

/** A file of a room may import only from its own folder and those before it. */
function upwards(kind: string, file: string, target: string, { folders }: Room): string | undefined {
  if (folders === undefined) return undefined;
  const [from, to] = [folderOf(file, folders), folderOf(target, folders)];
  if (!folders.includes(from)) return `the folder ${from} is not among the folders of its room`;
  // What a thread is started with is not imported.
  return kind === "url" || folders.indexOf(to) <= folders.indexOf(from)
    ? undefined
    : `${kind} of src/${target}: ${from} may not import ${to}, which stands above it`;
}

/** The folder of a file within its room, or the file if it is named by itself. */
function folderOf(file: string, folders: readonly string[]): string {
  const parts = file.split("/").slice(1);
  return parts.length > 1 || folders.includes(parts[0]!) ? parts[0]! : ".";
}

function outsideOfSources({ kind }: Reference, target: string, name: string, room: Room): string | undefined {
  const allowed = room.reads?.some((path) => target === path || target.startsWith(`${path}/`)) ?? false;
  return kind === "url" && allowed ? undefined : `${kind} of ${target}, which the room ${name} may not read`;
}

function roomOf(file: string): string | undefined {
  const slash = file.indexOf("/");
  return slash < 0 ? undefined : file.slice(0, slash);
}
