import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { CLOUD_PATH, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
import { SUBSCRIPTION_KEYS } from './center-rows.js';
import { requestCode } from '../parent.js';
import type { TestService } from '../test-service.js';
import { Watch } from '../watch.js';
import { albumIdsOf, unknownAlbumIds, type AlbumIds } from './album-ids.js';
import { authorizationIdsOf, unknownAuthorizationIds, type AuthorizationIds } from './authorization-ids.js';
import { batchTaskIdsOf, unknownBatchTaskIds, type BatchTaskIds } from './batch-task-ids.js';
import { callIdsOf, unknownCallIds, type CallIds } from './call-ids.js';
import { createFolderIds, unknownFolderIds, type FolderIds } from './folder-ids.js';
import { commandIdsOf, unknownCommandIds, type CommandIds } from './command-ids.js';
import { conversationIdsOf, unknownConversationIds, type ConversationIds } from './conversation-ids.js';
import { membershipIdsOf, unknownMembershipIds, type MembershipIds } from './membership-ids.js';
import { fenceIdsOf, unknownFenceIds, type FenceIds } from './fence-ids.js';
import { locationIdsOf, unknownLocationIds, type LocationIds } from './location-ids.js';
import { paymentIdsOf, unknownPaymentIds, type PaymentIds } from './payment-ids.js';
import { settingsIdsOf, unknownSettingsIds, type SettingsIds } from './settings-ids.js';

/** All ids and codes of a family that a request can name. */
export interface Ids
  extends
    AlbumIds,
    AuthorizationIds,
    BatchTaskIds,
    CallIds,
    FolderIds,
    FenceIds,
    LocationIds,
    SettingsIds,
    CommandIds,
    ConversationIds,
    MembershipIds,
    PaymentIds {
  cid: string;
  deletedCid: string;
  did: number;
  familyId: string;
  userId: string;
  refId: string;
  invitationId: string;
  invitationCode: string;
  sessionId: string;
  cloudID: string;
  contentID: string;
  uploadTaskID: string;
  /** Token in the URL of an upload. */
  uploadToken: string;
  /** Current bind code of an unbound watch. */
  bindCode: string;
  confirmCode: string;
  /** Id of an SMS challenge of scene CHANGE_PHONE for the owner's phone number. */
  challengeId: string;
  /** Id of a center message that every guardian received. */
  centerMessageId: string;
  /** Id of a push token of the owner. */
  pushTokenId: string;
}

/** Ids that are created together. */
interface IdGroup<Created extends Partial<Ids>> {
  /** Creates the resources in a family and returns their ids. */
  create(service: TestService, family: FamilyFixture): Promise<Created>;
  /** Returns well-formed ids of resources that do not exist. */
  createUnknown(): Created;
}

const group = <Created extends Partial<Ids>>(
  createUnknown: () => Created,
  create: (service: TestService, family: FamilyFixture) => Promise<Created>,
): IdGroup<Created> => ({ create, createUnknown });

const randomToken = (): string => randomBytes(16).toString('base64url');

/** All groups of ids, in the order in which their resources are created. */
const GROUPS: readonly IdGroup<Partial<Ids>>[] = [
  group(
    () => ({ refId: randomUUID() }),
    async (_, { owner, watch }) => {
      const contact = { deviceId: watch.did, name: 'Grandma', phoneNumber: '13900001111', areaCode: '86' };
      return expectOk(owner.post<{ refId: string }>('device/contacts/create', contact)).then(({ refId }) => ({
        refId,
      }));
    },
  ),
  group(
    () => ({ deletedCid: randomUUID() }),
    async (_, { owner }) => {
      const deletedCid = await owner.createChild({ name: 'Leo' });
      await expectOk(owner.get('child/delete', { cid: deletedCid }));
      return { deletedCid };
    },
  ),
  group(
    () => ({ invitationId: randomUUID(), invitationCode: randomToken() }),
    async (_, { owner, familyId }) => {
      const { invitationId, code } = await expectOk(
        owner.post<{ invitationId: string; code: string }>('family/invitation/create', { familyId, role: 3 }),
      );
      return { invitationId, invitationCode: code };
    },
  ),
  group(
    () => ({ sessionId: randomUUID() }),
    async (_, { owner }) => {
      await owner.signInOnSecondPhone();
      const { items } = await expectOk(
        owner.get<{ items: { sessionId: string; current: boolean }[] }>('account/session/list'),
      );
      return { sessionId: items.find(({ current }) => !current)?.sessionId ?? '' };
    },
  ),
  group(
    () => ({ uploadTaskID: randomUUID(), uploadToken: randomBytes(32).toString('base64url') }),
    async (_, { owner, familyId }) => {
      const uploadContentList = [{ contentName: 'late.jpg', contentSize: 5 }];
      const response = await expectOk(
        owner.post<UploadUrlResponse>(`${CLOUD_PATH}getFileUploadURL`, { cloudID: familyId, uploadContentList }),
      );
      const { uploadTaskID, newContentIDList } = response.data.uploadResult;
      return { uploadTaskID, uploadToken: newContentIDList[0]?.uploadURL.split('/').at(-1) ?? '' };
    },
  ),
  group(
    () => ({ contentID: randomUUID() }),
    async (_, family) => ({ contentID: await family.storeFile() }),
  ),
  group(
    () => ({ bindCode: randomToken(), confirmCode: '000000' }),
    async ({ url }) => (await Watch.enrol(url)).createBindCode(),
  ),
  group(
    () => ({ challengeId: randomUUID() }),
    async (service, { owner }) => {
      const { challengeId } = await requestCode(service, owner.phoneNumber, 'CHANGE_PHONE');
      return { challengeId };
    },
  ),
  group(unknownSettingsIds, (_, family) => settingsIdsOf(family)),
  group(unknownConversationIds, (_, family) => conversationIdsOf(family)),
  group(unknownCommandIds, (_, family) => commandIdsOf(family)),
  group(unknownCallIds, (_, family) => callIdsOf(family)),
  group(unknownAlbumIds, (_, family) => albumIdsOf(family)),
  group(unknownAuthorizationIds, (_, family) => authorizationIdsOf(family)),
  group(unknownBatchTaskIds, (_, family) => batchTaskIdsOf(family)),
  group(unknownFolderIds, (_, family) => createFolderIds(family)),
  group(unknownLocationIds, (_, family) => locationIdsOf(family)),
  group(unknownFenceIds, (_, family) => fenceIdsOf(family)),
  group(unknownMembershipIds, membershipIdsOf),
  group(unknownPaymentIds, paymentIdsOf),
  group(
    () => ({ centerMessageId: randomUUID() }),
    async (_, family) => ({ centerMessageId: await waitForCenterMessage(family) }),
  ),
  group(
    () => ({ pushTokenId: randomUUID() }),
    async (_, family) => ({ pushTokenId: await createPushToken(family) }),
  ),
];

/**
 * Creates the resources in a family and returns their ids. If `request` is given, only the ids that it reads are
 * created.
 */
export async function idsOf(
  service: TestService,
  family: FamilyFixture,
  request?: (ids: Ids) => unknown,
): Promise<Ids> {
  const { guardian, watch, cid, familyId } = family;
  const ids = { ...createUnknownIds(), cid, did: watch.did, familyId, userId: guardian.userId, cloudID: familyId };
  const named = request && namesIn(request);
  for (const { create, createUnknown } of GROUPS) {
    const names = Object.keys(createUnknown());
    if (!named || names.some((name) => named.has(name))) Object.assign(ids, await create(service, family));
  }
  return ids;
}

/** Returns the names of the properties of `Ids` that a request reads. */
function namesIn(request: (ids: Ids) => unknown): Set<string | symbol> {
  const named = new Set<string | symbol>();
  request(
    new Proxy(createUnknownIds(), {
      get: (ids, name) => {
        named.add(name);
        return Reflect.get(ids, name) as unknown;
      },
    }),
  );
  return named;
}

/** Returns well-formed ids of resources that do not exist. */
export function createUnknownIds(): Ids {
  const familyId = randomUUID();
  const roots = { cid: randomUUID(), did: randomInt(2 ** 47) + 1, familyId, userId: randomUUID(), cloudID: familyId };
  return Object.assign(roots, ...GROUPS.map(({ createUnknown }) => createUnknown())) as Ids;
}

/** Waits for the center message about the watch's binding, which the gateway creates from an event. */
function waitForCenterMessage({ owner }: FamilyFixture): Promise<string> {
  return waitUntilFound('the center message of the binding', async () => {
    const { items } = await expectOk(
      owner.get<{ items: { messageId: string }[] }>('/apis/v2/message/center/list', { category: 'WATCH' }),
    );
    return items[0]?.messageId;
  });
}

async function createPushToken({ owner, cid }: FamilyFixture): Promise<string> {
  const body = { service: 'WEB_PUSH', token: `https://push.example/${cid}`, keys: SUBSCRIPTION_KEYS };
  return (await expectOk(owner.post<{ tokenId: string }>('/apis/v2/message/push-token/create', body))).tokenId;
}

interface UploadUrlResponse {
  data: { uploadResult: { uploadTaskID: string; newContentIDList: { uploadURL: string }[] } };
}
