/** A page of a list: `items` in a stable order, and the cursor of the next page (`null` on the last page). */
export interface Page<Item> {
  items: Item[];
  nextCursor: string | null;
}

export const DEFAULT_PAGE_LIMIT = 50;
export const MAX_PAGE_LIMIT = 200;
