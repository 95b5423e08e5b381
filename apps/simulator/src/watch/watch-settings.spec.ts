import { expect, test } from '@jest/globals';
import { MAX_ALARMS, WatchSettings } from './watch-settings.js';
import { FakeWatchConnection } from '../../test/support/fake-watch-connection.js';

const SETTINGS_PATH = '/apis/v2/userctx/watch/settings/get';
const createAlarmSettings = (count: number) => ({
  ALARM_CLOCK: { version: 3, items: Array.from({ length: count }, () => ({ hour: 7 })) },
});

async function applySettings(fetched: object) {
  const fake = new FakeWatchConnection({ [SETTINGS_PATH]: fetched });
  const settings = new WatchSettings(fake.connection);
  await fake.deliver('AlarmClockChangeNoticeMessage', { id: 'm1' });
  return { sent: fake.sent.slice(1), current: settings.current };
}

test('a watch applies settings that it can store and acknowledges their version', async () => {
  const { sent, current } = await applySettings(createAlarmSettings(MAX_ALARMS));
  expect(sent).toEqual([['AckMessage', { messageId: 'm1', version: 3, status: 'APPLIED' }]]);
  expect(current.ALARM_CLOCK?.items).toHaveLength(MAX_ALARMS);
});

test('a watch rejects settings that exceed its memory and keeps its previous settings', async () => {
  const { sent, current } = await applySettings(createAlarmSettings(MAX_ALARMS + 1));
  const rejection = { messageId: 'm1', version: 3, status: 'REJECTED', reason: 'MEMORY_FULL' };
  expect(sent).toEqual([['AckMessage', rejection]]);
  expect(current.ALARM_CLOCK).toBeUndefined();
});

test('a watch does not acknowledge settings without a version', async () => {
  expect((await applySettings({})).sent).toEqual([]);
});
