import { expect, it } from '@jest/globals';
import { ALARM_MEMORY, WatchSettings } from './watch-settings.js';
import { FakeLink } from '../../test/support/fake-link.js';

const PULL = '/apis/v2/userctx/watch/settings/get';
const alarms = (count: number) => ({
  ALARM_CLOCK: { version: 3, items: Array.from({ length: count }, () => ({ hour: 7 })) },
});

async function told(pulled: object) {
  const fake = new FakeLink({ [PULL]: pulled });
  const settings = new WatchSettings(fake.link);
  await fake.deliver('AlarmClockChangeNoticeMessage', { id: 'm1' });
  return { said: fake.said.slice(1), current: settings.current };
}

it('a watch applies settings that it can store and acknowledges their version', async () => {
  const { said, current } = await told(alarms(ALARM_MEMORY));
  expect(said).toEqual([['AckMessage', { messageId: 'm1', version: 3, status: 'APPLIED' }]]);
  expect(current.ALARM_CLOCK?.items).toHaveLength(ALARM_MEMORY);
});

it('a watch rejects settings that exceed its memory and keeps the previous ones', async () => {
  const { said, current } = await told(alarms(ALARM_MEMORY + 1));
  const rejection = { messageId: 'm1', version: 3, status: 'REJECTED', reason: 'MEMORY_FULL' };
  expect(said).toEqual([['AckMessage', rejection]]);
  expect(current.ALARM_CLOCK).toBeUndefined();
});

it('a watch does not acknowledge a resource without a version', async () => {
  expect((await told({})).said).toEqual([]);
});
