import { envelopeData, responseData } from '@family-watch/client/rest/response-data';
import { createRestClient } from '@family-watch/client/rest/rest-client';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import type { TokenSource } from '@family-watch/client/tokens/token-source';
import { userSession } from '@family-watch/client/tokens/user-session';
import { enrolWatch, watchTokenSource } from '@family-watch/client/watch/watch-identity';
import { WatchKey } from '@family-watch/client/watch/watch-key';
import { isImei } from '@family-watch/domain/watches/contracts/imei';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { signUp } from '../load/sign-up.js';
import type { SignedUpAccount } from '../load/sign-up.js';
import { fetchWithTimeout, untilAcknowledged } from './rest-operations.js';

const CLOUD = '/app-api/mcdisk/wristwatch/familyCloud';
const GUARDIAN = 2;
const CHILD = {
  name: 'Mia',
  phoneNumber: '13812345678',
  areaCode: '+86',
  appellation: 'Mimi',
  gender: 3,
  weight: 120,
  height: 125,
} as const;

/** A principal with its session. */
export interface ChaosClient {
  /** `user:<id>` or `watch:<did>`. */
  principal: string;
  api: RestClient;
  tokens: TokenSource;
  /** Conversations of this principal. */
  conversationIds: string[];
}

/** An owner, a guardian and a child with a watch. */
export interface ChaosFamily {
  owner: ChaosClient;
  guardian: ChaosClient;
  watch: ChaosClient;
  cid: string;
  did: number;
  /** Id of the guardian among the child's contacts. */
  guardianContact: string;
  cloudID: string;
}

/** Creates families through the API. @param dataDir - contains the sent SMS codes */
export async function createFamilies(url: string, dataDir: string, count: number): Promise<ChaosFamily[]> {
  const accounts = await signUp(url, dataDir, 2 * count);
  const families: ChaosFamily[] = [];
  for (let index = 0; index < count; index += 1) {
    const [owner, guardian] = accounts.slice(2 * index) as [SignedUpAccount, SignedUpAccount];
    families.push(await createFamily(url, createUser(url, owner), createUser(url, guardian), index));
  }
  return families;
}

function createUser(url: string, account: SignedUpAccount): ChaosClient & { userId: string } {
  const tokens = userSession(createRestClient({ url, fetch: fetchWithTimeout }), account);
  const { userId } = account;
  return { userId, principal: `user:${userId}`, tokens, ...restClient(url, tokens), conversationIds: [] };
}

function restClient(url: string, tokens: TokenSource): { api: RestClient } {
  return { api: createRestClient({ url, tokens, fetch: fetchWithTimeout }) };
}

async function createFamily(
  url: string,
  owner: ChaosClient,
  guardian: ChaosClient & { userId: string },
  index: number,
): Promise<ChaosFamily> {
  const { cid } = await responseData(owner.api.POST('/apis/v2/userctx/user/child/create', { body: CHILD }));
  const params = { query: { cid } };
  const { familyId } = await responseData(owner.api.GET('/apis/v2/userctx/user/child/detail', { params }));
  const invitation = { familyId, role: GUARDIAN, appellation: 'Papa', identityType: 1 } as const;
  const { code } = await responseData(
    owner.api.POST('/apis/v2/userctx/user/family/invitation/create', { body: invitation }),
  );
  await responseData(guardian.api.POST('/apis/v2/userctx/user/family/invitation/accept', { body: { code } }));

  const { watch, did } = await enrol(url, index);
  const shown = await responseData(watch.api.POST('/apis/v2/userctx/watch/bind-code/create'));
  const binding = { bindCode: shown.bindCode, confirmCode: shown.confirmCode, cid };
  await responseData(owner.api.POST('/apis/v2/userctx/user/device/bind', { body: binding }));

  const contacts = await responseData(
    owner.api.GET('/apis/v2/userctx/user/device/contacts/list', { params: { query: { deviceId: did } } }),
  );
  const guardianContact = contacts.items.find(({ userId }) => userId === guardian.userId)?.refId;
  if (guardianContact === undefined) throw new Error('The guardian is not among the contacts');
  for (const client of [owner, guardian, watch]) client.conversationIds = await findConversations(client);
  const { familyCloudList } = await untilAcknowledged(() =>
    envelopeData(owner.api.POST(`${CLOUD}/queryFamilyCloud`, { body: {} })),
  );
  const cloudID = familyCloudList[0]?.cloudID;
  if (cloudID === undefined) throw new Error('The family has no cloud');
  return { owner, guardian, watch, cid, did, guardianContact, cloudID };
}

async function enrol(url: string, index: number): Promise<{ watch: ChaosClient; did: number }> {
  const anonymous = createRestClient({ url, fetch: fetchWithTimeout });
  const key = await WatchKey.generate();
  const claims = { imei: imeiOf(index), model: 'W7', firmwareVersion: '1.0.0' };
  const did = await enrolWatch(anonymous, key, claims);
  const tokens = watchTokenSource(anonymous, key, did);
  return { did, watch: { principal: `watch:${did}`, tokens, ...restClient(url, tokens), conversationIds: [] } };
}

/** Returns the family group and the direct conversations once the gateway has created them by event. */
function findConversations({ api }: ChaosClient): Promise<string[]> {
  return waitFor(async () => {
    const { items } = await responseData(api.GET('/apis/v2/message/conversation/list'));
    const isComplete = items.some(({ type, members }) => type === 'FAMILY' && members.length === 3);
    if (!isComplete || !items.some(({ type }) => type === 'DIRECT')) throw new Error('A conversation is missing');
    return items.map(({ conversationId }) => conversationId);
  });
}

/** Returns a well-formed IMEI of test equipment (3GPP TS 23.003, 6.2.1). */
function imeiOf(index: number): string {
  const body = `00101234${String(index).padStart(6, '0')}`;
  const imei = Array.from({ length: 10 }, (_, check) => `${body}${check}`).find(isImei);
  if (!imei) throw new Error('No check digit found');
  return imei;
}
