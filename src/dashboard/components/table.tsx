import type { ComponentChildren } from "preact";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Numbers are right-aligned, so that their digits can be compared; the title of buttons is hidden. */
  readonly kind?: "number" | "actions" | undefined;
}

interface Props<Row> {
  /** What the table contains; read out, not shown. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Shown instead of a table without rows. */
  readonly empty?: ComponentChildren;
  readonly isFaded?: (row: Row) => boolean;
  /** The name of the region in which the table scrolls by itself, as it may be long. */
  readonly scrollsAs?: string;
}

/** Buttons of a page are in `actions`, which is something else. */
function classOf(kind: Column<unknown>["kind"]): string | undefined {
  return kind === "actions" ? "row-buttons" : kind;
}

/** A table whose rows become cards if there is no room for columns; the roles still say that it is a table. */
export function Table<Row>({ empty, scrollsAs, ...props }: Props<Row>) {
  if (props.rows.length === 0 && empty !== undefined) return <>{empty}</>;
  if (scrollsAs === undefined) return <Rows {...props} />;
  return (
    <div class="scroll-long" tabIndex={0} role="region" aria-label={scrollsAs}>
      <Rows {...props} />
    </div>
  );
}

function Rows<Row>({ caption, columns, rows, keyOf, isFaded = () => false }: Props<Row>) {
  return (
    <div class="table-box">
      <table role="table">
        <caption class="hidden">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, kind }) => (
              <th key={title} role="columnheader" scope="col" class={classOf(kind)}>
                {kind === "actions" ? <span class="hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row" class={isFaded(row) ? "faded" : undefined}>
              {columns.map(({ title, cell, kind }) => (
                <td key={title} role="cell" class={classOf(kind)} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
