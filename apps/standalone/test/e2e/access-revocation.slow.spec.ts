import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import { FamilyFixture, REVOCATION_LIMIT_MS, waitUntilExcluded } from '../support/family-fixture.js';
import { CLOUD_PATH, type HttpClient, type ServiceResponse } from '../support/http-client.js';
import { VALID_CHILD, requestCode, Parent } from '../support/parent.js';
import { TestService } from '../support/test-service.js';
import { describeBothDeployments } from '../support/deployments.js';

const CONTACTS_NOTICE = 'ContactsChangeNoticeMessage';
const BINDING_NOTICE = 'DeviceBindStateChangeNoticeMessage';
const PASSWORD = 'seven quiet herons';

describeBothDeployments('A25 revocation of access', (deployment) => {
  let service: TestService;
  let fixture: FamilyFixture;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
  }, 360_000);
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service, { password: PASSWORD });
  });
  afterEach(() => fixture.disconnectAll());

  /** Changes a contact, which sends a notice to all members. @returns the version of the contact list */
  async function changeContact(appellation: string): Promise<number> {
    const { owner, watch } = fixture;
    const refId = await fixture.contactOf(owner);
    const answer = await owner.wrapped.post('device/contacts/update', { deviceId: watch.did, refId, appellation });
    expect(answer.status).toBe(200);
    const { body } = await owner.get('device/contacts/list', { deviceId: watch.did });
    return Number(body['version']);
  }

  const versions = (client: TestClient) =>
    client.messagesOfKind(CONTACTS_NOTICE).map(({ payload }) => (payload as { version: number }).version);
  const untilVersion = (client: TestClient, version: number) =>
    client.waitFor(() => versions(client).includes(version), `version ${version}`);

  async function waitForStatus(limitMs: number, send: () => Promise<ServiceResponse>, status: number): Promise<void> {
    let answer: ServiceResponse | undefined;
    const hasStatus = async () => (answer = await send()).status === status;
    await waitUntil(() => `status ${status} instead of ${answer?.status}: ${answer?.text}`, hasStatus, limitMs);
  }

  /** Waits until a member, or the watch, can read neither the child, if it is a member, nor contacts nor files. */
  async function waitForLostAccess(client: HttpClient): Promise<void> {
    const { cid, familyId, watch } = fixture;
    if (client !== watch) await waitForStatus(REVOCATION_LIMIT_MS, () => client.get('child/detail', { cid }), 404);
    const deviceId = watch.did;
    await waitForStatus(REVOCATION_LIMIT_MS, () => client.get('device/contacts/list', { deviceId }), 404);
    const body = { cloudID: familyId };
    await waitForStatus(REVOCATION_LIMIT_MS, () => client.post(`${CLOUD_PATH}queryContentList`, body), 404);
  }

  async function expectDisconnectInTime(client: TestClient): Promise<void> {
    const isDisconnected = async () => {
      // Each attempt waits for a response of the service, so that the limit is longer on a slow machine.
      await fetch(`${service.url}/health/live`);
      return client.disconnectReason !== undefined;
    };
    await waitUntil('the disconnect', isDisconnected, REVOCATION_LIMIT_MS);
  }

  /** Returns a function that changes a contact and waits until `watching` has received the notice. */
  function noticeDelivery(watching: TestClient): () => Promise<void> {
    let changeCount = 0;
    return async () => untilVersion(watching, await changeContact(`Mum ${(changeCount += 1)}`));
  }

  describe('a removed member', () => {
    test('loses REST access within two seconds and receives no further message', async () => {
      const { owner, guardian, cid, familyId } = fixture;
      const [removed, watching] = [await guardian.connect(), await owner.connect()];
      expect((await guardian.get('child/detail', { cid })).status).toBe(200);
      expect((await owner.post('family/member/remove', { familyId, userId: guardian.userId })).status).toBe(200);
      await waitForLostAccess(guardian);
      expect((await guardian.get('child/get')).body).toEqual({ childList: [] });
      await waitUntilExcluded(removed, noticeDelivery(watching));
      const before = removed.messages.length;
      const version = await changeContact('Mum');
      await untilVersion(watching, version);
      await sleep(300);
      expect(removed.messages.slice(before)).toEqual([]);
      expect(versions(removed)).not.toContain(version);
    });

    test('does not receive messages queued while the phone was offline', async () => {
      const { owner, guardian, familyId } = fixture;
      const away = await guardian.connect();
      const last = away.hello?.head ?? 0;
      away.close();
      const watching = await owner.connect();
      await untilVersion(watching, await changeContact('Mum'));
      expect((await owner.post('family/member/remove', { familyId, userId: guardian.userId })).status).toBe(200);
      await fixture.waitUntilProjected(service);
      await sleep(REVOCATION_LIMIT_MS);
      const back = await guardian.connect({ last });
      await sleep(500);
      expect(back.messages.filter(({ cid }) => cid === fixture.cid)).toEqual([]);
      expect(back.problems).toEqual([]);
    });
  });

  describe('end of a membership', () => {
    test('a member who leaves loses REST access, the socket and queued messages within two seconds', async () => {
      const { owner, guardian, cid, familyId } = fixture;
      const away = await (await guardian.signInOnSecondPhone()).connect();
      const last = away.hello?.head ?? 0;
      away.close();
      const [left, watching] = [await guardian.connect(), await owner.connect()];
      await untilVersion(watching, await changeContact('Mum'));
      expect((await guardian.post('family/leave', { familyId })).status).toBe(200);
      await waitForLostAccess(guardian);
      await waitUntilExcluded(left, noticeDelivery(watching));
      const before = left.messages.length;
      await untilVersion(watching, await changeContact('Mama'));
      const back = await guardian.connect({ last });
      await sleep(500);
      expect(left.messages.slice(before)).toEqual([]);
      expect(back.messages.filter((message) => message.cid === cid)).toEqual([]);
      expect(back.problems).toEqual([]);
    });

    test('dissolving the family ends the access of all members, including the owner, and of the watch', async () => {
      const { owner, guardian, watch, familyId } = fixture;
      const sockets = [await owner.connect(), await guardian.connect(), await watch.connect()];
      const request = { familyId, stepUp: { password: PASSWORD } };
      expect((await owner.post('family/dissolve', request)).status).toBe(200);
      const since = Date.now();
      for (const person of [owner, guardian]) {
        await waitForLostAccess(person);
        await waitForStatus(REVOCATION_LIMIT_MS, () => person.get('family/member/list', { familyId }), 404);
        expect((await person.get('family/list')).body).toEqual({ items: [], nextCursor: null });
      }
      await waitForLostAccess(watch);
      const points = [{ latitude: '31.2', longitude: '121.4', radius: 9, pointType: 1, positionTime: Date.now() }];
      const isRefused = async () => {
        const response = await sockets[2]?.send('LocationPointChangeMessage', { points });
        return response?.ok === false && response.reason === 'WATCH_UNBOUND';
      };
      await waitUntil('the refusal of the watch', isRefused, REVOCATION_LIMIT_MS);
      await sleep(Math.max(0, since + REVOCATION_LIMIT_MS - Date.now()));
      const counts = sockets.map(({ messages }) => messages.length);
      expect(await isRefused()).toBe(true);
      await sleep(300);
      expect(sockets.map(({ messages }) => messages.length)).toEqual(counts);
    });
  });

  test('a former owner has only the rights of a guardian in each app within two seconds of the transfer', async () => {
    const { owner, guardian, watch, cid, familyId } = fixture;
    const contentIDList = [await fixture.storeFile()];
    const socket = await owner.connect();
    const request = { familyId, userId: guardian.userId, stepUp: { password: PASSWORD } };
    expect((await owner.post('family/transfer', request)).status).toBe(200);
    await waitForStatus(REVOCATION_LIMIT_MS, () => owner.get('child/delete', { cid }), 403);
    await waitForStatus(REVOCATION_LIMIT_MS, () => owner.post('family/invitation/create', { familyId, role: 2 }), 403);
    const unbinding = { did: watch.did, stepUp: { password: PASSWORD } };
    await waitForStatus(REVOCATION_LIMIT_MS, () => owner.post('device/unbind', unbinding), 403);
    // A guardian keeps access to the cloud, the child and its messages.
    expect((await owner.post(`${CLOUD_PATH}deleteContents`, { cloudID: familyId, contentIDList })).status).toBe(200);
    const { body } = await guardian.get('device/contacts/list', { deviceId: watch.did });
    await untilVersion(socket, Number(body['version']));
    expect((await guardian.post('family/member/remove', { familyId, userId: owner.userId })).status).toBe(200);
    await waitForLostAccess(owner);
  });

  describe('end of a session', () => {
    test('signing out ends socket and REST access within two seconds, and another phone keeps its access', async () => {
      const secondPhone = await fixture.owner.signInOnSecondPhone();
      const [ended, current] = [await secondPhone.connect(), await fixture.owner.connect()];
      expect((await secondPhone.post('account/sign-out', {})).status).toBe(200);
      await expectDisconnectInTime(ended);
      await waitForStatus(REVOCATION_LIMIT_MS, () => secondPhone.get('child/get'), 401);
      expect(await current.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
      const { refreshToken } = secondPhone.tokens;
      expect((await secondPhone.post('account/token/refresh', { refreshToken })).status).toBe(401);
    });

    test('changing the password ends all other sessions and keeps the current session', async () => {
      const secondPhone = await fixture.owner.signInOnSecondPhone();
      const [ended, current] = [await secondPhone.connect(), await fixture.owner.connect()];
      const change = { password: 'eleven loud sparrows', stepUp: { password: PASSWORD } };
      expect((await fixture.owner.post('account/password/set', change)).status).toBe(200);
      await expectDisconnectInTime(ended);
      await waitForStatus(REVOCATION_LIMIT_MS, () => secondPhone.get('child/get'), 401);
      await waitForStatus(REVOCATION_LIMIT_MS, () => secondPhone.post(`${CLOUD_PATH}queryFamilyCloud`, {}), 401);
      expect(await current.send('HeartbeatMessage', {})).toMatchObject({ ok: true });
      expect((await fixture.owner.get('child/get')).status).toBe(200);
    });

    test('resetting the password ends all sessions', async () => {
      const socket = await fixture.owner.connect();
      const code = await requestCode(service, fixture.owner.phoneNumber, 'RESET_PASSWORD');
      const answer = await fixture.owner.post('account/password/reset', { ...code, password: 'eleven loud sparrows' });
      expect(answer.status).toBe(200);
      await expectDisconnectInTime(socket);
      await waitForStatus(REVOCATION_LIMIT_MS, () => fixture.owner.get('child/get'), 401);
    });
  });

  describe('end of a binding', () => {
    test('deleting the child notifies watch and guardians, and the watch loses all access', async () => {
      const { owner, guardian, watch, cid } = fixture;
      const sockets = [await owner.connect(), await guardian.connect(), await watch.connect()];
      expect((await owner.get('child/delete', { cid })).status).toBe(200);
      for (const socket of sockets) {
        await socket.waitFor(() => socket.messagesOfKind(BINDING_NOTICE).length > 0, BINDING_NOTICE);
        expect(socket.messagesOfKind(BINDING_NOTICE).at(-1)?.payload).toEqual({
          did: watch.did,
          cid,
          state: 'UNBOUND',
          by: `user:${owner.userId}`,
        });
      }
      const points = [{ latitude: '31.2', longitude: '121.4', radius: 9, pointType: 1, positionTime: Date.now() }];
      const report = () => watch.post('/apis/v2/userctx/watch/location/report', { points });
      await waitForStatus(REVOCATION_LIMIT_MS, report, 403);
      await waitForLostAccess(watch);
      expect(await sockets[2]?.send('LocationPointChangeMessage', { points })).toMatchObject({
        reason: 'WATCH_UNBOUND',
      });
    });

    test('an unbound watch can be bound by another family and receives no message of the first family', async () => {
      const { owner, watch } = fixture;
      const socket = await watch.connect();
      expect((await owner.post('device/unbind', { did: watch.did, stepUp: await owner.stepUp() })).status).toBe(200);
      await socket.waitFor(() => socket.messagesOfKind(BINDING_NOTICE).length > 0, BINDING_NOTICE);
      const other = await Parent.signUp(service);
      const cid = await other.createChild({ ...VALID_CHILD, name: 'Leo' });
      const bound = await other.post('device/bind', { ...(await watch.createBindCode()), cid });
      expect(bound).toMatchObject({ status: 200, body: { did: watch.did } });
      const { body } = await watch.get<{ items: { userId?: string }[] }>('device/contacts/list', {
        deviceId: watch.did,
      });
      expect(body.items.map(({ userId }) => userId)).toEqual([other.userId]);
      expect((await owner.get('device/get', { did: watch.did })).status).toBe(404);
    });
  });
});
