import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { TransactionScope } from '@family-watch/domain/kernel/contracts/transaction-scope';
import { McdiskOutbox } from '../../infrastructure/mcdisk.outbox.js';
import { FamilyEventMonitor } from '../clouds/family-event-monitor.js';
import type { ContentKey, ContentWithFamily } from './readable-content.repository.js';
import { ReadableContentService } from './readable-content.service.js';

const cloudId = randomUUID();
const contentId = randomUUID();

const executor = { query: <Row>() => Promise.resolve([{ appended: 1 }] as Row[]) };

/** Commits at once. */
const scope: TransactionScope = {
  schema: 'mcdisk',
  isOpen: true,
  executor,
  prepared: executor,
  afterCommit: (callback) => callback(),
  run: (work) => work(),
};

describe('what readers are told', () => {
  let asked: ContentKey[][];
  let there: boolean;
  let before: () => Promise<void>;
  let arrivals: FamilyEventMonitor;
  let outbox: McdiskOutbox;
  let readings: ReadableContentService;

  beforeEach(() => {
    asked = [];
    there = true;
    before = () => Promise.resolve();
    arrivals = new FamilyEventMonitor();
    outbox = new McdiskOutbox(scope, { onCommitted: () => undefined });
    const findMany = async (all: readonly ContentKey[]) => {
      asked.push([...all]);
      const answers = all.map((one) => (there ? ({ content: one } as unknown as ContentWithFamily) : undefined));
      await before();
      return answers;
    };
    readings = new ReadableContentService({ findMany } as never, outbox, arrivals);
    readings.onModuleInit();
  });

  const recycled = (key: string) =>
    outbox.append({ name: 'mcdisk.content.recycled', key, payload: { cloudID: key, contentIDs: [], by: 'user:x' } });

  test('those who ask at one moment are one question', async () => {
    const ids = Array.from({ length: 50 }, () => randomUUID());
    const found = await Promise.all(ids.map((id) => readings.find({ cloudId, contentId: id })));
    expect(found.map((one) => one?.content.contentId)).toEqual(ids);
    expect(asked.length).toBeLessThanOrEqual(2);
  });

  test('who asks again at once is not asked for', async () => {
    await readings.find({ cloudId, contentId });
    await readings.find({ cloudId, contentId });
    expect(asked).toHaveLength(1);
  });

  describe('what is read goes on being read', () => {
    const others = Array.from({ length: 20 }, () => ({ cloudId, contentId: randomUUID() }));
    const forgotten = { cloudId, contentId: randomUUID() };
    let now: number;

    beforeEach(async () => {
      now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
      await Promise.all([...others, forgotten].map((one) => readings.find(one)));
      await Promise.all(others.map((one) => readings.find(one)));
      now += 600;
      asked = [];
    });

    afterEach(() => {
      jest.restoreAllMocks();
    });

    test('one who asks takes along what the others would soon ask for', async () => {
      await readings.find({ cloudId, contentId });
      expect(asked).toEqual([[{ cloudId, contentId }, ...others]]);
      now += 600;
      await Promise.all(others.map((one) => readings.find(one)));
      expect(asked).toHaveLength(1);
    });

    test('what is gone by then is gone at once', async () => {
      there = false;
      await readings.find({ cloudId, contentId });
      expect(await readings.find(others[0]!)).toBeUndefined();
    });

    test('news that overtake the question end what was asked along', async () => {
      before = () => recycled(cloudId);
      await readings.find({ cloudId, contentId });
      there = false;
      expect(await readings.find(others[0]!)).toBeUndefined();
    });

    test('nobody asks ahead a second time for what nobody read again', async () => {
      await readings.find({ cloudId, contentId });
      now += 600;
      await readings.find({ cloudId, contentId: randomUUID() });
      expect(asked.at(-1)).toHaveLength(1);
    });
  });

  test.each([
    ['a commit in the cloud', () => recycled(cloudId)],
    ['news of the family', async () => arrivals.notifyChanged(cloudId)],
  ])('%s ends what was believed', async (_, news) => {
    await readings.find({ cloudId, contentId });
    there = false;
    await news();
    expect(await readings.find({ cloudId, contentId })).toBeUndefined();
  });

  test('news that overtake a question end its answer', async () => {
    before = () => recycled(cloudId);
    await readings.find({ cloudId, contentId });
    there = false;
    expect(await readings.find({ cloudId, contentId })).toBeUndefined();
  });

  test('news of another cloud change nothing', async () => {
    await readings.find({ cloudId, contentId });
    await recycled(randomUUID());
    await readings.find({ cloudId, contentId });
    expect(asked).toHaveLength(1);
  });

  test('that there is nothing is never believed', async () => {
    there = false;
    await readings.find({ cloudId, contentId });
    there = true;
    expect(await readings.find({ cloudId, contentId })).toBeDefined();
  });

  test.each(['', 'x', '../x', `${cloudId}\u0000`, '\ud800'])('%j is no id, and nobody is asked', async (bad) => {
    expect(await readings.find({ cloudId, contentId: bad })).toBeUndefined();
    if (!bad.isWellFormed() || bad.includes('\u0000')) {
      expect(await readings.find({ cloudId: bad, contentId })).toBeUndefined();
    }
    expect(asked).toHaveLength(0);
  });
});
