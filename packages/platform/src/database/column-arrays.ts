/** Returns one array per column, the form in which `unnest($1::text[], $2::bigint[])` takes rows. */
export function columnsOf<Row>(rows: readonly Row[], ...columns: readonly (keyof Row)[]): unknown[][] {
  return columns.map((column) => rows.map((row) => row[column]));
}
