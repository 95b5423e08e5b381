import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { CLOUD, expectOk } from '../http-client.js';
import type { FamilyFixture } from '../family-fixture.js';
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

/** Ids that are made together, and as well formed ones of nothing. */
interface Group<Made extends Partial<Ids>> {
  of(service: TestService, fixture: FamilyFixture): Promise<Made>;
  ofNothing(): Made;
}

const group = <Made extends Partial<Ids>>(
  ofNothing: () => Made,
  of: (service: TestService, fixture: FamilyFixture) => Promise<Made>,
): Group<Made> => ({ of, ofNothing });

const text = (): string => randomBytes(16).toString('base64url');

/** In the order in which they are made. */
const GROUPS: readonly Group<Partial<Ids>>[] = [
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
    () => ({ invitationId: randomUUID(), invitationCode: text() }),
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
      await owner.secondPhone();
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
      const announced = await expectOk(
        owner.post<Announced>(`${CLOUD}getFileUploadURL`, { cloudID: familyId, uploadContentList }),
      );
      const { uploadTaskID, newContentIDList } = announced.data.uploadResult;
      return { uploadTaskID, uploadToken: newContentIDList[0]?.uploadURL.split('/').at(-1) ?? '' };
    },
  ),
  group(
    () => ({ contentID: randomUUID() }),
    async (_, fixture) => ({ contentID: await fixture.storeFile() }),
  ),
  group(
    () => ({ bindCode: text(), confirmCode: '000000' }),
    async ({ url }) => (await Watch.enrolled(url)).bindCode(),
  ),
  group(
    () => ({ challengeId: randomUUID() }),
    async (service, { owner }) => {
      const { challengeId } = await codeFor(service, owner.phoneNumber, 'CHANGE_PHONE');
      return { challengeId };
    },
  ),
  group(settingsIdsOfNothing, (_, fixture) => settingsIdsOf(fixture)),
  group(conversationIdsOfNothing, (_, fixture) => conversationIdsOf(fixture)),
  group(commandIdsOfNothing, (_, fixture) => commandIdsOf(fixture)),
  group(callIdsOfNothing, (_, fixture) => callIdsOf(fixture)),
  group(albumIdsOfNothing, (_, fixture) => albumIdsOf(fixture)),
  group(authorizationIdsOfNothing, (_, fixture) => authorizationIdsOf(fixture)),
  group(batchTaskIdsOfNothing, (_, fixture) => batchTaskIdsOf(fixture)),
  group(catalogIdsOfNothing, (_, fixture) => catalogIdsOf(fixture)),
  group(locationIdsOfNothing, (_, fixture) => locationIdsOf(fixture)),
  group(fenceIdsOfNothing, (_, fixture) => fenceIdsOf(fixture)),
  group(membershipIdsOfNothing, membershipIdsOf),
  group(
    () => ({ centerMessageId: randomUUID() }),
    async (_, fixture) => ({ centerMessageId: await centerMessageOf(fixture) }),
  ),
  group(
    () => ({ pushTokenId: randomUUID() }),
    async (_, fixture) => ({ pushTokenId: await pushTokenOf(fixture) }),
  ),
];

/** The ids of a household that has one of everything, or only of what `request` names. */
export async function idsOf(
  service: TestService,
  fixture: FamilyFixture,
  request?: (ids: Ids) => unknown,
): Promise<Ids> {
  const { guardian, watch, cid, familyId } = fixture;
  const ids = { ...idsOfNothing(), cid, did: watch.did, familyId, userId: guardian.userId, cloudID: familyId };
  const named = request && namesIn(request);
  for (const { of, ofNothing } of GROUPS) {
    const names = Object.keys(ofNothing());
    if (!named || names.some((name) => named.has(name))) Object.assign(ids, await of(service, fixture));
  }
  return ids;
}

/** Which ids a request reads. */
function namesIn(request: (ids: Ids) => unknown): Set<string | symbol> {
  const named = new Set<string | symbol>();
  request(
    new Proxy(idsOfNothing(), {
      get: (ids, name) => {
        named.add(name);
        return Reflect.get(ids, name) as unknown;
      },
    }),
  );
  return named;
}

/** Ids as well formed as real ones, of nothing. */
export function idsOfNothing(): Ids {
  const familyId = randomUUID();
  const roots = { cid: randomUUID(), did: randomInt(2 ** 47) + 1, familyId, userId: randomUUID(), cloudID: familyId };
  return Object.assign(roots, ...GROUPS.map(({ ofNothing }) => ofNothing())) as Ids;
}

/** The owner and the guardian are told that the watch was bound, by an event. */
function centerMessageOf({ owner }: FamilyFixture): Promise<string> {
  return waitUntilFound('the message of the binding', async () => {
    const { items } = await expectOk(
      owner.get<{ items: { messageId: string }[] }>('/apis/v2/message/center/list', { category: 'WATCH' }),
    );
    return items[0]?.messageId;
  });
}

async function pushTokenOf({ owner, cid }: FamilyFixture): Promise<string> {
  const body = { service: 'WEB_PUSH', token: `https://push.example/${cid}`, keys: SUBSCRIPTION_KEYS };
  return (await expectOk(owner.post<{ tokenId: string }>('/apis/v2/message/push-token/create', body))).tokenId;
}

interface Announced {
  data: { uploadResult: { uploadTaskID: string; newContentIDList: { uploadURL: string }[] } };
}
