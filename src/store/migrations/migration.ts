/**
 * Statements that make the tables of one release into those of the next. They run in one transaction with the record
 * that they have run, so that a process killed in between leaves all of them or none. A migration that was released is
 * never changed: add another.
 */
export type Migration = (database: "sqlite" | "postgres") => readonly string[];
