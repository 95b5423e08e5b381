import { describe, expect, test } from '@jest/globals';
import { hasMore, isBeingRead, nextPageNum, PAGE_SIZE, withFirstPage, withoutContents, withPage } from './library.js';

const file = (contentID: string, listedAt = 0) => ({
  ...{ contentID, listedAt, createTime: 0 },
  thumbnailURL: `${contentID}?${listedAt}`,
});
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => file(String(from + index)));
const first = (totalCount: number) => withFirstPage(undefined, { items: range(0, PAGE_SIZE), totalCount });

describe('withPage', () => {
  test('appends the next page', () => {
    const library = first(450);
    expect(nextPageNum(library)).toBe(2);
    const both = withPage(library, { items: range(200, 400), totalCount: 450 });
    expect([both.items.length, nextPageNum(both), hasMore(both)]).toEqual([400, 3, true]);
  });

  test('loads the last page again when files before it were deleted, and misses none', () => {
    const library = withoutContents(first(450), ['0', '1']);
    expect([library.totalCount, nextPageNum(library)]).toEqual([448, 1]);
    const page = { items: range(2, 202), totalCount: 448 };
    expect(withPage(library, page).items).toEqual(range(2, 202));
  });

  test('stops when a page brings nothing new', () => {
    const library = withPage(first(450), { items: range(0, 200), totalCount: 450 });
    expect(hasMore(library)).toBe(false);
  });
});

describe('withFirstPage', () => {
  const loaded = withPage(first(450), { items: range(200, 400), totalCount: 450 });

  test('keeps what is loaded when nothing has changed', () => {
    expect(withFirstPage(loaded, { items: range(0, 200), totalCount: 450 }).items).toHaveLength(400);
  });

  test('begins again when a file was added', () => {
    const items = [file('new'), ...range(0, 199)];
    expect(withFirstPage(loaded, { items, totalCount: 451 }).items).toEqual(items);
  });

  test('keeps the URLs of thumbnails while they are valid', () => {
    const urlAfter = (time: number) =>
      withFirstPage(loaded, { items: [file('new', time), file('0', time)], totalCount: 451 }).items[1]?.thumbnailURL;
    expect([urlAfter(3 * 60_000), urlAfter(5 * 60_000)]).toEqual(['0?0', '0?300000']);
  });

  test('keeps what is loaded after files were deleted here', () => {
    const rest = withoutContents(loaded, ['3']);
    const items = range(0, 201).filter(({ contentID }) => contentID !== '3');
    expect(withFirstPage(rest, { items, totalCount: 449 }).items).toHaveLength(399);
  });
});

test('a new file without a thumbnail is being read for a while', () => {
  const items = [{ ...file('new'), createTime: 1_000, thumbnailURL: '' }, file('old')];
  expect([isBeingRead({ items }, 2_000), isBeingRead({ items }, 60_000)]).toEqual([true, false]);
  expect(isBeingRead({ items: [{ ...file('ready'), createTime: 1_000 }] }, 2_000)).toBe(false);
});
