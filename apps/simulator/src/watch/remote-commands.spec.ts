import { beforeEach, expect, it } from '@jest/globals';
import { WatchPower, RemoteCommands } from './remote-commands.js';
import { FakeLink } from '../../test/support/fake-link.js';

const COMMAND = { id: 'c1', payload: { commandId: 'c1' } };
const STARTED_REPORT = ['AckMessage', { messageId: 'c1', status: 'APPLIED' }];
const DONE_REPORT = ['/apis/v2/userctx/watch/command/result', { commandId: 'c1', ok: true }];
const REMOTE_NOTICE = { time: expect.any(Number), cause: 'REMOTE' };
const SHUTDOWN_CALLS = [['WristwatchShutdownNoticeMessage', REMOTE_NOTICE], ['stop']];

let fakeLink: FakeLink;
beforeEach(() => {
  fakeLink = new FakeLink();
  new RemoteCommands(fakeLink.link, new WatchPower(fakeLink.link));
});

it('a find command is reported as started and done', async () => {
  await fakeLink.deliver('RemoteControlFindNoticeMessage', COMMAND);
  expect(fakeLink.sent).toEqual([STARTED_REPORT, DONE_REPORT]);
});

it('a reboot command reports shutdown and startup, and is done after the restart', async () => {
  await fakeLink.deliver('RemoteControlRebootNoticeMessage', COMMAND);
  expect(fakeLink.sent).toEqual([
    STARTED_REPORT,
    ...SHUTDOWN_CALLS,
    ['start'],
    ['WristwatchStartupNoticeMessage', REMOTE_NOTICE],
    DONE_REPORT,
  ]);
});

it('a shutdown command is reported as done before the watch disconnects', async () => {
  await fakeLink.deliver('RemoteControlShutdownNoticeMessage', COMMAND);
  expect(fakeLink.sent).toEqual([STARTED_REPORT, DONE_REPORT, ...SHUTDOWN_CALLS]);
});
