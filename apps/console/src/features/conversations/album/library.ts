import type { Schema } from '@family-watch/client';

export type Content = Schema<'ContentDto'>;

/** What a list needs to know about a file. */
export interface ListedFile {
  readonly contentID: string;
  /** Valid for five minutes after `listedAt`. */
  readonly thumbnailURL: string;
  /** Unix milliseconds. */
  readonly listedAt: number;
  /** Unix milliseconds. */
  readonly createTime: number;
}

export type Listed<Item> = Item & ListedFile;

/** The loaded beginning of a list of files that the service returns in numbered pages. */
export interface Library<Item extends ListedFile = Listed<Content>> {
  readonly items: readonly Item[];
  /** Number of files on all pages. */
  readonly totalCount: number;
  /** Whether the last page brought nothing new, although files are missing: the list has changed meanwhile. */
  readonly isStuck: boolean;
}

export interface LibraryPage<Item> {
  readonly items: readonly Item[];
  readonly totalCount: number;
}

/** A minute less than the service grants, because a list is shown for a while. */
const URL_LIFETIME_MS = 4 * 60_000;

/** Files per page; the most that the service returns. */
export const PAGE_SIZE = 200;

/** The service reads the capture time and makes the thumbnail of a new file in the seconds after its upload. */
const MAX_READING_MS = 20_000;

/** Returns whether the place of a file in the list can change, because the service is reading the file. */
export function isBeingRead({ items }: Pick<Library<ListedFile>, 'items'>, now = Date.now()): boolean {
  return items.some(({ thumbnailURL, createTime }) => thumbnailURL === '' && now - createTime < MAX_READING_MS);
}

export function hasMore({
  items,
  totalCount,
  isStuck,
}: Pick<Library<ListedFile>, 'items' | 'totalCount' | 'isStuck'>): boolean {
  return items.length < totalCount && !isStuck;
}

/**
 * Returns the page to load next. Pages are counted from the first file, so that a page is loaded again when files before
 * it were deleted: the files that follow have moved up into it.
 */
export function nextPageNum({ items }: Pick<Library<ListedFile>, 'items'>): number {
  return Math.floor(items.length / PAGE_SIZE) + 1;
}

/** Adds a page; files that are loaded already keep their place. */
export function withPage<Item extends ListedFile>(
  library: Library<Item>,
  { items, totalCount }: LibraryPage<Item>,
): Library<Item> {
  const known = new Set(library.items.map(({ contentID }) => contentID));
  const added = items.filter(({ contentID }) => !known.has(contentID));
  return { items: [...library.items, ...added], totalCount, isStuck: added.length === 0 };
}

/**
 * Begins with the first page again if the list has changed. Otherwise what is loaded stays, so that nobody is moved away
 * from the picture that they look at.
 */
export function withFirstPage<Item extends ListedFile>(
  library: Library<Item> | undefined,
  { items: pageItems, totalCount }: LibraryPage<Item>,
): Library<Item> {
  const items = library ? withKnownUrls(library, pageItems) : pageItems;
  const isUnchanged =
    library !== undefined &&
    library.totalCount === totalCount &&
    items.every(({ contentID }, index) => (library.items[index]?.contentID ?? contentID) === contentID);
  if (!isUnchanged) return { items, totalCount, isStuck: false };
  return { items: [...items, ...library.items.slice(items.length)], totalCount, isStuck: false };
}

export function withoutContents<Item extends ListedFile>(
  library: Library<Item>,
  contentIDs: readonly string[],
): Library<Item> {
  const removed = new Set(contentIDs);
  const items = library.items.filter(({ contentID }) => !removed.has(contentID));
  return { ...library, items, totalCount: library.totalCount - (library.items.length - items.length) };
}

/**
 * Keeps the URLs of thumbnails while they are valid. The service returns new URLs each time, with which the browser would
 * load all pictures again.
 */
function withKnownUrls<Item extends ListedFile>({ items }: Library<Item>, page: readonly Item[]): Item[] {
  const known = new Map(items.map((item) => [item.contentID, item]));
  return page.map((item) => {
    const { thumbnailURL = '', listedAt = 0 } = known.get(item.contentID) ?? {};
    return thumbnailURL !== '' && item.listedAt - listedAt < URL_LIFETIME_MS
      ? { ...item, thumbnailURL, listedAt }
      : item;
  });
}
