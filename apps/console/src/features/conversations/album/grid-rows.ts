import { localDay } from '../../../ui/format.js';

/** A row of the grid: the date of a day, or pictures side by side. */
export type GridRow<Item> =
  | { readonly type: 'day'; readonly key: string; readonly time: number }
  | { readonly type: 'pictures'; readonly key: string; readonly items: readonly Item[] };

/** Arranges pictures in rows; each day begins a new row. The items must be ordered by their time. */
export function gridRowsOf<Item extends { contentID: string }>(
  items: readonly Item[],
  columns: number,
  timeOf: (item: Item) => number,
  dayOf: (time: number) => string = localDay,
): GridRow<Item>[] {
  const rows: GridRow<Item>[] = [];
  let day: string | undefined;
  let row: Item[] = [];
  for (const item of items) {
    const dayOfItem = dayOf(timeOf(item));
    if (dayOfItem !== day) rows.push({ type: 'day', key: `${dayOfItem}:${item.contentID}`, time: timeOf(item) });
    if (dayOfItem !== day || row.length === columns) {
      row = [];
      rows.push({ type: 'pictures', key: item.contentID, items: row });
    }
    day = dayOfItem;
    row.push(item);
  }
  return rows;
}
