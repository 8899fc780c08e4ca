/** Loads a package of bench/package.json; by name, so that the project type-checks where none of them is installed. */
export async function loadPeer<Module>(name: string): Promise<Module> {
  try {
    return (await import(name)) as Module;
  } catch (error) {
    throw new Error(`the contender ${name} cannot be loaded; install the contenders with: npm run bench:setup`, {
      cause: error,
    });
  }
}
