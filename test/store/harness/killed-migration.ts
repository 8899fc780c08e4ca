import { Client } from "pg";
import { migrate } from "../../../src/store/migrations/migrate.ts";
import { openPool } from "../../../src/store/postgres/_database.ts";
import { openDatabase } from "../../../src/store/sqlite/_database.ts";
import { GROWN } from "./grown-migrations.ts";

// Migrates a file or database and is killed before statement number `step`; prints "done" if there are fewer
// statements.
const [kind, where, step] = process.argv.slice(2) as ["file" | "url", string, string];
let statements = 0;
const count = () => {
  if (++statements === Number(step)) process.kill(process.pid, "SIGKILL");
};

if (kind === "file") {
  const engine = openDatabase(where, true);
  const prepare = engine.file.prepare.bind(engine.file);
  engine.file.prepare = (...args) => {
    const statement = prepare(...args);
    for (const method of ["all", "run"] as const) {
      const run = statement[method].bind(statement) as (...values: never[]) => never;
      statement[method] = (...values: never[]) => {
        count();
        return run(...values);
      };
    }
    return statement;
  };
  await migrate(engine, GROWN);
  engine.file.close();
} else {
  const { engine } = openPool(where, 1);
  const query = Client.prototype.query;
  Client.prototype.query = function counted(this: Client, ...args: never[]) {
    count();
    return (query as (...values: never[]) => never).apply(this, args);
  } as typeof query;
  await migrate(engine, GROWN);
  await engine.db.destroy();
}
process.stdout.write("done\n");
