import { get, remove } from "./api.ts";
import { problemOf } from "./problem.ts";
import { session } from "./session.ts";

/** Finds out who is signed in. Rejects with Problem if that cannot be determined. */
export async function readSession(): Promise<void> {
  try {
    session.value = await get("/dashboard/api/session");
  } catch (error) {
    if (problemOf(error).status !== 401) throw error;
    session.value = null;
  }
}

export async function signOut(): Promise<void> {
  try {
    await remove("/dashboard/api/session");
  } catch (error) {
    // It has already ended.
    if (problemOf(error).status !== 401) throw error;
  }
  session.value = null;
}
