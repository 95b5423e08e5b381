import {
  createClient,
  createRestClient,
  enrolWatch,
  envelopeData,
  responseData,
  userSession,
  WatchKey,
  watchTokenSource,
  type RestClient,
  type TokenSource,
} from '@family-watch/client';
import { isImei } from '@family-watch/domain/watches/contracts/watch';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { fetchWithTimeout } from './rest-operations.js';
import { signUp, type SignedUpAccount } from './sign-up.js';

const GUARDIAN_ROLE = 2;
export const CHILD = {
  name: 'Mia',
  phoneNumber: '13812345678',
  areaCode: '+86',
  appellation: 'Mimi',
  gender: 3,
  weight: 120,
  height: 125,
} as const;

/** A user or a watch that is signed in, with its REST client and tokens. */
export interface FamilyClient {
  /** `user:<id>` or `watch:<did>`. */
  principal: string;
  api: RestClient;
  tokens: TokenSource;
  /** The first access token of the session. */
  token: string;
  /** Conversations of this principal. */
  conversationIds: string[];
}

/** An owner, a guardian and a child with a watch. */
export interface RegisteredFamily {
  owner: FamilyClient;
  guardian: FamilyClient;
  watch: FamilyClient;
  /** Key with which the watch signs in. */
  watchKey: WatchKey;
  /** Phone number of the owner. */
  phoneNumber: string;
  /** Token of the owner's known device. */
  deviceToken: string;
  cid: string;
  did: number;
  /** The `refId` of the guardian in the contact list of the child. */
  guardianContact: string;
  /** Direct conversation of owner and child. */
  conversationId: string;
  cloudID: string;
}

/**
 * Creates families through the API, as apps and watches do.
 *
 * @param dataDir - directory of `sms-outbox.jsonl`
 * @param first - number of the first family, which decides phone numbers and IMEIs; at most 499,999
 */
export async function createFamilies(
  url: string,
  dataDir: string,
  count: number,
  first = 0,
): Promise<RegisteredFamily[]> {
  const accounts = await signUp(url, dataDir, 2 * count, 2 * first);
  const families: RegisteredFamily[] = [];
  for (let index = 0; index < count; index += 1) {
    const [owner, guardian] = accounts.slice(2 * index) as [SignedUpAccount, SignedUpAccount];
    families.push(await createFamily(url, owner, guardian, imeiOf(first + index)));
  }
  return families;
}

async function createFamily(
  url: string,
  ownerAccount: SignedUpAccount,
  guardianAccount: SignedUpAccount,
  imei: string,
): Promise<RegisteredFamily> {
  const anonymous = createClient({ url, fetch: fetchWithTimeout });
  const owner = await createFamilyClient(url, `user:${ownerAccount.userId}`, userSession(anonymous, ownerAccount));
  const guardian = await createFamilyClient(
    url,
    `user:${guardianAccount.userId}`,
    userSession(anonymous, guardianAccount),
  );
  const { cid } = await responseData(owner.api.POST('/apis/v2/userctx/user/child/create', { body: CHILD }));
  const params = { query: { cid } };
  const { familyId } = await responseData(owner.api.GET('/apis/v2/userctx/user/child/detail', { params }));
  const invitation = { familyId, role: GUARDIAN_ROLE, appellation: 'Papa', identityType: 1 } as const;
  const { code } = await responseData(
    owner.api.POST('/apis/v2/userctx/user/family/invitation/create', { body: invitation }),
  );
  await responseData(guardian.api.POST('/apis/v2/userctx/user/family/invitation/accept', { body: { code } }));

  const key = await WatchKey.generate();
  const did = await enrolWatch(anonymous, key, { imei, model: 'W7', firmwareVersion: '1.0.0' });
  const watch = await createFamilyClient(url, `watch:${did}`, watchTokenSource(anonymous, key, did));
  const { bindCode, confirmCode } = await responseData(watch.api.POST('/apis/v2/userctx/watch/bind-code/create'));
  const binding = { bindCode, confirmCode, cid };
  await responseData(owner.api.POST('/apis/v2/userctx/user/device/bind', { body: binding }));

  const contacts = await responseData(
    owner.api.GET('/apis/v2/userctx/user/device/contacts/list', { params: { query: { deviceId: did } } }),
  );
  const guardianContact = contacts.items.find(({ userId }) => userId === guardianAccount.userId)?.refId;
  if (guardianContact === undefined) throw new Error('The guardian is not among the contacts');
  const conversationId = await waitForConversations(owner, cid);
  for (const client of [guardian, watch]) await waitForConversations(client, cid);
  await waitForCloud(owner);
  const { phoneNumber, deviceToken } = ownerAccount;
  // The cloud has the id of its family.
  return {
    owner,
    guardian,
    watch,
    watchKey: key,
    phoneNumber,
    deviceToken,
    cid,
    did,
    guardianContact,
    conversationId,
    cloudID: familyId,
  };
}

async function createFamilyClient(url: string, principal: string, tokens: TokenSource): Promise<FamilyClient> {
  const api = createRestClient({ url, tokens, fetch: fetchWithTimeout });
  return { principal, api, tokens, token: (await tokens.get()).token, conversationIds: [] };
}

/**
 * Sets the conversations of a client once the gateway has created them by event.
 *
 * @returns the id of the direct conversation in which the child is a member
 */
function waitForConversations(client: FamilyClient, cid: string): Promise<string> {
  return waitFor(async () => {
    const { items } = await responseData(client.api.GET('/apis/v2/message/conversation/list'));
    const group = items.find(({ type, members }) => type === 'FAMILY' && members.length === 3);
    const direct = items.find(({ type, members }) => type === 'DIRECT' && members.some((each) => each.cid === cid));
    if (!group || !direct) throw new Error('A conversation is missing');
    client.conversationIds = items.map(({ conversationId }) => conversationId);
    return direct.conversationId;
  });
}

/** Waits until mcdisk has created the family's cloud by event. */
function waitForCloud({ api }: FamilyClient): Promise<void> {
  return waitFor(async () => {
    const path = '/app-api/mcdisk/wristwatch/familyCloud/queryFamilyCloud';
    const { familyCloudList } = await envelopeData(api.POST(path, { body: {} }));
    if (familyCloudList.length === 0) throw new Error('The family has no cloud');
  });
}

/** Returns a well-formed IMEI of test equipment (3GPP TS 23.003, 6.2.1). */
function imeiOf(index: number): string {
  const body = `00101234${String(index).padStart(6, '0')}`;
  const imei = Array.from({ length: 10 }, (_, check) => `${body}${check}`).find(isImei);
  if (!imei) throw new Error('No check digit found');
  return imei;
}
