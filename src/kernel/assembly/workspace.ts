/** The address of this instance's workspace; `src/kernel/workspace.ts` draws what lies in it. */
export let workspace: usize = 0;

export function setWorkspace(at: usize): void {
  workspace = at;
}
