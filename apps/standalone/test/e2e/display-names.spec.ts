import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '@family-watch/testing/waiting/wait-for';
import { describeBothDeployments } from '../support/deployments.js';
import { FamilyFixture } from '../support/family-fixture.js';
import { CLOUD_PATH, expectOk } from '../support/http-client.js';
import type { HttpClient } from '../support/http-client.js';
import { Parent, VALID_CHILD } from '../support/parent.js';
import { TestService } from '../support/test-service.js';

interface Member {
  userId: string | null;
  cid: string | null;
  name: string | null;
  avatar: string | null;
}

const PICTURE_URL = 'https://example.com/mia.jpg';

describeBothDeployments('names and pictures in conversations', (deployment) => {
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

  test('a URL of a picture is returned to contacts, a reference within the family only to members and watches', async () => {
    await waitFor(async () => expect(await childSeenBy(contact)).toBeDefined());
    await updateChild({ avatar: 'media/5b1c' });
    expect(await childSeenBy(contact)).toEqual({ name: 'Mia', avatar: null });
    for (const reader of [fixture.owner, fixture.guardian, fixture.watch])
      expect(await childSeenBy(reader)).toEqual({ name: 'Mia', avatar: 'media/5b1c' });
    await updateChild({ avatar: PICTURE_URL });
    expect(await childSeenBy(contact)).toEqual({ name: 'Mia', avatar: PICTURE_URL });
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
