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

it('what fits is applied, and answered with its version', async () => {
  const { said, current } = await told(alarms(ALARM_MEMORY));
  expect(said).toEqual([['AckMessage', { messageId: 'm1', version: 3, status: 'APPLIED' }]]);
  expect(current.ALARM_CLOCK?.items).toHaveLength(ALARM_MEMORY);
});

it('what does not fit is rejected with the reason, and what was there stays', async () => {
  const { said, current } = await told(alarms(ALARM_MEMORY + 1));
  const rejection = { messageId: 'm1', version: 3, status: 'REJECTED', reason: 'MEMORY_FULL' };
  expect(said).toEqual([['AckMessage', rejection]]);
  expect(current.ALARM_CLOCK).toBeUndefined();
});

it('a resource that is not there any more is answered with nothing', async () => {
  expect((await told({})).said).toEqual([]);
});
