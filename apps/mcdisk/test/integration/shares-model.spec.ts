import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { memberSnapshot, createUser } from '../support/family.js';
import { seedContents } from '../support/seeded-cloud.js';
import { createCloud } from '../support/test-cloud.js';

const CONTENT_COUNT = 6;
const GRANTEES = ['contact', 'aunt'] as const;
type Grantee = (typeof GRANTEES)[number];
type Creator = 'owner' | 'guardian';

interface ModelContent {
  id: string;
  /** Whether the content belongs to the child whose contents a restricted guardian cannot see. */
  isHidden: boolean;
  isActive: boolean;
  isInFolder: boolean;
  isInAlbum: boolean;
}

const CONTENT_ACTIONS = ['recycle', 'restore', 'intoFolder', 'outOfFolder', 'intoAlbum', 'outOfAlbum'] as const;
const OTHER_ACTIONS = ['revoke', 'expire', 'leave', 'join', 'restrict', 'unrestrict'] as const;

/** A random step. The action determines which of the other fields it uses. */
const stepArbitrary = fc.record({
  action: fc.constantFrom(...CONTENT_ACTIONS, ...OTHER_ACTIONS, 'share', 'share', 'share', 'share', 'share'),
  creator: fc.constantFrom<Creator>('owner', 'guardian'),
  grantee: fc.constantFrom<Grantee>(...GRANTEES),
  kind: fc.constantFrom('contents', 'folder', 'album'),
  contentIndexes: fc.uniqueArray(fc.nat({ max: CONTENT_COUNT - 1 }), { minLength: 1, maxLength: 3 }),
  member: fc.constantFrom('guardian', ...GRANTEES),
  shareIndex: fc.nat(),
});
type Step = typeof stepArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** Creates a family with a cloud, and an in-memory model of the contents that each contact can see. */
async function createEnvironment() {
  const { server, family, cloudID, owner } = await createCloud();
  const [{ snapshot, cids, contact }, aunt] = [family, createUser()];
  snapshot.members.push(memberSnapshot(aunt, FAMILY_ROLE.CONTACT));
  const persons = { guardian: family.guardian, contact, aunt };
  const clients = {
    owner,
    guardian: await server.as(family.guardian),
    contact: await server.as(contact),
    aunt: await server.as(aunt),
  };
  const targets = {
    catalogID: await owner.createFolder(cloudID, 'folder'),
    photoID: await owner.createAlbum(cloudID),
  };
  const isHidden = (index: number) => index % 3 === 0;
  const seeds = Array.from({ length: CONTENT_COUNT }, (_, index) => ({ cid: isHidden(index) ? cids[0] : null }));
  const contents = (await seedContents(server, cloudID, seeds)).map((id, index): ModelContent => ({
    id,
    isHidden: isHidden(index),
    isActive: true,
    isInFolder: false,
    isInAlbum: false,
  }));
  const present = new Set<keyof typeof persons>(['contact', 'aunt', 'guardian']);
  let shares: (Step & { id: string })[] = [];
  let isRestricted = false;

  const publishFamily = () => {
    snapshot.version += 1;
    const absent = (['guardian', ...GRANTEES] as const).filter((name) => !present.has(name));
    const members = snapshot.members
      .filter(({ userId }) => !absent.some((name) => persons[name].id === userId))
      .map((one) =>
        one.userId === family.guardian.id && isRestricted
          ? memberSnapshot(family.guardian, FAMILY_ROLE.GUARDIAN, { childPermissions: { [cids[0]]: [] } })
          : one,
      );
    return server.publishFamily({ ...snapshot, members });
  };
  await publishFamily();

  const isVisibleTo = (creator: Creator, content: ModelContent) =>
    content.isActive && !(content.isHidden && creator === 'guardian' && isRestricted);

  function includesContent({ creator, kind, contentIndexes }: Step, content: ModelContent): boolean {
    if (!isVisibleTo(creator, content)) return false;
    if (kind === 'folder') return content.isInFolder;
    return kind === 'album' ? content.isInAlbum : contentIndexes.some((index) => contents[index] === content);
  }

  async function share(step: Step): Promise<void> {
    const { creator, grantee, kind, contentIndexes } = step;
    const named = contentIndexes.flatMap((index) => contents[index] ?? []);
    const expectedReason = () => {
      if (creator === 'guardian' && !present.has('guardian')) return 'CLOUD_NOT_FOUND';
      if (!present.has(grantee)) return 'MEMBER_NOT_FOUND';
      const areVisible = kind !== 'contents' || named.every((content) => isVisibleTo(creator, content));
      return areVisible ? undefined : 'CONTENT_NOT_FOUND';
    };
    const subject = {
      contents: { contentIDList: named.map(({ id }) => id) },
      folder: { catalogID: targets.catalogID },
      album: { photoID: targets.photoID },
    }[kind];
    const request = { cloudID, userId: persons[grantee].id, ...subject };
    const { body } = await clients[creator].post<{ authorizationID: string }>('authorize', request);
    expect(body.reason).toBe(expectedReason());
    if (body.code === 0) shares.push({ ...step, id: body.data.authorizationID });
  }

  async function endShare({ action, shareIndex }: Step): Promise<void> {
    const [ended] = shares.splice(shareIndex % Math.max(1, shares.length), 1);
    if (!ended) return;
    const revocation = { cloudID, authorizationID: ended.id };
    if (action === 'revoke') expect((await owner.post('revokeAuthorization', revocation)).body.code).toBe(0);
    else
      await server.query('UPDATE mcdisk.share SET expires_at = $2 WHERE authorization_id = $1', [ended.id, Date.now()]);
  }

  async function changeContent(action: Step['action'], content: ModelContent): Promise<void> {
    const request = { cloudID, contentIDList: [content.id], photoID: targets.photoID };
    if (action === 'recycle') await owner.delete(cloudID, [content.id]);
    if (action === 'restore') await owner.post('restoreContents', request);
    if (action === 'recycle' || action === 'restore') content.isActive = action === 'restore';
    if (action === 'outOfAlbum' || (action === 'intoAlbum' && content.isActive)) {
      content.isInAlbum = action === 'intoAlbum';
      await owner.post(content.isInAlbum ? 'addPhotoContents' : 'removePhotoContents', request);
    }
    if (action === 'intoFolder' || action === 'outOfFolder') {
      content.isInFolder = action === 'intoFolder';
      const folder = content.isInFolder ? targets.catalogID : null;
      await server.query('UPDATE mcdisk.content SET parent_catalog_id = $2 WHERE content_id = $1', [
        content.id,
        folder,
      ]);
    }
  }

  async function apply(step: Step): Promise<void> {
    const { action, member } = step;
    if (action === 'share') return share(step);
    if (action === 'revoke' || action === 'expire') return endShare(step);
    if (action === 'join') present.add(member);
    else if (action === 'leave') {
      present.delete(member);
      shares = shares.filter(({ creator, grantee }) => creator !== member && grantee !== member);
    } else if (action === 'restrict' || action === 'unrestrict') isRestricted = action === 'restrict';
    else return changeContent(action, contents[step.contentIndexes[0] ?? 0]!);
    await publishFamily();
  }

  /** Checks that the content lists and properties that each contact gets match the model. */
  async function expectModelState(): Promise<void> {
    for (const grantee of GRANTEES) {
      if (!present.has(grantee)) continue;
      const client = clients[grantee];
      const isShown = (content: ModelContent) =>
        shares.some((one) => one.grantee === grantee && includesContent(one, content));
      const expected = contents.filter(isShown).map(({ id }) => id);
      const { totalCount, cloudContentList } = await client.list(cloudID);
      expect(cloudContentList.map(({ contentID }) => contentID).toSorted()).toEqual(expected.toSorted());
      expect(totalCount).toBe(expected.length);
      const infos = contents.map(({ id }) => client.post('queryContentInfo', { cloudID, contentID: id }));
      const statuses = (await Promise.all(infos)).map(({ status }) => status);
      expect(statuses).toEqual(contents.map(({ id }) => (expected.includes(id) ? 200 : 404)));
    }
  }

  return { apply, expectModelState };
}

test('each recipient of shares sees exactly the contents of a model after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 6, maxLength: 25 }), async (steps) => {
      const environment = await createEnvironment();
      for (const step of steps) {
        await environment.apply(step);
        await environment.expectModelState();
      }
    }),
    { numRuns: propertyRuns(5), endOnFailure: true },
  );
});
