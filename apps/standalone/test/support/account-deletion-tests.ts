import { createHash, randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type {
  AccountDeletionDto,
  AccountDeletionStatusDto,
  ErasureReceiptDto,
} from '@family-watch/domain/privacy/dto/account-deletion.dto';
import type { CenterPageDto } from '@family-watch/domain/messages/dto/message-center.dto';
import { waitFor, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import type { Deployment } from './deployments.js';
import { distantWeekday } from './distant-weekday.js';
import { FamilyFixture } from './family-fixture.js';
import { CLOUD_PATH, expectOk, HttpClient } from './http-client.js';
import { MarkerSearch } from './marker-search.js';
import { Parent, VALID_CHILD } from './parent.js';
import { createScan, reportScans } from './radio-fixture.js';
import { TestService } from './test-service.js';
import { Watch, WATCH_PATH } from './watch.js';

const MESSAGE_PATH = '/apis/v2/message/';
export const DELETE_PATH = 'account/delete';
const CIRCLE = { latitude: '31.2304', longitude: '121.4737', radius: 200 };

interface Conversations {
  items: { conversationId: string; type: string; members: { userId: string | null }[] }[];
}

export const findConversation = (by: Parent | Watch, type: string) =>
  waitUntilFound(`a conversation of type ${type}`, async () => {
    const { items } = await expectOk(by.get<Conversations>(`${MESSAGE_PATH}conversation/list`));
    return items.find((each) => each.type === type)?.conversationId;
  });
export const say = (by: Parent | Watch, conversationId: string, text: string) =>
  expectOk(
    by.post(`${MESSAGE_PATH}send`, { kind: 'ChatTextMessage', clientMsgId: randomUUID(), conversationId, text }),
  );

/** A family of one owner, a caregiver and a child whose watch has a friend in another family. */
interface SoleOwnerFamily {
  owner: Parent;
  caregiver: Parent;
  familyId: string;
  cid: string;
  watch: Watch;
  friends: FamilyFixture;
}

/** Tests the deletion of accounts on a service of its own, because it compares whole tables and searches the log. */
export function testAccountDeletion(deployment: Deployment): void {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start(deployment, { LOG_LEVEL: 'debug' });
  });
  afterAll(() => service.stop());

  const fetchReceipt = (receiptId: string) =>
    new HttpClient(service.url).get<ErasureReceiptDto>(`${DELETE_PATH}/receipt/get`, { receiptId });
  /** Ends the grace period, and waits until the account is erased. */
  const waitForReceipt = async (receiptId: string) => {
    await service.query('UPDATE userctx.account_deletion SET due_at = 0 WHERE receipt_id = $1', [receiptId]);
    return waitUntilFound('the completed receipt', async () => {
      const receipt = await expectOk(fetchReceipt(receiptId));
      return receipt.state === 'COMPLETED' ? receipt : undefined;
    });
  };
  const remove = async (person: Parent) =>
    expectOk(person.post<AccountDeletionDto>(DELETE_PATH, { stepUp: await person.stepUp() }));
  const centerOf = async (person: Parent) =>
    (await expectOk(person.get<CenterPageDto>(`${MESSAGE_PATH}center/list`))).items;
  /**
   * Returns the tables with a row that contains the id, except for revocations, which are kept while tokens are valid, and
   * for the erasures, which look for rows of late events for a week.
   */
  const tablesWith = async (id: string) => {
    const tables = await service.query<{ name: string }>(
      `SELECT schemaname || '.' || tablename AS name FROM pg_tables
        WHERE schemaname IN ('userctx', 'gateway', 'mcdisk') AND tablename NOT IN ('revocation', 'account_erasure') ORDER BY name`,
    );
    const found: string[] = [];
    for (const { name } of tables)
      if ((await service.query(`SELECT FROM ${name} t WHERE t::text LIKE '%' || $1 || '%' LIMIT 1`, [id])).length > 0)
        found.push(name);
    return found;
  };

  /** The token of the erased person would be valid for minutes, so every app must know that it has been revoked. */
  const expectRevoked = async (person: Parent, cloudID: string) => {
    const revoked = await service.query('SELECT FROM userctx.revocation WHERE strpos(principal, $1) > 0', [
      person.userId,
    ]);
    expect(revoked).toHaveLength(1);
    await waitFor(async () => {
      const ofApps = [
        person.get('account/profile/get'),
        person.get(`${MESSAGE_PATH}center/list`),
        person.post(`${CLOUD_PATH}queryFamilyCloud`, { cloudID }),
      ];
      expect((await Promise.all(ofApps)).map(({ status }) => status)).toEqual([401, 401, 401]);
    });
  };

  async function createFamilyOfOne(markers: MarkerSearch): Promise<SoleOwnerFamily> {
    const [owner, caregiver, friends] = await Promise.all([
      Parent.signUp(service, { nickname: markers.plant('nickname'), password: 'zebra-piano-41-rain' }),
      Parent.signUp(service),
      FamilyFixture.create(service),
    ]);
    markers.plant('phone number', owner.phoneNumber);
    const cid = await owner.createChild({
      name: markers.plant('child name'),
      appellation: markers.plant('child appellation'),
      phoneNumber: markers.plantPhone('child phone'),
      avatar: markers.plant('child avatar'),
    });
    const familyId = await owner.findOwnFamilyId();
    await owner.addMember(caregiver, { role: 3, permissions: ['CHAT', 'LOCATION', 'CLOUD'] });
    const watch = await Watch.enrol(service.url);
    const appellation = markers.plant('bind appellation');
    await expectOk(owner.post('device/bind', { ...(await watch.createBindCode()), cid, appellation }));
    return { owner, caregiver, familyId, cid, watch, friends };
  }

  /** Stores markers through every operation that accepts text. */
  async function plantEverywhere(family: SoleOwnerFamily, markers: MarkerSearch): Promise<void> {
    const { owner, caregiver, familyId, cid, watch } = family;
    const { did } = watch;
    await expectOk(owner.post('account/profile/update', { avatar: markers.plant('avatar') }));
    await expectOk(owner.post('account/consent/update', { purpose: 'POSITIONING', granted: true }));
    await expectOk(owner.post('family/update', { familyId, name: markers.plant('family name') }));
    await expectOk(
      owner.post('family/invitation/create', { familyId, role: 4, appellation: markers.plant('invitation') }),
    );
    const { items } = await expectOk(
      owner.get<{ items: { refId: string; userId?: string }[] }>('device/contacts/list', { deviceId: did }),
    );
    const refId = items.find(({ userId }) => userId === caregiver.userId)?.refId;
    await expectOk(
      owner.post('device/contacts/update', { deviceId: did, refId, appellation: markers.plant('contact appellation') }),
    );
    await expectOk(
      owner.post('child/create', {
        ...VALID_CHILD,
        name: markers.plant('name of a second child'),
        appellation: markers.plant('appellation of a second child'),
        phoneNumber: markers.plantPhone('phone of a second child'),
        avatar: markers.plant('avatar of a second child'),
      }),
    );
    const schedule = { did, weekdays: [distantWeekday()] };
    for (const [index, which] of ['first', 'second'].entries()) {
      await expectOk(
        owner.post('device/contacts/create', {
          deviceId: did,
          name: markers.plant(`name of the ${which} contact`),
          phoneNumber: markers.plantPhone(`phone of the ${which} contact`),
          areaCode: '86',
          appellation: markers.plant(`appellation of the ${which} contact`),
        }),
      );
      const alarm = { did, hour: 8 + index, minute: 0, repeat: 'DAILY', label: markers.plant(`${which} alarm`) };
      await expectOk(owner.post('device/alarm-clock/create', alarm));
      const hours = {
        start: `0${8 + index}:00`,
        end: `0${8 + index}:30`,
        label: markers.plant(`${which} school time`),
      };
      await expectOk(owner.post('device/school-disable/create', { ...schedule, ...hours }));
      await expectOk(owner.post('fence/create', { cid, name: markers.plant(`${which} fence`), circle: CIRCLE }));
    }
    await expectOk(
      owner.post('device/reject-stranger/allow-number/create', {
        did,
        areaCode: '86',
        phoneNumber: markers.plantPhone('allowed number'),
      }),
    );
    await expectOk(
      watch.post(`${WATCH_PATH}blocked-call/report`, {
        calls: [
          { time: Date.now(), outcome: 'BLOCKED', areaCode: '86', phoneNumber: markers.plantPhone('blocked call') },
        ],
      }),
    );
    const lostMessage = markers.plant('lost message');
    await expectOk(owner.post('device/lost-mode/update', { did, lost: true, lostMessage }));
    await plantLocations(family, markers);
    await expectOk(watch.post(`${WATCH_PATH}sos/raise`, { time: Date.now() }));
    await plantMessages(family, markers);
    await plantFiles(family, markers);
  }

  async function plantLocations({ owner, cid, watch }: SoleOwnerFamily, markers: MarkerSearch): Promise<void> {
    const positionTime = Date.now() - 1_000;
    const coordinate = (field: string, degrees: number) =>
      markers.plant(field, `${degrees}.${String(randomInt(10 ** 7, 10 ** 8))}`);
    const point = { latitude: coordinate('latitude', 31), longitude: coordinate('longitude', 121) };
    await expectOk(
      watch.post(`${WATCH_PATH}location/report`, { points: [{ ...point, radius: 9, pointType: 1, positionTime }] }),
    );
    const comment = markers.plant('comment on a location');
    await expectOk(owner.post('location/wrong/report', { cid, positionTime, pointType: 1, comment }));
    const title = markers.plant('title of a location share');
    await expectOk(owner.post('location/share/create', { cid, expiresIn: 600, title }));
    await expectOk(reportScans(watch, [createScan()]));
  }

  async function plantMessages(family: SoleOwnerFamily, markers: MarkerSearch): Promise<void> {
    const { owner, caregiver, watch, friends } = family;
    const group = await findConversation(owner, 'FAMILY');
    await say(owner, group, markers.plant('text of the owner to the family'));
    await say(caregiver, group, markers.plant('text of the caregiver to the family'));
    await say(watch, group, markers.plant('text of the child to the family'));
    await say(owner, await findConversation(owner, 'DIRECT'), markers.plant('text of the owner to the child'));
    await say(caregiver, await findConversation(caregiver, 'DIRECT'), markers.plant('text of the caregiver'));
    const friendship = await findConversation(watch, 'FRIENDS');
    await say(watch, friendship, markers.plant('text of the child to a friend'));
    await say(friends.watch, friendship, markers.plant('text of a friend to the child'));
    await expectOk(
      owner.post(`${MESSAGE_PATH}push-token/create`, {
        service: 'WEB_PUSH',
        token: `https://push.example.com/${markers.plant('push endpoint')}`,
        keys: {
          p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
          auth: 'tBHItJI5svbpez7KI4CCXg',
        },
      }),
    );
    await expectOk(owner.post(`${MESSAGE_PATH}video-call/create`, { to: { cid: family.cid } }));
  }

  async function plantFiles(
    { owner, familyId: cloudID, watch }: SoleOwnerFamily,
    markers: MarkerSearch,
  ): Promise<void> {
    const store = async (by: Parent | Watch, contentName: string, text: string) => {
      const bytes = Buffer.from(text);
      const { body } = await by.post<{
        data: { uploadResult: { newContentIDList: { contentID: string; uploadURL: string }[] } };
      }>(`${CLOUD_PATH}getFileUploadURL`, { cloudID, uploadContentList: [{ contentName, contentSize: bytes.length }] });
      const [file] = body.data.uploadResult.newContentIDList;
      await expectOk(by.send('PUT', new URL(file!.uploadURL).pathname, { body: bytes }));
      return file!.contentID;
    };
    const first = await store(owner, markers.plant('file name'), markers.plant('bytes of a file'));
    const second = await store(owner, `${markers.plant('name of a deleted file')}.txt`, markers.plant('deleted bytes'));
    await store(watch, markers.plant('file name of the watch'), markers.plant('bytes of a file of the watch'));
    const cloud = (operation: string, body: object) =>
      expectOk(owner.post(`${CLOUD_PATH}${operation}`, { cloudID, ...body }));
    await cloud('modifyContentInfo', { contentID: first, contentName: markers.plant('new file name') });
    await cloud('createCloudDoc', { catalogName: markers.plant('folder name') });
    await cloud('createCloudPhoto', { photoName: markers.plant('album name') });
    await cloud('deleteContents', { cloudType: 0, contentIDList: [second] }).catch(async () =>
      cloud('createBatchOprTask', { taskType: 2, contentIDList: [second] }),
    );
    // An upload that never ends.
    await owner.post(`${CLOUD_PATH}getFileUploadURL`, {
      cloudID,
      uploadContentList: [{ contentName: markers.plant('name of an unfinished upload'), contentSize: 10 }],
    });
  }

  async function makeFriends({ owner, watch, friends }: SoleOwnerFamily): Promise<void> {
    const { friendCode } = await expectOk(
      friends.watch.post<{ friendCode: string }>(`${WATCH_PATH}friend-code/create`, {}),
    );
    const { applicationId } = await expectOk(
      watch.post<{ applicationId: string }>('device/friends/apply', { did: watch.did, friendCode }),
    );
    await expectOk(owner.post('device/friends/confirm', { did: watch.did, applicationId }));
    await expectOk(friends.owner.post('device/friends/confirm', { did: friends.watch.did, applicationId }));
  }

  test('leaves nothing of a family without another guardian but a receipt', async () => {
    const markers = new MarkerSearch(service);
    const family = await createFamilyOfOne(markers);
    await makeFriends(family);
    await plantEverywhere(family, markers);
    expect(await markers.findLost()).toEqual([]);
    const { owner, caregiver, familyId, cid, watch, friends } = family;
    expect(markers.count).toBeGreaterThanOrEqual(50);

    const requested = await remove(owner);
    expect(requested.ownedFamily).toEqual({ familyId, outcome: 'ERASED', newOwnerUserId: null });
    const receipt = await waitForReceipt(requested.receiptId);

    expect(await markers.findAll()).toEqual([]);
    expect(markers.findIn('the log', service.logs)).toEqual([]);
    if (deployment === 'distributed') {
      const messages = await service.distributed.readStreams();
      expect(messages.length).toBeGreaterThan(0);
      // Locations leave the stream after 24 hours.
      expect(markers.findIn('the stream', messages)).toEqual(['latitude in the stream', 'longitude in the stream']);
    }
    // Notices to other members, to friends and to the watch contain ids until they expire. The version of the dissolved
    // family stays, so that late events are ignored.
    const notices = ['gateway.mailbox_entry', 'gateway.center_message'];
    const versions = ['mcdisk.family_projection', 'gateway.family', 'gateway.conversation_source'];
    for (const id of [owner.userId, cid])
      expect((await tablesWith(id)).filter((table) => !notices.includes(table))).toEqual([]);
    expect((await tablesWith(familyId)).filter((table) => ![...notices, ...versions].includes(table))).toEqual([]);
    await expectRevoked(owner, familyId);
    expect((await caregiver.get<{ items: unknown[] }>('family/list')).body.items).toEqual([]);
    expect((await centerOf(caregiver)).map(({ type }) => type)).toContain('FAMILY_DISSOLVED');
    expect((await watch.get(`${WATCH_PATH}settings/get`)).body).toMatchObject({ reason: 'WATCH_UNBOUND' });
    expect((await friends.owner.get('child/get')).status).toBe(200);

    expect(receipt.confirmations.map(({ app }) => app)).toEqual(['userctx', 'gateway', 'mcdisk']);
    const counts = Object.fromEntries(receipt.confirmations.map((each) => [each.app, each.counts]));
    expect(counts).toMatchObject({
      userctx: { account: 1, session: 1, child: 2, location_point: 1, fence: 2, consent: 1 },
      gateway: { chat_message: 7, push_token: expect.any(Number), video_call: 1 },
      mcdisk: { content: 3, catalog: 1, album: 1, blob: expect.any(Number) },
    });
    const { digest, ...content } = receipt;
    expect(createHash('sha256').update(JSON.stringify(content)).digest('hex')).toBe(digest);
    expect(service.errors).toEqual([]);
  });

  test('passes the family to a guardian, who keeps what belongs to the family', async () => {
    const markers = new MarkerSearch(service);
    const fixture = await FamilyFixture.create(service);
    const { owner, guardian, familyId, cid } = fixture;
    await expectOk(owner.post('account/profile/update', { nickname: markers.plant('nickname') }));
    const group = await findConversation(owner, 'FAMILY');
    await say(owner, group, markers.plant('text of the owner'));
    const kept = `kept${randomUUID()}`;
    await say(guardian, group, kept);
    const contentID = await fixture.storeFile('holiday.jpg');
    await waitFor(async () => expect(await markers.findLost()).toEqual([]));

    const requested = await remove(owner);
    expect(requested.ownedFamily).toEqual({ familyId, outcome: 'TRANSFERRED', newOwnerUserId: guardian.userId });
    await waitFor(async () => {
      const message = (await centerOf(guardian)).find(({ type }) => type === 'ACCOUNT_DELETION_CHANGED');
      expect(message).toMatchObject({
        params: { userId: owner.userId, state: 'REQUESTED', eraseAt: requested.eraseAt },
      });
    });
    const receipt = await waitForReceipt(requested.receiptId);
    expect(receipt.confirmations.find(({ app }) => app === 'mcdisk')?.counts).toMatchObject({ anonymized_content: 1 });
    expect(await markers.findAll()).toEqual([]);
    // The notices that the guardian received name the erased account by its id, until they expire.
    expect(await tablesWith(owner.userId)).toEqual(['gateway.center_message', 'gateway.mailbox_entry']);

    const { items } = await expectOk(guardian.get<{ items: object[] }>('family/list'));
    expect(items).toMatchObject([{ familyId, role: 1, ownerUserId: guardian.userId }]);
    const { childList } = await expectOk(guardian.get<{ childList: object[] }>('child/get'));
    expect(childList).toMatchObject([{ cid, device: { did: fixture.watch.did } }]);
    const history = await expectOk(guardian.get<object>(`${MESSAGE_PATH}history/get`, { conversationId: group }));
    expect(JSON.stringify(history)).toContain(kept);
    const file = await expectOk(
      guardian.post<{ data: object }>(`${CLOUD_PATH}queryContentInfo`, { cloudID: familyId, contentID }),
    );
    expect(JSON.stringify(file)).toContain('holiday.jpg');
  });

  test('can be cancelled, and needs a step-up', async () => {
    const person = await Parent.signUp(service);
    expect((await person.post(DELETE_PATH, {})).body).toMatchObject({ reason: 'STEP_UP_REQUIRED' });
    const { receiptId } = await remove(person);
    const status = () => expectOk(person.get<AccountDeletionStatusDto>(`${DELETE_PATH}/get`));
    expect((await status()).deletion).toMatchObject({ receiptId });
    await expectOk(person.post(`${DELETE_PATH}/cancel`, {}));
    expect(await status()).toEqual({ deletion: null });
    expect((await fetchReceipt(receiptId)).body).toMatchObject({ reason: 'RECEIPT_NOT_FOUND' });
  });
}
