import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { McdiskOutbox } from '../../infrastructure/mcdisk-infrastructure.js';
import { FamilyEventMonitor } from '@family-watch/platform/jobs/family-event-monitor';
import type { ContentKey, ContentWithFamily } from './readable-content.repository.js';
import { ReadableContentService } from './readable-content.service.js';

const cloudId = randomUUID();
const contentId = randomUUID();

const executor = { query: <Row>() => Promise.resolve([{ appended: 1 }] as Row[]) };

/** Transaction scope that commits immediately. */
const scope: TransactionScope = {
  schema: 'mcdisk',
  isInTransaction: true,
  executor,
  afterCommit: (callback) => callback(),
  run: (work) => work(),
};

describe('ReadableContentService', () => {
  let queries: ContentKey[][];
  let contentExists: boolean;
  let beforeQueryResult: () => Promise<void>;
  let familyEvents: FamilyEventMonitor;
  let outbox: McdiskOutbox;
  let service: ReadableContentService;

  beforeEach(() => {
    queries = [];
    contentExists = true;
    beforeQueryResult = () => Promise.resolve();
    familyEvents = new FamilyEventMonitor();
    outbox = new McdiskOutbox(scope, { onCommitted: () => undefined });
    const findMany = async (all: readonly ContentKey[]) => {
      queries.push([...all]);
      const results = all.map((item) =>
        contentExists ? ({ content: item } as unknown as ContentWithFamily) : undefined,
      );
      await beforeQueryResult();
      return results;
    };
    service = new ReadableContentService({ findMany } as never, outbox, familyEvents);
    service.onModuleInit();
  });

  const commitRecycledEvent = (key: string) =>
    outbox.append({ name: 'mcdisk.content.recycled', key, payload: { cloudID: key, contentIDs: [], by: 'user:x' } });

  test('reads the contents of concurrent requests with one query', async () => {
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const found = await Promise.all(ids.map((id) => service.find({ cloudId, contentId: id })));
    expect(found.map((item) => item?.content.contentId)).toEqual(ids);
    expect(queries.length).toBeLessThanOrEqual(2);
  });

  test('returns a content that was requested before from the cache', async () => {
    await service.find({ cloudId, contentId });
    await service.find({ cloudId, contentId });
    expect(queries).toHaveLength(1);
  });

  describe('with cache entries of which all but one are in use', () => {
    const others = Array.from({ length: 20 }, () => ({ cloudId, contentId: randomUUID() }));
    const unused = { cloudId, contentId: randomUUID() };
    let now: number;

    beforeEach(async () => {
      now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
      await Promise.all([...others, unused].map((item) => service.find(item)));
      await Promise.all(others.map((item) => service.find(item)));
      now += 600;
      queries = [];
    });

    afterEach(() => {
      jest.restoreAllMocks();
    });

    test('refreshes due entries in the query that reads another content', async () => {
      await service.find({ cloudId, contentId });
      expect(queries).toEqual([[{ cloudId, contentId }, ...others]]);
      now += 600;
      await Promise.all(others.map((item) => service.find(item)));
      expect(queries).toHaveLength(1);
    });

    test('removes an entry when the refresh does not find its content', async () => {
      contentExists = false;
      await service.find({ cloudId, contentId });
      expect(await service.find(others[0]!)).toBeUndefined();
    });

    test('invalidates refreshed entries when an event is received during the refresh', async () => {
      beforeQueryResult = () => commitRecycledEvent(cloudId);
      await service.find({ cloudId, contentId });
      contentExists = false;
      expect(await service.find(others[0]!)).toBeUndefined();
    });

    test('does not refresh an entry that was not used since its last refresh', async () => {
      await service.find({ cloudId, contentId });
      now += 600;
      await service.find({ cloudId, contentId: randomUUID() });
      expect(queries.at(-1)).toHaveLength(1);
    });
  });

  test.each([
    ['a commit in the cloud', () => commitRecycledEvent(cloudId)],
    ['an event of the family', async () => familyEvents.notifyChanged(cloudId)],
  ])('%s invalidates cached entries', async (_, notify) => {
    await service.find({ cloudId, contentId });
    contentExists = false;
    await notify();
    expect(await service.find({ cloudId, contentId })).toBeUndefined();
  });

  test('invalidates an entry when an event is received while its content is queried', async () => {
    beforeQueryResult = () => commitRecycledEvent(cloudId);
    await service.find({ cloudId, contentId });
    contentExists = false;
    expect(await service.find({ cloudId, contentId })).toBeUndefined();
  });

  test('keeps entries when another cloud changes', async () => {
    await service.find({ cloudId, contentId });
    await commitRecycledEvent(randomUUID());
    await service.find({ cloudId, contentId });
    expect(queries).toHaveLength(1);
  });

  test('never caches that a content does not exist', async () => {
    contentExists = false;
    await service.find({ cloudId, contentId });
    contentExists = true;
    expect(await service.find({ cloudId, contentId })).toBeDefined();
  });

  test.each(['', 'x', '../x', `${cloudId}\u0000`, '\ud800'])(
    'returns undefined for the invalid id %j without a query',
    async (invalidId) => {
      expect(await service.find({ cloudId, contentId: invalidId })).toBeUndefined();
      if (!invalidId.isWellFormed() || invalidId.includes('\u0000')) {
        expect(await service.find({ cloudId: invalidId, contentId })).toBeUndefined();
      }
      expect(queries).toHaveLength(0);
    },
  );
});
