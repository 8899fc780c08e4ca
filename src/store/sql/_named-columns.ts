/** `created_at` is `createdAt`. */
type PropertyName<Column extends string> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<PropertyName<Rest>>}`
  : Column;

/** How a column holds a property: as it is, a boolean as 0 or 1, an object as JSON; null is null. */
type Storage = "same" | "flag" | "json";

/** The storages that a column can have for a property. */
type StorageFor<Stored, Value> = [Stored] extends [Value]
  ? "same"
  : [Value] extends [boolean]
    ? "flag"
    : [Value] extends [object | null]
      ? "json"
      : never;

/** The columns of a row that hold properties of an entity. */
type ColumnsFor<Entity, Row> = {
  readonly [Column in keyof Row & string as PropertyName<Column> extends keyof Entity ? Column : never]?: StorageFor<
    Row[Column],
    Entity[PropertyName<Column> & keyof Entity]
  >;
};

/** What an entity has in the columns of its table, each in the property named after it: `createdAt` for `created_at`. */
export class NamedColumns<Entity, Row, Column extends keyof Row & string> {
  readonly #columns: readonly (readonly [column: string, property: string, storage: Storage])[];

  private constructor(columns: Readonly<Record<string, Storage>>) {
    this.#columns = Object.entries(columns).map(([column, storage]) => [column, propertyOf(column), storage]);
  }

  /** All properties of the entity have a column. */
  static of<Entity, Row>() {
    return <Chosen extends ColumnsFor<Entity, Row>>(
      columns: Chosen &
        Readonly<Record<Exclude<keyof Chosen, keyof ColumnsFor<Entity, Row>>, never>> &
        (keyof Entity extends PropertyName<keyof Chosen & string> ? unknown : "a property has no column"),
    ) =>
      new NamedColumns<Entity, Row, keyof Chosen & keyof Row & string>(
        columns as unknown as Readonly<Record<string, Storage>>,
      );
  }

  entityOf(row: Pick<Row, Column>): Entity {
    const stored = row as Readonly<Record<string, unknown>>;
    const properties: Record<string, unknown> = {};
    for (const [column, property, storage] of this.#columns) properties[property] = FROM[storage](stored[column]);
    return properties as Entity;
  }

  /** The object may have other properties as well. */
  rowOf(entity: Entity): Pick<Row, Column> {
    const values = entity as Readonly<Record<string, unknown>>;
    const columns: Record<string, unknown> = {};
    for (const [column, property, storage] of this.#columns) columns[column] = TO[storage](values[property]);
    return columns as Pick<Row, Column>;
  }
}

const FROM: Readonly<Record<Storage, (stored: unknown) => unknown>> = {
  same: (stored) => stored,
  flag: (stored) => stored === 1,
  json: (stored) => (stored === null ? null : JSON.parse(stored as string)),
};

const TO: Readonly<Record<Storage, (value: unknown) => unknown>> = {
  same: (value) => value,
  flag: (value) => (value === true ? 1 : 0),
  json: (value) => (value === null ? null : JSON.stringify(value)),
};

function propertyOf(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
