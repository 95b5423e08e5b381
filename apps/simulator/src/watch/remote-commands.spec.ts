import { beforeEach, expect, it } from '@jest/globals';
import { WatchPower } from './watch-power.js';
import { RemoteCommands } from './remote-commands.js';
import { FakeLink } from '../../test/support/fake-link.js';

const COMMAND = { id: 'c1', payload: { commandId: 'c1' } };
const BEGUN = ['AckMessage', { messageId: 'c1', status: 'APPLIED' }];
const DONE = ['/apis/v2/userctx/watch/command/result', { commandId: 'c1', ok: true }];
const remote = { time: expect.any(Number), cause: 'REMOTE' };
const OFF = [['WristwatchShutdownNoticeMessage', remote], ['stop']];

let fake: FakeLink;
beforeEach(() => {
  fake = new FakeLink();
  new RemoteCommands(fake.link, new WatchPower(fake.link));
});

it('a find command is reported as started and done', async () => {
  await fake.deliver('RemoteControlFindNoticeMessage', COMMAND);
  expect(fake.sent).toEqual([BEGUN, DONE]);
});

it('a reboot command reports shutdown and startup, and is done after the restart', async () => {
  await fake.deliver('RemoteControlRebootNoticeMessage', COMMAND);
  expect(fake.sent).toEqual([BEGUN, ...OFF, ['start'], ['WristwatchStartupNoticeMessage', remote], DONE]);
});

it('a shutdown command is reported as done before the watch disconnects', async () => {
  await fake.deliver('RemoteControlShutdownNoticeMessage', COMMAND);
  expect(fake.sent).toEqual([BEGUN, DONE, ...OFF]);
});
