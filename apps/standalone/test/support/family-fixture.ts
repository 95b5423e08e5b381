import type { CenterMessageDto, CenterPageDto } from '@family-watch/domain/messages/dto/message-center.dto';
import type { TestClient } from '@family-watch/testing/clients/test-client';
import { waitUntil, waitUntilFound } from '@family-watch/testing/waiting/wait-for';
import { CLOUD_PATH, expectOk, type HttpClient } from './http-client.js';
import { Parent } from './parent.js';
import type { TestService } from './test-service.js';
import { Watch, WATCH_PATH } from './watch.js';

const SELECT_IS_PROJECTED = `
  SELECT (SELECT version FROM gateway.family WHERE family_id = $1) = version
     AND (SELECT version FROM mcdisk.family_projection WHERE family_id = $1) = version AS "isProjected"
    FROM userctx.family WHERE family_id = $1::uuid`;

/** Maximum time from the end of a permission until access ends. */
export const REVOCATION_LIMIT_MS = 2_000;

/**
 * Waits until a removed member receives nothing of what the others receive, for at most {@link REVOCATION_LIMIT_MS}. One
 * gateway may deliver a message later than the other, so three messages in a row must be missing.
 *
 * @param deliver - sends a message and waits until another member has received it
 */
export async function waitUntilExcluded(removed: TestClient, deliver: () => Promise<void>): Promise<void> {
  const isExcluded = async () => {
    const before = removed.messages.length;
    await deliver();
    await removed.send('HeartbeatMessage', {});
    return removed.messages.length === before;
  };
  const isExcludedThreeTimes = async () => (await isExcluded()) && (await isExcluded()) && (await isExcluded());
  await waitUntil('the end of messages', isExcludedThreeTimes, REVOCATION_LIMIT_MS);
}

/** Returns the conversation of this type that the reader takes part in, and another user if given. */
export async function findConversation(
  reader: HttpClient,
  type: 'DIRECT' | 'FAMILY' | 'FRIENDS',
  withUser?: Pick<Parent, 'userId'>,
): Promise<string | undefined> {
  const { items } = await expectOk(
    reader.get<{ items: { conversationId: string; type: string; members: { userId: string | null }[] }[] }>(
      '/apis/v2/message/conversation/list',
    ),
  );
  const isSearched = ({ members }: (typeof items)[number]) =>
    withUser === undefined || members.some(({ userId }) => userId === withUser.userId);
  return items.find((each) => each.type === type && isSearched(each))?.conversationId;
}

/** Waits until the gateway, which receives the event of the family or the friendship, has created the conversation. */
export function waitForConversation(...search: Parameters<typeof findConversation>): Promise<string> {
  return waitUntilFound('the conversation', () => findConversation(...search));
}

/** Waits until the message centre of a person contains a message of the type, and returns the message. */
export function waitForCenterMessage(person: HttpClient, category: string, type: string): Promise<CenterMessageDto> {
  return waitUntilFound(`${type} in the message centre`, async () => {
    const { items } = await expectOk(
      person.get<CenterPageDto>('/apis/v2/message/center/list', { category, limit: 200 }),
    );
    return items.find((each) => each.type === type);
  });
}

/** An owner, a second guardian, and one child with a watch and a cloud, created through the API. */
export class FamilyFixture {
  private constructor(
    readonly owner: Parent,
    readonly guardian: Parent,
    readonly cid: string,
    readonly familyId: string,
    readonly watch: Watch,
  ) {}

  static async create(service: TestService, more: { password?: string } = {}): Promise<FamilyFixture> {
    const [owner, guardian] = await Promise.all([Parent.signUp(service, more), Parent.signUp(service)]);
    const cid = await owner.createChild();
    const familyId = await owner.findOwnFamilyId();
    await owner.addMember(guardian, { role: 2 });
    const watch = await Watch.enrolAndBind(owner, cid);
    const fixture = new FamilyFixture(owner, guardian, cid, familyId, watch);
    await fixture.waitUntilProjected(service);
    return fixture;
  }

  /**
   * Ids of the family, its members, child and watch; each database row of the family contains at least one of these
   * ids.
   */
  get ids(): readonly string[] {
    return [this.familyId, this.cid, String(this.watch.did), this.owner.userId, this.guardian.userId];
  }

  /** Returns the `refId` of a member in the contact list of the child. */
  async contactOf({ userId }: { userId: string }): Promise<string> {
    const query = { deviceId: this.watch.did };
    const { body } = await this.owner.get<{ items: { refId: string; userId?: string }[] }>(
      'device/contacts/list',
      query,
    );
    const found = body.items.find((contact) => contact.userId === userId);
    if (!found) throw new Error('Not among the contacts');
    return found.refId;
  }

  /** Uploads a file to the cloud of this family. @returns its contentID */
  async storeFile(contentName = 'photo.jpg', bytes = Buffer.from('bytes')): Promise<string> {
    const announced = await this.owner.post<{ data: UploadSessionData }>(`${CLOUD_PATH}getFileUploadURL`, {
      cloudID: this.familyId,
      uploadContentList: [{ contentName, contentSize: bytes.length }],
    });
    const [file] = announced.body.data.uploadResult.newContentIDList;
    if (!file) throw new Error(announced.text);
    const { pathname } = new URL(file.uploadURL);
    const stored = await this.owner.send('PUT', pathname, { body: bytes });
    if (stored.status !== 200) throw new Error(stored.text);
    return file.contentID;
  }

  /** Returns the path of a new link to a file of the cloud of this family. */
  async linkTo(contentID: string, reader: HttpClient = this.owner): Promise<string> {
    const request = { cloudID: this.familyId, contentID };
    const { data } = await expectOk(
      reader.post<{ data: { downloadURL: string } }>(`${CLOUD_PATH}getFileDownLoadURL`, request),
    );
    return new URL(data.downloadURL).pathname;
  }

  /** The children of both families become friends, with the consent of both owners. @returns the applicationId */
  async befriend({ owner, watch }: FamilyFixture): Promise<string> {
    const { friendCode } = await expectOk(watch.post<{ friendCode: string }>(`${WATCH_PATH}friend-code/create`, {}));
    const { applicationId } = await expectOk(
      this.watch.post<{ applicationId: string }>('device/friends/apply', { did: this.watch.did, friendCode }),
    );
    await expectOk(this.owner.post('device/friends/confirm', { did: this.watch.did, applicationId }));
    await expectOk(owner.post('device/friends/confirm', { did: watch.did, applicationId }));
    return applicationId;
  }

  disconnectAll(): void {
    for (const actor of [this.owner, this.guardian, this.watch]) actor.disconnectAll();
  }

  /** Waits until gateway and mcdisk have stored the family; before, both apps reject the family's ids as unknown. */
  async waitUntilProjected(service: TestService): Promise<void> {
    await waitUntil('the projections of the family in gateway and mcdisk', async () => {
      const [known] = await service.query<{ isProjected: boolean }>(SELECT_IS_PROJECTED, [this.familyId]);
      return known?.isProjected ?? false;
    });
  }
}

interface UploadSessionData {
  uploadResult: { uploadTaskID: string; newContentIDList: { contentID: string; uploadURL: string }[] };
}
