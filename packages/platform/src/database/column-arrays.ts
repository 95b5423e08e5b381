/** Returns one array per column, as set-based statements take rows: `unnest($1::text[], $2::bigint[])`. */
export function columnsOf<Row>(rows: readonly Row[], ...columns: readonly (keyof Row)[]): unknown[][] {
  return columns.map((column) => rows.map((row) => row[column]));
}
