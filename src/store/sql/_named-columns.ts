/** `created_at` is `createdAt`. */
type PropertyName<Column extends string> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<PropertyName<Rest>>}`
  : Column;

type Properties<Row, Column extends keyof Row & string> = {
  readonly [Each in Column as PropertyName<Each>]: Row[Each];
};

/** Some columns of a table, and the properties named after them: `createdAt` for `created_at`. */
export class NamedColumns<Row, Column extends keyof Row & string> {
  readonly #names: readonly (readonly [column: string, property: string])[];

  private constructor(columns: readonly Column[]) {
    this.#names = columns.map((column) => [column, propertyOf(column)]);
  }

  static of<Row>() {
    return <Column extends keyof Row & string>(...columns: readonly Column[]) => new NamedColumns<Row, Column>(columns);
  }

  propertiesOf(row: Pick<Row, Column>): Properties<Row, Column> {
    const properties: Record<string, unknown> = {};
    for (const [column, property] of this.#names) properties[property] = row[column as Column];
    return properties as Properties<Row, Column>;
  }

  /** The object may have other properties as well. */
  columnsOf(object: Properties<Row, Column>): Pick<Row, Column> {
    const values = object as Readonly<Record<string, unknown>>;
    const columns: Record<string, unknown> = {};
    for (const [column, property] of this.#names) columns[column] = values[property];
    return columns as Pick<Row, Column>;
  }
}

function propertyOf(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
