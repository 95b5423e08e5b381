import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { MemberSnapshot } from '@family-watch/domain/families/contracts/membership';
import type { ContentListDto } from '@family-watch/domain/family-cloud/dto/content.dto';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { ContentRepository } from '../../src/files/contents/content.repository.js';
import type { CloudClient } from '../support/cloud-client.js';
import { addMember, createCloud, type TestCloud } from '../support/test-cloud.js';
import { seedContents } from '../support/seeded-cloud.js';

describe('folder listing', () => {
  let { server, family, cloudID, owner } = {} as TestCloud;
  beforeEach(async () => {
    ({ server, family, cloudID, owner } = await createCloud());
  });

  const folder = (name: string, parent?: string) => owner.createFolder(cloudID, name, parent);

  const page = async (client: CloudClient, extra: object = {}) => {
    const { body, text } = await client.post<ContentListDto>('queryContentList', { cloudID, ...extra });
    if (body.code !== 0) throw new Error(text);
    return body.data;
  };

  /** Requests pages until a page contains neither folders nor contents. */
  const readAllPages = async (client: CloudClient, pageSize: number, query: object) => {
    const pages: ContentListDto[] = [];
    for (let pageNum = 1; ; pageNum += 1) {
      const found = await page(client, { ...query, pageInfo: { pageNum, pageSize } });
      if (found.cloudCatalogList.length + found.cloudContentList.length === 0) return pages;
      pages.push(found);
    }
  };

  test('returns each folder and content exactly once over all pages, for any sorting and page size', async () => {
    const catalogID = await folder('Holidays');
    await folder('elsewhere');
    const names = Array.from({ length: 7 }, (_, index) => `folder ${index}`);
    for (const name of names) await folder(name, catalogID);
    // Many sort values are equal, so that the order depends on the tie-breaker.
    const contents = Array.from({ length: 23 }, (_, index) => ({
      parentFolderId: catalogID,
      name: `file ${index % 3}`,
      size: index % 4,
      createdAt: 1_000 + (index % 2),
      updatedAt: 2_000 + (index % 5),
      capturedAt: index % 3 === 0 ? null : 999 + (index % 4),
    }));
    const ids = await seedContents(server, cloudID, contents);
    await seedContents(server, cloudID, [
      { name: 'in the root' },
      { parentFolderId: catalogID, state: 'RECYCLED', name: 'gone' },
    ]);
    const requests = fc.record({
      pageSize: fc.integer({ min: 3, max: 25 }),
      contentSortType: fc.constantFrom(0, 1, 2, 3, 4),
      sortDirection: fc.constantFrom(0, 1),
    });
    await fc.assert(
      fc.asyncProperty(requests, async ({ pageSize, contentSortType, sortDirection }) => {
        const pages = await readAllPages(owner, pageSize, { catalogID, contentSortType, sortDirection });
        const listed = pages.flatMap(({ cloudContentList }) => cloudContentList);
        const folders = pages.flatMap(({ cloudCatalogList }) => cloudCatalogList);
        expect(listed.map(({ contentID }) => contentID).toSorted()).toEqual(ids.toSorted());
        expect(folders.map(({ catalogName }) => catalogName).toSorted()).toEqual(names);
        for (const { totalCount, catalogCount, path } of pages)
          expect([totalCount, catalogCount, path]).toEqual([23, 7, `root:/${catalogID}`]);
        const keys = listed.map(
          ({ lastUpdateTime, contentName, contentSize, createTime, shottime }) =>
            [lastUpdateTime, contentName, contentSize, createTime, shottime ?? createTime][contentSortType]!,
        );
        const ascending = keys.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
        expect(keys).toEqual(sortDirection === 0 ? ascending : ascending.toReversed());
      }),
      { numRuns: propertyRuns(4) },
    );
  });

  test('returns and counts only the contents of the children for whom the member has permission', async () => {
    const [first, second] = family.cids;
    const member = (changes: Partial<MemberSnapshot>) => addMember({ server, family }, FAMILY_ROLE.CAREGIVER, changes);
    const seesFirstChild = await member({ permissions: [], childPermissions: { [first]: ['CLOUD'] } });
    const seesAllButFirst = await member({ childPermissions: { [first]: [] } });
    const catalogID = await folder('Holidays');
    for (const parentFolderId of [null, catalogID]) {
      const at = (cid: string | null, name: string) => ({ parentFolderId, cid, name });
      await seedContents(server, cloudID, [at(first, 'first'), at(second, 'second'), at(null, 'family')]);
    }
    for (const [client, expected] of [
      [seesFirstChild, ['family', 'first']],
      [seesAllButFirst, ['family', 'second']],
      [owner, ['family', 'first', 'second']],
      [await server.as(family.watches[1]!), ['family', 'first', 'second']],
    ] as const) {
      for (const query of [{}, { catalogID }]) {
        const pages = await readAllPages(client, 1, { ...query, contentSortType: 1, sortDirection: 0 });
        expect(pages.flatMap(({ cloudContentList }) => cloudContentList.map(({ contentName }) => contentName))).toEqual(
          expected,
        );
        expect(pages.every(({ totalCount }) => totalCount === expected.length)).toBe(true);
      }
    }
  });

  test('returns and counts only the files with a digest', async () => {
    const digests = ['a', 'b'].map((digit) => digit.repeat(64));
    const [first, second] = await seedContents(
      server,
      cloudID,
      [digests[0], digests[0], digests[1]].map((digest) => ({ digest })),
    );
    await seedContents(server, cloudID, [{ digest: digests[0], state: 'RECYCLED' }]);
    const found = await page(owner, { digest: digests[0]?.toUpperCase() });
    expect(found.totalCount).toBe(2);
    expect(found.cloudContentList.map(({ contentID }) => contentID).toSorted()).toEqual([first, second].toSorted());
    expect((await page(owner, { digest: 'c'.repeat(64) })).cloudContentList).toEqual([]);
  });

  test('returns an empty page with the total counts beyond the last page', async () => {
    await folder('Holidays');
    await seedContents(server, cloudID, [{}, {}]);
    expect(await page(owner, { pageInfo: { pageNum: 1_000_000, pageSize: 200 } })).toEqual({
      path: 'root:',
      totalCount: 2,
      catalogCount: 1,
      cloudCatalogList: [],
      cloudContentList: [],
    });
  });

  test('ContentRepository.listIds returns the ids of the active contents after the given id', async () => {
    const source = server.get(ContentRepository);
    const ids = (await seedContents(server, cloudID, 3)).toSorted();
    await seedContents(server, cloudID, 1, { state: 'RECYCLED' });
    expect(await source.listIds(cloudID, null)).toEqual(ids);
    expect(await source.listIds(cloudID, ids[0]!)).toEqual(ids.slice(1));
    expect(await source.listIds(cloudID, ids[2]!)).toEqual([]);
  });
});
