import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import type { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { memberSnapshot, sampleFamily, createUser } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';
import { seedContents } from '../support/seeded-cloud.js';

jest.setTimeout(300_000);

const CONTENT_COUNT = 6;
type Creator = 'owner' | 'guardian';
type Grantee = 'contact' | 'aunt';
type ShareSubject = { kind: 'contents'; contentIndexes: number[] } | { kind: 'folder' } | { kind: 'album' };

type ModelStep =
  | { action: 'share'; creator: Creator; grantee: Grantee; subject: ShareSubject }
  | { action: 'revoke' | 'expire'; shareIndex: number }
  | { action: 'recycle' | 'restore' | 'intoFolder' | 'outOfFolder' | 'intoAlbum' | 'outOfAlbum'; contentIndex: number }
  | { action: 'leave' | 'join'; memberName: Grantee | 'guardian' }
  | { action: 'restrict' | 'unrestrict' };

interface ModelContent {
  id: string;
  /** Whether the content belongs to the child whose contents a restricted guardian cannot see. */
  isHidden: boolean;
  isActive: boolean;
  isInFolder: boolean;
  isInAlbum: boolean;
}

interface ModelShare {
  id: string;
  creator: Creator;
  grantee: Grantee;
  subject: ShareSubject;
}

const contentIndex = fc.nat({ max: CONTENT_COUNT - 1 });
const subjectArbitrary: fc.Arbitrary<ShareSubject> = fc.oneof(
  fc.record({
    kind: fc.constant('contents' as const),
    contentIndexes: fc.uniqueArray(contentIndex, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('folder' as const) }),
  fc.record({ kind: fc.constant('album' as const) }),
);
const CONTENT_STEPS = ['recycle', 'restore', 'intoFolder', 'outOfFolder', 'intoAlbum', 'outOfAlbum'] as const;
const stepArbitrary: fc.Arbitrary<ModelStep> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      action: fc.constant('share' as const),
      creator: fc.constantFrom<Creator>('owner', 'guardian'),
      grantee: fc.constantFrom<Grantee>('contact', 'aunt'),
      subject: subjectArbitrary,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ action: fc.constantFrom('revoke' as const, 'expire' as const), shareIndex: fc.nat() }),
  },
  { weight: 6, arbitrary: fc.record({ action: fc.constantFrom(...CONTENT_STEPS), contentIndex }) },
  {
    weight: 2,
    arbitrary: fc.record({
      action: fc.constantFrom('leave' as const, 'join' as const),
      memberName: fc.constantFrom('contact' as const, 'aunt' as const, 'guardian' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ action: fc.constantFrom('restrict' as const, 'unrestrict' as const) }) },
);

/** A family with its cloud, and an in-memory model of the contents that each member can see. */
class TestEnvironment {
  private readonly shares: ModelShare[] = [];
  private readonly presentMembers = new Set<Grantee | 'guardian'>(['contact', 'aunt', 'guardian']);
  private isRestricted = false;

  private constructor(
    private readonly server: CloudServer,
    private readonly family: SampleFamily,
    private readonly aunt: Principal,
    private readonly clients: Record<Creator | Grantee, CloudClient>,
    private readonly contents: ModelContent[],
    private readonly targets: { catalogID: string; photoID: string },
  ) {}

  static async create(server: CloudServer): Promise<TestEnvironment> {
    const [family, aunt] = [sampleFamily(), createUser()];
    const { cloudID } = family;
    family.snapshot.members.push(memberSnapshot(aunt, FAMILY_ROLE.CONTACT));
    await server.publishFamily(family.snapshot);
    const clientOf = (principal: Principal) => server.as(principal);
    const owner = await clientOf(family.owner);
    const clients = {
      owner,
      guardian: await clientOf(family.guardian),
      contact: await clientOf(family.contact),
      aunt: await clientOf(aunt),
    };
    const isHidden = (index: number) => index % 3 === 0;
    const seeds = Array.from({ length: CONTENT_COUNT }, (_, index) => ({
      cid: isHidden(index) ? family.cids[0] : null,
    }));
    const contents = (await seedContents(server, cloudID, seeds)).map((id, index) => ({
      id,
      isHidden: isHidden(index),
      isActive: true,
      isInFolder: false,
      isInAlbum: false,
    }));
    const targets = {
      catalogID: await owner.createFolder(cloudID, 'folder'),
      photoID: await owner.createAlbum(cloudID),
    };
    return new TestEnvironment(server, family, aunt, clients, contents, targets);
  }

  async apply(nextStep: ModelStep): Promise<void> {
    switch (nextStep.action) {
      case 'share':
        return this.share(nextStep);
      case 'revoke':
      case 'expire':
        return this.endShare(nextStep);
      case 'leave':
      case 'join':
        return this.changeMember(nextStep);
      case 'restrict':
      case 'unrestrict':
        this.isRestricted = nextStep.action === 'restrict';
        return this.publishFamily();
      default:
        return this.changeContent(nextStep.action, this.contents[nextStep.contentIndex]);
    }
  }

  /** Checks that the content lists and properties that each member gets match the model. */
  async expectModelState(): Promise<void> {
    const { cloudID } = this.family;
    for (const grantee of ['contact', 'aunt'] as const) {
      if (!this.presentMembers.has(grantee)) continue;
      const client = this.clients[grantee];
      const expected = this.contents.filter((one) => this.isShown(one, grantee)).map(({ id }) => id);
      const { totalCount, cloudContentList } = await client.list(cloudID);
      expect(cloudContentList.map(({ contentID }) => contentID).toSorted()).toEqual(expected.toSorted());
      expect(totalCount).toBe(expected.length);
      for (const { id } of this.contents) {
        const { status } = await client.post('queryContentInfo', { cloudID, contentID: id });
        expect([id, status]).toEqual([id, expected.includes(id) ? 200 : 404]);
      }
    }
  }

  private isShown({ isActive, ...one }: ModelContent, grantee: Grantee): boolean {
    return this.shares.some(
      (share) => share.grantee === grantee && isActive && this.includesContent(share, { isActive, ...one }),
    );
  }

  private includesContent(
    { creator, subject: shared }: ModelShare,
    { id, isHidden, isInFolder, isInAlbum }: ModelContent,
  ): boolean {
    if (isHidden && creator === 'guardian' && this.isRestricted) return false;
    if (shared.kind === 'folder') return isInFolder;
    return shared.kind === 'album' ? isInAlbum : this.idsOf(shared.contentIndexes).includes(id);
  }

  private idsOf(contentIndexes: readonly number[]): string[] {
    return contentIndexes.flatMap((pick) => this.contents[pick]?.id ?? []);
  }

  private async share({ creator, grantee, subject: shared }: ModelStep & { action: 'share' }): Promise<void> {
    const { cloudID, contact } = this.family;
    const { catalogID, photoID } = this.targets;
    const subjectFields = {
      contents: { contentIDList: this.idsOf('contentIndexes' in shared ? shared.contentIndexes : []) },
      folder: { catalogID },
      album: { photoID },
    }[shared.kind];
    const userId = grantee === 'contact' ? contact.id : this.aunt.id;
    const { body } = await this.clients[creator].post<{ authorizationID: string }>('authorize', {
      cloudID,
      userId,
      ...subjectFields,
    });
    expect(body.reason).toBe(this.expectedReason(creator, grantee, shared));
    if (body.code === 0) this.shares.push({ id: body.data.authorizationID, creator, grantee, subject: shared });
  }

  private expectedReason(creator: Creator, grantee: Grantee, shared: ShareSubject): string | undefined {
    if (creator === 'guardian' && !this.presentMembers.has('guardian')) return 'CLOUD_NOT_FOUND';
    if (!this.presentMembers.has(grantee)) return 'MEMBER_NOT_FOUND';
    if (shared.kind !== 'contents') return undefined;
    const named = shared.contentIndexes.map((pick) => this.contents[pick]);
    const isVisible = named.every(
      (one) => one?.isActive && !(one.isHidden && creator === 'guardian' && this.isRestricted),
    );
    return isVisible ? undefined : 'CONTENT_NOT_FOUND';
  }

  private async endShare({ action, shareIndex }: ModelStep & { action: 'revoke' | 'expire' }): Promise<void> {
    const [share] = this.shares.splice(shareIndex % Math.max(1, this.shares.length), 1);
    if (!share) return;
    if (action === 'revoke') {
      const request = { cloudID: this.family.cloudID, authorizationID: share.id };
      expect((await this.clients.owner.post('revokeAuthorization', request)).body.code).toBe(0);
    } else {
      const sql = 'UPDATE mcdisk.share SET expires_at = $2 WHERE authorization_id = $1';
      await this.server.query(sql, [share.id, Date.now()]);
    }
  }

  private async changeMember({ action, memberName }: ModelStep & { action: 'leave' | 'join' }): Promise<void> {
    if (action === 'join') this.presentMembers.add(memberName);
    else this.presentMembers.delete(memberName);
    if (action === 'leave') {
      const remaining = this.shares.filter(({ creator, grantee }) => creator !== memberName && grantee !== memberName);
      this.shares.splice(0, this.shares.length, ...remaining);
    }
    await this.publishFamily();
  }

  private publishFamily(): Promise<void> {
    const { snapshot, cids, guardian, contact } = this.family;
    snapshot.version += 1;
    const absent = Object.entries({ guardian, contact, aunt: this.aunt }).flatMap(([name, { id }]) =>
      this.presentMembers.has(name as Grantee | 'guardian') ? [] : [id],
    );
    const members = snapshot.members
      .filter(({ userId }) => !absent.includes(userId))
      .map((one) =>
        one.userId === guardian.id && this.isRestricted
          ? memberSnapshot(guardian, FAMILY_ROLE.GUARDIAN, { childPermissions: { [cids[0]]: [] } })
          : one,
      );
    return this.server.publishFamily({ ...snapshot, members });
  }

  private async changeContent(action: (typeof CONTENT_STEPS)[number], one: ModelContent | undefined): Promise<void> {
    if (!one) return;
    const { cloudID } = this.family;
    const { catalogID, photoID } = this.targets;
    const { owner } = this.clients;
    const ids = { cloudID, contentIDList: [one.id] };
    if (action === 'recycle') await owner.delete(cloudID, [one.id]);
    if (action === 'restore') await owner.post('restoreContents', ids);
    if (action === 'recycle' || action === 'restore') one.isActive = action === 'restore';
    if (action === 'intoAlbum' && one.isActive) {
      await owner.post('addPhotoContents', { ...ids, photoID });
      one.isInAlbum = true;
    }
    if (action === 'outOfAlbum') {
      await owner.post('removePhotoContents', { ...ids, photoID });
      one.isInAlbum = false;
    }
    if (action === 'intoFolder' || action === 'outOfFolder') {
      one.isInFolder = action === 'intoFolder';
      const sql = 'UPDATE mcdisk.content SET parent_catalog_id = $2 WHERE content_id = $1';
      await this.server.query(sql, [one.id, one.isInFolder ? catalogID : null]);
    }
  }
}

describe('shares compared with an in-memory model', () => {
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());

  test('each recipient of shares sees exactly the contents of the model after any sequence of changes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepArbitrary, { minLength: 6, maxLength: 25 }), async (steps) => {
        const environment = await TestEnvironment.create(server);
        for (const nextStep of steps) {
          await environment.apply(nextStep);
          await environment.expectModelState();
        }
      }),
      { numRuns: propertyRuns(5), endOnFailure: true },
    );
  });
});
