import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { describeOneDeployment } from '../support/deployments.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk, type HttpClient } from '../support/http-client.js';
import { Parent, VALID_CHILD } from '../support/parent.js';
import { TestService } from '../support/test-service.js';

interface Member {
  userId: string | null;
  cid: string | null;
  name: string | null;
  avatar: string | null;
}

const PICTURE_URL = 'https://example.com/mia.jpg';

describeOneDeployment('names and pictures in conversations', 'distributed', (deployment) => {
  let service: TestService;
  let fixture: FamilyFixture;
  let contact: Parent;

  beforeAll(async () => {
    service = await TestService.shared(deployment);
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    fixture = await FamilyFixture.create(service);
    contact = await Parent.signUp(service, { nickname: 'Uncle Bo' });
    await fixture.owner.addMember(contact, { role: 4 });
    await fixture.waitUntilProjected(service);
  });
  afterEach(() => fixture.disconnectAll());

  const updateChild = (fields: object) =>
    expectOk(fixture.owner.post('child/update', { ...VALID_CHILD, cid: fixture.cid, ...fields }));

  async function membersSeenBy(reader: HttpClient): Promise<Member[]> {
    const list = reader.get<{ items: { members: Member[] }[] }>('/apis/v2/message/conversation/list');
    return (await expectOk(list)).items.flatMap(({ members }) => members);
  }

  async function childSeenBy(reader: HttpClient): Promise<Pick<Member, 'name' | 'avatar'> | undefined> {
    const child = (await membersSeenBy(reader)).find(({ cid }) => cid === fixture.cid);
    return child && { name: child.name, avatar: child.avatar };
  }

  test('a contact sees the name of the child that it talks to, and the child sees the name of the contact', async () => {
    await waitFor(async () => expect(await childSeenBy(contact)).toEqual({ name: 'Mia', avatar: null }));
    expect((await membersSeenBy(fixture.watch)).find(({ userId }) => userId === contact.userId)).toMatchObject({
      name: 'Uncle Bo',
    });
  });

  test('a new name is returned at once', async () => {
    await updateChild({ name: 'Mia Li' });
    expect(await childSeenBy(fixture.owner)).toEqual({ name: 'Mia Li', avatar: null });
  });

  test.each([
    ['media/5b1c', 'a reference within the family is returned to members and watches only', true, false],
    [PICTURE_URL, 'a URL is returned to contacts too', true, true],
    ['http://tracker.example/mia.jpg', 'a URL without encryption is not returned to contacts', true, false],
    ['//tracker.example/mia.jpg', 'a URL without a scheme is not returned to contacts', true, false],
    ['http:media/5b1c', 'a URL without a host is not returned to contacts', true, false],
    ['javascript:alert(1)', 'a script is returned to nobody', false, false],
    [' java\tscript:alert(1)', 'a script with white space is returned to nobody', false, false],
    ['file:///etc/passwd', 'a file of the reader is returned to nobody', false, false],
    ['data:text/html,x', 'a document is returned to nobody', false, false],
    ['https://mia:secret@example.com/mia.jpg', 'a URL with a password is returned to nobody', false, false],
  ])('the picture %j: %s', async (avatar, _, isSeenInFamily, isSeenByContacts) => {
    await waitFor(async () => expect(await childSeenBy(contact)).toBeDefined());
    await updateChild({ avatar });
    for (const reader of [fixture.owner, fixture.guardian, fixture.watch])
      expect(await childSeenBy(reader)).toEqual({ name: 'Mia', avatar: isSeenInFamily ? avatar : null });
    expect(await childSeenBy(contact)).toEqual({ name: 'Mia', avatar: isSeenByContacts ? avatar : null });
    const { avatar: stored } = await expectOk(
      fixture.owner.get<{ avatar: string }>('child/detail', { cid: fixture.cid }),
    );
    expect(stored).toBe(avatar);
  });

  test('a picture of a contact is returned to the family and its watches only with https', async () => {
    const seenBy = async (reader: HttpClient) =>
      (await membersSeenBy(reader)).find(({ userId }) => userId === contact.userId)?.avatar;
    for (const [avatar, expected] of [
      ['media/5b1c', null],
      ['http://tracker.example/bo.jpg', null],
      [PICTURE_URL, PICTURE_URL],
    ] as const) {
      await expectOk(contact.post('account/profile/update', { avatar }));
      await waitFor(async () => expect(await seenBy(fixture.watch)).toBe(expected));
      expect(await seenBy(contact)).toBe(avatar);
    }
  });

  test('a picture of a child is not returned to the families of its friends', async () => {
    const other = await FamilyFixture.create(service);
    await fixture.befriend(other);
    await updateChild({ avatar: PICTURE_URL });
    await waitFor(async () => {
      expect(await childSeenBy(other.watch)).toEqual({ name: 'Mia', avatar: null });
    });
    expect(await childSeenBy(fixture.watch)).toEqual({ name: 'Mia', avatar: PICTURE_URL });
    other.disconnectAll();
  });

  test('a former member is not named, and sees no names any more', async () => {
    await waitFor(async () => expect(await childSeenBy(contact)).toBeDefined());
    const { familyId, owner, watch } = fixture;
    await expectOk(owner.post('family/member/remove', { familyId, userId: contact.userId }));
    await waitFor(async () => {
      expect(await membersSeenBy(contact)).toEqual([]);
      expect((await membersSeenBy(watch)).map(({ userId }) => userId)).not.toContain(contact.userId);
    });
  });

  test('a family cloud has the name of its family, which the owner can change', async () => {
    const { owner, guardian, familyId } = fixture;
    await expectOk(owner.post('family/update', { familyId, name: 'The Lis' }));
    const { data } = await expectOk(
      guardian.post<{ data: { familyCloudList: object[] } }>(`${CLOUD_PATH}queryFamilyCloud`, {}),
    );
    expect(data.familyCloudList).toMatchObject([{ cloudID: familyId, cloudName: 'The Lis' }]);
  });
});
