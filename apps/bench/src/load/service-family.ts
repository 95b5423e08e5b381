import { createHash, randomInt } from 'node:crypto';
import { createRestClient } from '@family-watch/client/rest/rest-client';
import type { RestClient } from '@family-watch/client/rest/rest-client';
import { envelopeData, responseData } from '@family-watch/client/rest/response-data';
import { userSession } from '@family-watch/client/tokens/user-session';
import { enrolWatch, watchTokenSource } from '@family-watch/client/watch/watch-identity';
import { WatchKey } from '@family-watch/client/watch/watch-key';
import { isImei } from '@family-watch/domain/watches/contracts/imei';
import { waitUntil } from '@family-watch/testing/waiting/wait-for';
import type { WholeService } from '../servers/whole-service.js';
import { createPicture } from './picture.js';
import { readSmsCode } from './sign-up.js';

const CLOUD = '/app-api/mcdisk/wristwatch/familyCloud';
const PASSWORD = 'zebra-piano-41-rain';
const GUARDIAN = 2;
const SETUP_TIMEOUT_MS = 60_000;

/** A family whose members have signed in, with a child, a bound watch, and pictures with thumbnails. */
export interface ServiceFamily {
  phoneNumber: string;
  ownerToken: string;
  guardianToken: string;
  watchToken: string;
  cid: string;
  cloudID: string;
  conversationId: string;
}

interface Phone {
  api: RestClient;
  phoneNumber: string;
  token: string;
}

/** Creates families through the API, as apps and watches do. */
export class FamilyCreator {
  private readonly url: string;

  constructor(private readonly service: WholeService) {
    this.url = `http://${service.endpoint.host}:${service.endpoint.port}`;
  }

  /** @param pictures - number of pictures in the album of the family */
  async create(pictures: number): Promise<ServiceFamily> {
    const owner = await this.signUp();
    const guardian = await this.signUp();
    const child = {
      name: 'Mia',
      phoneNumber: '13812345678',
      areaCode: '+86',
      appellation: 'Mimi',
      gender: 3 as const,
      weight: 120,
      height: 125,
    };
    const { cid } = await responseData(owner.api.POST('/apis/v2/userctx/user/child/create', { body: child }));
    const { familyId } = await responseData(
      owner.api.GET('/apis/v2/userctx/user/child/detail', { params: { query: { cid } } }),
    );
    const invitation = { familyId, role: GUARDIAN } as const;
    const { code } = await responseData(
      owner.api.POST('/apis/v2/userctx/user/family/invitation/create', { body: invitation }),
    );
    await responseData(guardian.api.POST('/apis/v2/userctx/user/family/invitation/accept', { body: { code } }));
    const watchToken = await this.bindWatch(owner.api, cid);
    const conversationId = await findConversation(owner.api, cid);
    await uploadPictures(owner.api, familyId, pictures);
    const { phoneNumber, token: ownerToken } = owner;
    return {
      phoneNumber,
      ownerToken,
      guardianToken: guardian.token,
      watchToken,
      cid,
      cloudID: familyId,
      conversationId,
    };
  }

  private async signUp(): Promise<Phone> {
    const anonymous = createRestClient({ url: this.url });
    const phoneNumber = `139${String(randomInt(10 ** 8)).padStart(8, '0')}`;
    const { challengeId } = await responseData(
      anonymous.POST('/apis/v2/userctx/user/account/sms-code/send', {
        body: { areaCode: '+86', phoneNumber, scene: 'SIGN_UP' },
      }),
    );
    const body = {
      challengeId,
      code: await readSmsCode(this.service.dataDir, phoneNumber),
      password: PASSWORD,
      nickname: 'Anna',
    };
    const session = await responseData(anonymous.POST('/apis/v2/userctx/user/account/sign-up', { body }));
    const tokens = userSession(anonymous, session);
    return { api: createRestClient({ url: this.url, tokens }), phoneNumber, token: session.accessToken };
  }

  /** Enrols a watch and binds it to the child. @returns the access token of the watch */
  private async bindWatch(owner: RestClient, cid: string): Promise<string> {
    const key = await WatchKey.generate();
    const anonymous = createRestClient({ url: this.url });
    const did = await enrolWatch(anonymous, key, { imei: randomImei(), model: 'W7', firmwareVersion: '1.0.0' });
    const tokens = watchTokenSource(anonymous, key, did);
    const watch = createRestClient({ url: this.url, tokens });
    const { bindCode, confirmCode } = await responseData(watch.POST('/apis/v2/userctx/watch/bind-code/create'));
    const body = { bindCode, confirmCode, cid };
    await responseData(owner.POST('/apis/v2/userctx/user/device/bind', { body }));
    return (await tokens.get()).token;
  }
}

/** Waits until the gateway has received the family by event. @returns the direct conversation with the child */
async function findConversation(api: RestClient, cid: string): Promise<string> {
  let conversationId: string | undefined;
  await waitUntil(
    'the family has its conversation',
    async () => {
      const { items } = await responseData(api.GET('/apis/v2/message/conversation/list'));
      conversationId = items.find(
        ({ type, members }) => type === 'DIRECT' && members.some((member) => member.cid === cid),
      )?.conversationId;
      return conversationId !== undefined;
    },
    SETUP_TIMEOUT_MS,
  );
  return conversationId ?? '';
}

/** Uploads pictures and waits until each has a thumbnail. */
async function uploadPictures(api: RestClient, cloudID: string, count: number): Promise<void> {
  await waitUntil('the family has its cloud', async () => {
    const { familyCloudList } = await envelopeData(api.POST(`${CLOUD}/queryFamilyCloud`, { body: {} }));
    return familyCloudList.length > 0;
  });
  const pictures = Array.from({ length: count }, () => createPicture());
  const uploadContentList = pictures.map((bytes, index) => ({
    contentName: `picture-${index}.png`,
    contentSize: bytes.length,
    digest: createHash('sha256').update(bytes).digest('hex'),
  }));
  const { uploadResult } = await envelopeData(
    api.POST(`${CLOUD}/getFileUploadURL`, { body: { cloudID, uploadContentList } }),
  );
  for (const [index, { uploadURL }] of uploadResult.newContentIDList.entries()) {
    const response = await fetch(uploadURL, { method: 'PUT', body: pictures[index] as Uint8Array<ArrayBuffer> });
    if (!response.ok) throw new Error(`The upload of a picture returned ${response.status}`);
  }
  await waitUntil(
    'every picture has a thumbnail',
    async () => {
      const { cloudContentList } = await envelopeData(api.POST(`${CLOUD}/queryContentList`, { body: { cloudID } }));
      return cloudContentList.filter(({ thumbnailURL }) => thumbnailURL !== '').length === count;
    },
    SETUP_TIMEOUT_MS,
  );
}

/** Returns a random IMEI with a valid check digit. */
function randomImei(): string {
  const body = `35${String(randomInt(10 ** 12)).padStart(12, '0')}`;
  const imei = Array.from({ length: 10 }, (_, digit) => `${body}${digit}`).find(isImei);
  if (imei === undefined) throw new Error('No check digit found');
  return imei;
}
