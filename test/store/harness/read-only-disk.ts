import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A disk that the kernel can regard as broken, which makes its file system read-only even for open files. `mount -o
 * remount,ro` is rejected while there are any.
 */
export interface BreakableDisk extends Disposable {
  readonly path: string;
  /** Does what the kernel does after an error on an ext4 file system that is mounted with errors=remount-ro. */
  makeReadOnly(): void;
  /** Does what an administrator does then. No file may be open. */
  mountAgain(): void;
}

/** Why such a disk is not available here. */
export const whyNoBreakableDisk: false | string = reason();

export function mountBreakableDisk(bytes: number): BreakableDisk {
  const folder = mkdtempSync(join(tmpdir(), "ipsieve-ext4-"));
  const [image, path] = [join(folder, "image"), join(folder, "disk")];
  const run = (command: string, ...args: string[]): unknown => execFileSync(command, args, { stdio: "pipe" });
  const mount = (): unknown => run("mount", "-o", "loop,errors=remount-ro", image, path);
  const descriptor = openSync(image, "w");
  ftruncateSync(descriptor, bytes);
  closeSync(descriptor);
  mkdirSync(path);
  try {
    run("mkfs.ext4", "-q", image);
    mount();
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
  return {
    path,
    makeReadOnly: () => void run("mount", "-o", "remount,abort", path),
    mountAgain() {
      run("umount", path);
      mount();
    },
    [Symbol.dispose]() {
      run("umount", "--lazy", path);
      rmSync(folder, { recursive: true });
    },
  };
}

function reason(): false | string {
  if (process.platform !== "linux") return "the kernel is asked to break an ext4 file system, as Linux can";
  try {
    mountBreakableDisk(4 << 20)[Symbol.dispose]();
    return false;
  } catch (error) {
    return `no ext4 file system can be mounted here: ${(error as Error).message.split("\n")[0]}`;
  }
}
