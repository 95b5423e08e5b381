import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { needs } from '@family-watch/testing/requirements/needs';
import { deleteStreams } from '@family-watch/testing/service/nats';
import { natsUrl } from '@family-watch/testing/service/nats-url';
import { FamilyFixture } from '../support/family-fixture.js';
import { expectOk } from '../support/http-client.js';
import { TestService } from '../support/test-service.js';

/** Tests a separate service that runs all apps in one process with NATS instead of the in-process bus. */
needs('nats').describe('standalone with NATS_URL', () => {
  const NATS_PREFIX = `t${randomBytes(6).toString('hex')}`;
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start('standalone', { NATS_URL: natsUrl, NATS_PREFIX });
  });
  afterAll(async () => {
    await service.stop();
    await deleteStreams(NATS_PREFIX);
  });

  test('standalone on NATS sends the notice of a changed contact to the sockets of the family', async () => {
    const fixture = await FamilyFixture.create(service);
    const [guardian, watch] = await Promise.all([fixture.guardian.connect(), fixture.watch.connect()]);
    const contact = { deviceId: fixture.watch.did, name: 'Grandma', phoneNumber: '13900001111', areaCode: '86' };
    await expectOk(fixture.owner.post('device/contacts/create', contact));
    const notice = 'ContactsChangeNoticeMessage';
    for (const socket of [guardian, watch])
      await socket.waitFor(() => socket.messagesOfKind(notice).length > 0, notice);
    expect(service.errors).toEqual([]);
    fixture.disconnectAll();
  });

  test('standalone on NATS rejects the tokens of an ended session', async () => {
    const fixture = await FamilyFixture.create(service);
    const phone = await fixture.owner.signInOnSecondPhone();
    expect((await phone.get('child/get')).status).toBe(200);
    await expectOk(phone.post('account/sign-out', {}));
    expect(await phone.get('child/get')).toMatchObject({ status: 401, body: { reason: 'TOKEN_REVOKED' } });
  });
});
