import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { MessageCenterChangePayload } from '@family-watch/domain/messages/contracts/message-center';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';
import { WATCH_PATH } from '../support/watch.js';

const CENTER_PATH = '/apis/v2/message/center/';

interface CenterMessage {
  messageId: string;
  type: string;
  severity: string;
  params: Record<string, unknown>;
  read: boolean;
}

describe('the message centre', () => {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    // A long escalation step, so that every SMS is caused by a missing acknowledgement and none by the escalation.
    service = await TestService.start('standalone', { SOS_STEP_SECONDS: 3_600 });
    fixture = await FamilyFixture.create(service);
  });
  afterAll(async () => {
    fixture.disconnectAll();
    await service.stop();
  });

  const list = (person = fixture.owner, category?: string) =>
    expectOk(
      person.get<{ items: CenterMessage[]; unread: number }>(
        `${CENTER_PATH}list`,
        category === undefined ? {} : { category },
      ),
    );

  describe('center messages and SMS', () => {
    test('a sign-in on another phone creates a center message; a sign-up creates none', async () => {
      expect((await list(fixture.owner, 'SIGN_IN')).items).toEqual([]);
      const socket = await fixture.owner.connect();
      const other = await fixture.owner.signInOnSecondPhone();
      await socket.waitFor(() => socket.messagesOfKind('MessageCenterChangeNoticeMessage').length > 0, 'the notice');
      const payload = socket.messagesOfKind('MessageCenterChangeNoticeMessage').at(-1)
        ?.payload as MessageCenterChangePayload;
      const { items, unread } = await list(fixture.owner, 'SIGN_IN');
      expect(items).toMatchObject([{ type: 'SIGN_IN_NEW', messageId: payload.messageId, read: false }]);
      expect(payload).toMatchObject({ category: 'SIGN_IN', severity: 'INFO', unread });
      const read = await expectOk(
        other.post<{ unread: number }>(`${CENTER_PATH}read`, { messageIds: [payload.messageId] }),
      );
      expect(read.unread).toBe(unread - 1);
      socket.close();
    });

    test('a low battery that the watch reports creates a center message', async () => {
      const watch = await fixture.watch.connect();
      for (const battery of [50, 19, 18]) await watch.send('HeartbeatMessage', { battery });
      const warnings = await waitUntilFound('the battery', async () => {
        const { items } = await list(fixture.guardian, 'BATTERY');
        return items.length > 0 ? items : undefined;
      });
      expect(warnings).toMatchObject([{ type: 'BATTERY_LOW', severity: 'WARNING', params: { battery: 19 } }]);
      watch.close();
    });
  });

  test('a guardian whose apps did not acknowledge an SOS receives an SMS', async () => {
    const socket = await fixture.owner.connect();
    await expectOk(fixture.watch.post(`${WATCH_PATH}sos/raise`, { time: Date.now() }));
    const isAlert = () =>
      socket
        .messagesOfKind('MessageCenterChangeNoticeMessage')
        .find(({ payload }) => (payload as MessageCenterChangePayload).severity === 'URGENT');
    await socket.waitFor(() => isAlert() !== undefined, 'the alert');
    const seq = isAlert()?.seq;
    await socket.send('AckMessage', { seq });
    await waitUntil('the stored acknowledgement', async () => {
      const rows = await service.query(
        'SELECT FROM gateway.session_cursor WHERE principal = $1 AND acknowledged >= $2',
        [`user:${fixture.owner.userId}`, seq],
      );
      return rows.length > 0;
    });
    // Devices have half a minute to acknowledge an urgent alert. The test simulates that this time has passed.
    await waitUntil('due alerts', async () => {
      await service.query('UPDATE gateway.alert SET due_at = $1', [Date.now()]);
      return (await service.query('SELECT FROM gateway.alert')).length === 0;
    });
    await waitUntil('the SMS', () => service.sms.alertsTo(fixture.guardian.phoneNumber).length > 0);
    expect(service.sms.alertsTo(fixture.guardian.phoneNumber)).toMatchObject([{ category: 'SOS', areaCode: '+86' }]);
    expect(service.sms.alertsTo(fixture.owner.phoneNumber)).toEqual([]);
    socket.close();
  });
});
