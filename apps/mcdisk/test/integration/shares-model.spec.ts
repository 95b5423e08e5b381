import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { propertyRuns } from '@family-watch/testing/properties/property-runs';
import { CloudClient } from '../support/cloud-client.js';
import { CloudServer } from '../support/cloud-server.js';
import { member, sampleFamily, user } from '../support/family.js';
import type { SampleFamily } from '../support/family.js';
import { seedContents } from '../support/seeded-cloud.js';

jest.setTimeout(300_000);

const CONTENTS = 6;
type Creator = 'owner' | 'guardian';
type Grantee = 'contact' | 'aunt';
type Subject = { kind: 'contents'; picks: number[] } | { kind: 'folder' } | { kind: 'album' };

type Step =
  | { do: 'share'; creator: Creator; grantee: Grantee; subject: Subject }
  | { do: 'revoke' | 'expire'; which: number }
  | { do: 'recycle' | 'restore' | 'intoFolder' | 'outOfFolder' | 'intoAlbum' | 'outOfAlbum'; content: number }
  | { do: 'leave' | 'join'; person: Grantee | 'guardian' }
  | { do: 'restrict' | 'unrestrict' };

interface ModelContent {
  id: string;
  /** Whether the content belongs to the child whose contents a restricted guardian cannot see. */
  hidden: boolean;
  active: boolean;
  inFolder: boolean;
  inAlbum: boolean;
}

interface ModelShare {
  id: string;
  creator: Creator;
  grantee: Grantee;
  subject: Subject;
}

const content = fc.nat({ max: CONTENTS - 1 });
const subject: fc.Arbitrary<Subject> = fc.oneof(
  fc.record({ kind: fc.constant('contents' as const), picks: fc.uniqueArray(content, { minLength: 1, maxLength: 3 }) }),
  fc.record({ kind: fc.constant('folder' as const) }),
  fc.record({ kind: fc.constant('album' as const) }),
);
const CONTENT_STEPS = ['recycle', 'restore', 'intoFolder', 'outOfFolder', 'intoAlbum', 'outOfAlbum'] as const;
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('share' as const),
      creator: fc.constantFrom<Creator>('owner', 'guardian'),
      grantee: fc.constantFrom<Grantee>('contact', 'aunt'),
      subject,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('revoke' as const, 'expire' as const), which: fc.nat() }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom(...CONTENT_STEPS), content }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('leave' as const, 'join' as const),
      person: fc.constantFrom('contact' as const, 'aunt' as const, 'guardian' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('restrict' as const, 'unrestrict' as const) }) },
);

/** A family with its cloud, and an in-memory model of the contents that each member can see. */
class TestEnvironment {
  private readonly shares: ModelShare[] = [];
  private readonly present = new Set<Grantee | 'guardian'>(['contact', 'aunt', 'guardian']);
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
    const [family, aunt] = [sampleFamily(), user()];
    const { cloudID } = family;
    family.snapshot.members.push(member(aunt, FAMILY_ROLE.CONTACT));
    await server.familyChanged(family.snapshot);
    const clientOf = (principal: Principal) => CloudClient.of(server, principal);
    const owner = await clientOf(family.owner);
    const clients = {
      owner,
      guardian: await clientOf(family.guardian),
      contact: await clientOf(family.contact),
      aunt: await clientOf(aunt),
    };
    const seeded = await seedContents(
      server,
      cloudID,
      Array.from({ length: CONTENTS }, (_, index) => ({ cid: index % 3 === 0 ? family.cids[0] : null })),
    );
    const folder = await owner.post<{ catalogID: string }>('createCloudDoc', { cloudID, catalogName: 'folder' });
    const album = await owner.post<{ photoID: string }>('createCloudPhoto', { cloudID, photoName: 'album' });
    const contents = seeded.map(({ contentId, cid }) => ({
      id: contentId,
      hidden: cid !== null,
      active: true,
      inFolder: false,
      inAlbum: false,
    }));
    const targets = { catalogID: folder.body.data.catalogID, photoID: album.body.data.photoID };
    return new TestEnvironment(server, family, aunt, clients, contents, targets);
  }

  async apply(nextStep: Step): Promise<void> {
    switch (nextStep.do) {
      case 'share':
        return this.share(nextStep);
      case 'revoke':
      case 'expire':
        return this.end(nextStep);
      case 'leave':
      case 'join':
        return this.changeMember(nextStep);
      case 'restrict':
      case 'unrestrict':
        this.isRestricted = nextStep.do === 'restrict';
        return this.publishFamily();
      default:
        return this.change(nextStep.do, this.contents[nextStep.content]);
    }
  }

  /** Checks that the content lists and properties that each member gets match the model. */
  async expectModelState(): Promise<void> {
    const { cloudID } = this.family;
    for (const grantee of ['contact', 'aunt'] as const) {
      if (!this.present.has(grantee)) continue;
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

  private isShown({ active, ...one }: ModelContent, grantee: Grantee): boolean {
    return this.shares.some((share) => share.grantee === grantee && active && this.shows(share, { active, ...one }));
  }

  private shows({ creator, subject: shared }: ModelShare, { id, hidden, inFolder, inAlbum }: ModelContent): boolean {
    if (hidden && creator === 'guardian' && this.isRestricted) return false;
    if (shared.kind === 'folder') return inFolder;
    return shared.kind === 'album' ? inAlbum : this.idsOf(shared.picks).includes(id);
  }

  private idsOf(picks: readonly number[]): string[] {
    return picks.flatMap((pick) => this.contents[pick]?.id ?? []);
  }

  private async share({ creator, grantee, subject: shared }: Step & { do: 'share' }): Promise<void> {
    const { cloudID, contact } = this.family;
    const { catalogID, photoID } = this.targets;
    const subjectFields = {
      contents: { contentIDList: this.idsOf('picks' in shared ? shared.picks : []) },
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

  private expectedReason(creator: Creator, grantee: Grantee, shared: Subject): string | undefined {
    if (creator === 'guardian' && !this.present.has('guardian')) return 'CLOUD_NOT_FOUND';
    if (!this.present.has(grantee)) return 'MEMBER_NOT_FOUND';
    if (shared.kind !== 'contents') return undefined;
    const named = shared.picks.map((pick) => this.contents[pick]);
    const isVisible = named.every((one) => one?.active && !(one.hidden && creator === 'guardian' && this.isRestricted));
    return isVisible ? undefined : 'CONTENT_NOT_FOUND';
  }

  private async end({ do: action, which }: Step & { do: 'revoke' | 'expire' }): Promise<void> {
    const [share] = this.shares.splice(which % Math.max(1, this.shares.length), 1);
    if (!share) return;
    if (action === 'revoke') {
      const request = { cloudID: this.family.cloudID, authorizationID: share.id };
      expect((await this.clients.owner.post('revokeAuthorization', request)).body.code).toBe(0);
    } else {
      const sql = 'UPDATE mcdisk.share SET expires_at = $2 WHERE authorization_id = $1';
      await this.server.unitOfWork.executor.query(sql, [share.id, Date.now()]);
    }
  }

  private async changeMember({ do: action, person }: Step & { do: 'leave' | 'join' }): Promise<void> {
    if (action === 'join') this.present.add(person);
    else this.present.delete(person);
    if (action === 'leave') {
      const remaining = this.shares.filter(({ creator, grantee }) => creator !== person && grantee !== person);
      this.shares.splice(0, this.shares.length, ...remaining);
    }
    await this.publishFamily();
  }

  private publishFamily(): Promise<void> {
    const { snapshot, cids, guardian, contact } = this.family;
    snapshot.version += 1;
    const absent = Object.entries({ guardian, contact, aunt: this.aunt }).flatMap(([name, { id }]) =>
      this.present.has(name as Grantee | 'guardian') ? [] : [id],
    );
    const members = snapshot.members
      .filter(({ userId }) => !absent.includes(userId))
      .map((one) =>
        one.userId === guardian.id && this.isRestricted
          ? member(guardian, FAMILY_ROLE.GUARDIAN, { childPermissions: { [cids[0]]: [] } })
          : one,
      );
    return this.server.familyChanged({ ...snapshot, members });
  }

  private async change(action: (typeof CONTENT_STEPS)[number], one: ModelContent | undefined): Promise<void> {
    if (!one) return;
    const { cloudID } = this.family;
    const { catalogID, photoID } = this.targets;
    const { owner } = this.clients;
    const ids = { cloudID, contentIDList: [one.id] };
    if (action === 'recycle') await owner.delete(cloudID, [one.id]);
    if (action === 'restore') await owner.post('restoreContents', ids);
    if (action === 'recycle' || action === 'restore') one.active = action === 'restore';
    if (action === 'intoAlbum' && one.active) {
      await owner.post('addPhotoContents', { ...ids, photoID });
      one.inAlbum = true;
    }
    if (action === 'outOfAlbum') {
      await owner.post('removePhotoContents', { ...ids, photoID });
      one.inAlbum = false;
    }
    if (action === 'intoFolder' || action === 'outOfFolder') {
      one.inFolder = action === 'intoFolder';
      const sql = 'UPDATE mcdisk.content SET parent_catalog_id = $2 WHERE content_id = $1';
      await this.server.unitOfWork.executor.query(sql, [one.id, one.inFolder ? catalogID : null]);
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
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 25 }), async (steps) => {
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
