/**
 * Statements that turn the tables of one release into those of the next. They run in one transaction together with the
 * record that they have run, so a process killed in between leaves all of them or none. A released migration is never
 * changed: add another.
 */
export type Migration = (database: "sqlite" | "postgres") => readonly string[];
