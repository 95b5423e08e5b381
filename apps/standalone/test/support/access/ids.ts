import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLOUD, expectOk } from '../http-client.js';
import type { Household } from '../household.js';
import { SUBSCRIPTION_KEYS } from './center-rows.js';
import { codeFor } from '../parent.js';
import type { TestService } from '../test-service.js';
import { Watch } from '../watch.js';
import { albumIdsOf, albumIdsOfNothing } from './album-ids.js';
import type { AlbumIds } from './album-ids.js';
import { authorizationIdsOf, authorizationIdsOfNothing } from './authorization-ids.js';
import type { AuthorizationIds } from './authorization-ids.js';
import { batchTaskIdsOf, batchTaskIdsOfNothing } from './batch-task-ids.js';
import type { BatchTaskIds } from './batch-task-ids.js';
import { callIdsOf, callIdsOfNothing } from './call-ids.js';
import type { CallIds } from './call-ids.js';
import { catalogIdsOf, catalogIdsOfNothing } from './catalog-ids.js';
import type { CatalogIds } from './catalog-ids.js';
import { commandIdsOf, commandIdsOfNothing } from './command-ids.js';
import type { CommandIds } from './command-ids.js';
import { conversationIdsOf, conversationIdsOfNothing } from './conversation-ids.js';
import type { ConversationIds } from './conversation-ids.js';
import { membershipIdsOf, membershipIdsOfNothing } from './membership-ids.js';
import type { MembershipIds } from './membership-ids.js';
import { fenceIdsOf, fenceIdsOfNothing } from './fence-ids.js';
import type { FenceIds } from './fence-ids.js';
import { locationIdsOf, locationIdsOfNothing } from './location-ids.js';
import type { LocationIds } from './location-ids.js';
import { settingsIdsOf, settingsIdsOfNothing } from './settings-ids.js';
import type { SettingsIds } from './settings-ids.js';

/** Everything of a family that a request can name. */
export interface Ids
  extends
    AlbumIds,
    AuthorizationIds,
    BatchTaskIds,
    CallIds,
    CatalogIds,
    FenceIds,
    LocationIds,
    SettingsIds,
    CommandIds,
    ConversationIds,
    MembershipIds {
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
  /** The secret part of an upload's address. */
  uploadToken: string;
  /** What an unbound watch shows just now. */
  bindCode: string;
  confirmCode: string;
  /** A code of scene CHANGE_PHONE that went to a fresh phone, and its wrong neighbour. */
  challengeId: string;
  /** A message of the centre that every guardian has. */
  centerMessageId: string;
  /** Where the owner has notifications sent. */
  pushTokenId: string;
}

/** The ids of a household that has one of everything. */
export async function idsOf(service: TestService, home: Household): Promise<Ids> {
  const { owner, guardian, watch, cid, familyId } = home;
  const contact = { deviceId: watch.did, name: 'Grandma', phoneNumber: '13900001111', areaCode: '86' };
  const { refId } = await expectOk(owner.post<{ refId: string }>('device/contacts/create', contact));
  const deletedCid = await owner.createChild({ name: 'Leo' });
  await expectOk(owner.get('child/delete', { cid: deletedCid }));
  const invitation = await expectOk(
    owner.post<{ invitationId: string; code: string }>('family/invitation/create', { familyId, role: 3 }),
  );
  await owner.secondPhone();
  const { items } = await expectOk(
    owner.get<{ items: { sessionId: string; current: boolean }[] }>('account/session/list'),
  );
  const uploadContentList = [{ contentName: 'late.jpg', contentSize: 5 }];
  const announced = await expectOk(
    owner.post<Announced>(`${CLOUD}getFileUploadURL`, { cloudID: familyId, uploadContentList }),
  );
  const { uploadTaskID, newContentIDList } = announced.data.uploadResult;
  const spare = await Watch.enrolled(service.url);
  const { challengeId } = await codeFor(service, owner.phoneNumber, 'CHANGE_PHONE');
  return {
    ...{ cid, deletedCid, did: watch.did, familyId, userId: guardian.userId, refId, challengeId },
    ...{ invitationId: invitation.invitationId, invitationCode: invitation.code },
    sessionId: items.find(({ current }) => !current)?.sessionId ?? '',
    ...{ cloudID: familyId, contentID: await home.storeFile(), uploadTaskID },
    uploadToken: newContentIDList[0]?.uploadURL.split('/').at(-1) ?? '',
    ...(await spare.bindCode()),
    ...(await settingsIdsOf(home)),
    ...(await conversationIdsOf(home)),
    ...(await commandIdsOf(home)),
    ...(await callIdsOf(home)),
    ...(await albumIdsOf(home)),
    ...(await authorizationIdsOf(home)),
    ...(await batchTaskIdsOf(home)),
    ...(await catalogIdsOf(home)),
    ...(await locationIdsOf(home)),
    ...(await fenceIdsOf(home)),
    ...(await membershipIdsOf(service, home)),
    centerMessageId: await centerMessageOf(home),
    pushTokenId: await pushTokenOf(home),
  };
}

/** Ids as well formed as real ones, of nothing. */
export function idsOfNothing(): Ids {
  const familyId = randomUUID();
  return {
    ...{ cid: randomUUID(), deletedCid: randomUUID(), did: randomInt(2 ** 47) + 1, familyId, userId: randomUUID() },
    ...{ refId: randomUUID(), invitationId: randomUUID(), invitationCode: randomBytes(16).toString('base64url') },
    ...{ sessionId: randomUUID(), cloudID: familyId, contentID: randomUUID(), uploadTaskID: randomUUID() },
    ...{ uploadToken: randomBytes(32).toString('base64url'), bindCode: randomBytes(16).toString('base64url') },
    ...settingsIdsOfNothing(),
    ...conversationIdsOfNothing(),
    ...commandIdsOfNothing(),
    ...callIdsOfNothing(),
    ...albumIdsOfNothing(),
    ...authorizationIdsOfNothing(),
    ...batchTaskIdsOfNothing(),
    ...catalogIdsOfNothing(),
    ...locationIdsOfNothing(),
    ...fenceIdsOfNothing(),
    ...membershipIdsOfNothing(),
    ...{ confirmCode: '000000', challengeId: randomUUID(), centerMessageId: randomUUID(), pushTokenId: randomUUID() },
  };
}

/** The owner and the guardian are told that the watch was bound, by an event. */
async function centerMessageOf({ owner }: Household): Promise<string> {
  for (;;) {
    const { items } = await expectOk(
      owner.get<{ items: { messageId: string }[] }>('/apis/v2/message/center/list', { category: 'WATCH' }),
    );
    const [told] = items;
    if (told) return told.messageId;
    await sleep(20);
  }
}

async function pushTokenOf({ owner, cid }: Household): Promise<string> {
  const body = { service: 'WEB_PUSH', token: `https://push.example/${cid}`, keys: SUBSCRIPTION_KEYS };
  return (await expectOk(owner.post<{ tokenId: string }>('/apis/v2/message/push-token/create', body))).tokenId;
}

interface Announced {
  data: { uploadResult: { uploadTaskID: string; newContentIDList: { uploadURL: string }[] } };
}
