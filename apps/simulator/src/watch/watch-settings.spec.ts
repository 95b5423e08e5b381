import { expect, it } from '@jest/globals';
import { MAX_ALARMS, WatchSettings } from './watch-settings.js';
import { FakeLink } from '../../test/support/fake-link.js';

const SETTINGS_PATH = '/apis/v2/userctx/watch/settings/get';
const alarms = (count: number) => ({
  ALARM_CLOCK: { version: 3, items: Array.from({ length: count }, () => ({ hour: 7 })) },
});

async function applySettings(pulled: object) {
  const fake = new FakeLink({ [SETTINGS_PATH]: pulled });
  const settings = new WatchSettings(fake.link);
  await fake.deliver('AlarmClockChangeNoticeMessage', { id: 'm1' });
  return { sent: fake.sent.slice(1), current: settings.current };
}

it('a watch applies settings that it can store and acknowledges their version', async () => {
  const { sent, current } = await applySettings(alarms(MAX_ALARMS));
  expect(sent).toEqual([['AckMessage', { messageId: 'm1', version: 3, status: 'APPLIED' }]]);
  expect(current.ALARM_CLOCK?.items).toHaveLength(MAX_ALARMS);
});

it('a watch rejects settings that exceed its memory and keeps the previous ones', async () => {
  const { sent, current } = await applySettings(alarms(MAX_ALARMS + 1));
  const rejection = { messageId: 'm1', version: 3, status: 'REJECTED', reason: 'MEMORY_FULL' };
  expect(sent).toEqual([['AckMessage', rejection]]);
  expect(current.ALARM_CLOCK).toBeUndefined();
});

it('a watch does not acknowledge settings without a version', async () => {
  expect((await applySettings({})).sent).toEqual([]);
});
