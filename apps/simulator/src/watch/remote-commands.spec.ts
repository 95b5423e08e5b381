import { beforeEach, expect, test } from '@jest/globals';
import { WatchPower, RemoteCommands } from './remote-commands.js';
import { FakeWatchConnection } from '../../test/support/fake-watch-connection.js';

const COMMAND = { id: 'c1', payload: { commandId: 'c1' } };
const STARTED_REPORT = ['AckMessage', { messageId: 'c1', status: 'APPLIED' }];
const DONE_REPORT = ['/apis/v2/userctx/watch/command/result', { commandId: 'c1', ok: true }];
const REMOTE_NOTICE = { time: expect.any(Number), cause: 'REMOTE' };
const EXPECTED_SHUTDOWN = [['WristwatchShutdownNoticeMessage', REMOTE_NOTICE], ['stop']];

let fakeConnection: FakeWatchConnection;
beforeEach(() => {
  fakeConnection = new FakeWatchConnection();
  new RemoteCommands(fakeConnection.connection, new WatchPower(fakeConnection.connection));
});

test('a find command is reported as started and done', async () => {
  await fakeConnection.deliver('RemoteControlFindNoticeMessage', COMMAND);
  expect(fakeConnection.sent).toEqual([STARTED_REPORT, DONE_REPORT]);
});

test('a reboot command reports shutdown and startup, and is done after the restart', async () => {
  await fakeConnection.deliver('RemoteControlRebootNoticeMessage', COMMAND);
  expect(fakeConnection.sent).toEqual([
    STARTED_REPORT,
    ...EXPECTED_SHUTDOWN,
    ['start'],
    ['WristwatchStartupNoticeMessage', REMOTE_NOTICE],
    DONE_REPORT,
  ]);
});

test('a shutdown command is reported as done before the watch disconnects', async () => {
  await fakeConnection.deliver('RemoteControlShutdownNoticeMessage', COMMAND);
  expect(fakeConnection.sent).toEqual([STARTED_REPORT, DONE_REPORT, ...EXPECTED_SHUTDOWN]);
});
