import type { FromProcess, ToProcess } from "../../../src/api/processes/messages.ts";

// A process for a supervisor, in the place of one that serves requests. Its argument says what it does.

const [mode] = process.argv.slice(2);
const ready: FromProcess = { kind: "ready", text: "ready" };
const alive: FromProcess = { kind: "alive" };

process.on("message", ({ kind }: ToProcess) => {
  if (kind !== "end" || mode === "hangs" || mode === "ignores the end") return;
  if (mode === "ready at the end") process.send!(ready, () => process.exit());
  else process.exit();
});
if (mode === "is killed") process.kill(process.pid, "SIGKILL");
if (mode === "cannot start") process.exit(2);
if (mode === "never ready") setInterval(() => process.send!(alive), 1);
if (mode === "serves" || mode === "ignores the end") process.send!(ready);
if (mode === "ends soon") process.send!(ready, () => process.exit(1));
