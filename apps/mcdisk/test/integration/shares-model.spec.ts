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
type Maker = 'owner' | 'guardian';
type Grantee = 'contact' | 'aunt';
type Subject = { kind: 'contents'; picks: number[] } | { kind: 'folder' } | { kind: 'album' };

type Step =
  | { do: 'share'; maker: Maker; grantee: Grantee; subject: Subject }
  | { do: 'revoke' | 'expire'; which: number }
  | { do: 'recycle' | 'restore' | 'intoFolder' | 'outOfFolder' | 'intoAlbum' | 'outOfAlbum'; content: number }
  | { do: 'leave' | 'join'; who: Grantee | 'guardian' }
  | { do: 'blind' | 'sighted' };

interface ModelContent {
  id: string;
  /** Added by the watch of the child that a blinded guardian does not see. */
  hidden: boolean;
  active: boolean;
  inFolder: boolean;
  inAlbum: boolean;
}

interface ModelShare {
  id: string;
  maker: Maker;
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
      maker: fc.constantFrom<Maker>('owner', 'guardian'),
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
      who: fc.constantFrom('contact' as const, 'aunt' as const, 'guardian' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('blind' as const, 'sighted' as const) }) },
);

/** A family with its cloud, and what each of its members should see there. */
class World {
  private readonly shares: ModelShare[] = [];
  private readonly present = new Set<Grantee | 'guardian'>(['contact', 'aunt', 'guardian']);
  private blind = false;

  private constructor(
    private readonly server: CloudServer,
    private readonly family: SampleFamily,
    private readonly aunt: Principal,
    private readonly clients: Record<Maker | Grantee, CloudClient>,
    private readonly contents: ModelContent[],
    private readonly places: { catalogID: string; photoID: string },
  ) {}

  static async settle(server: CloudServer): Promise<World> {
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
    const places = { catalogID: folder.body.data.catalogID, photoID: album.body.data.photoID };
    return new World(server, family, aunt, clients, contents, places);
  }

  async take(move: Step): Promise<void> {
    switch (move.do) {
      case 'share':
        return this.share(move);
      case 'revoke':
      case 'expire':
        return this.end(move);
      case 'leave':
      case 'join':
        return this.changeMember(move);
      case 'blind':
      case 'sighted':
        this.blind = move.do === 'blind';
        return this.tell();
      default:
        return this.change(move.do, this.contents[move.content]);
    }
  }

  /** Lists, descriptions and addresses all say what the model says. */
  async expectAsKnown(): Promise<void> {
    const { cloudID } = this.family;
    for (const grantee of ['contact', 'aunt'] as const) {
      if (!this.present.has(grantee)) continue;
      const client = this.clients[grantee];
      const expected = this.contents.filter((each) => this.isShown(each, grantee)).map(({ id }) => id);
      const { totalCount, cloudContentList } = await client.list(cloudID);
      expect(cloudContentList.map(({ contentID }) => contentID).toSorted()).toEqual(expected.toSorted());
      expect(totalCount).toBe(expected.length);
      for (const { id } of this.contents) {
        const { status } = await client.post('queryContentInfo', { cloudID, contentID: id });
        expect([id, status]).toEqual([id, expected.includes(id) ? 200 : 404]);
      }
    }
  }

  private isShown({ active, ...each }: ModelContent, grantee: Grantee): boolean {
    return this.shares.some((share) => share.grantee === grantee && active && this.shows(share, { active, ...each }));
  }

  private shows({ maker, subject: shared }: ModelShare, { id, hidden, inFolder, inAlbum }: ModelContent): boolean {
    if (hidden && maker === 'guardian' && this.blind) return false;
    if (shared.kind === 'folder') return inFolder;
    return shared.kind === 'album' ? inAlbum : this.idsOf(shared.picks).includes(id);
  }

  private idsOf(picks: readonly number[]): string[] {
    return picks.flatMap((pick) => this.contents[pick]?.id ?? []);
  }

  private async share({ maker, grantee, subject: shared }: Step & { do: 'share' }): Promise<void> {
    const { cloudID, contact } = this.family;
    const { catalogID, photoID } = this.places;
    const what = {
      contents: { contentIDList: this.idsOf('picks' in shared ? shared.picks : []) },
      folder: { catalogID },
      album: { photoID },
    }[shared.kind];
    const userId = grantee === 'contact' ? contact.id : this.aunt.id;
    const { body } = await this.clients[maker].post<{ authorizationID: string }>('authorize', {
      cloudID,
      userId,
      ...what,
    });
    expect(body.reason).toBe(this.refusalOf(maker, grantee, shared));
    if (body.code === 0) this.shares.push({ id: body.data.authorizationID, maker, grantee, subject: shared });
  }

  private refusalOf(maker: Maker, grantee: Grantee, shared: Subject): string | undefined {
    if (maker === 'guardian' && !this.present.has('guardian')) return 'CLOUD_NOT_FOUND';
    if (!this.present.has(grantee)) return 'MEMBER_NOT_FOUND';
    if (shared.kind !== 'contents') return undefined;
    const named = shared.picks.map((pick) => this.contents[pick]);
    const isKnown = named.every((each) => each?.active && !(each.hidden && maker === 'guardian' && this.blind));
    return isKnown ? undefined : 'CONTENT_NOT_FOUND';
  }

  private async end({ do: how, which }: Step & { do: 'revoke' | 'expire' }): Promise<void> {
    const [share] = this.shares.splice(which % Math.max(1, this.shares.length), 1);
    if (!share) return;
    if (how === 'revoke') {
      const request = { cloudID: this.family.cloudID, authorizationID: share.id };
      expect((await this.clients.owner.post('revokeAuthorization', request)).body.code).toBe(0);
    } else {
      const sql = 'UPDATE mcdisk.share SET expires_at = $2 WHERE authorization_id = $1';
      await this.server.unitOfWork.executor.query(sql, [share.id, Date.now()]);
    }
  }

  private async changeMember({ do: how, who }: Step & { do: 'leave' | 'join' }): Promise<void> {
    if (how === 'join') this.present.add(who);
    else this.present.delete(who);
    if (how === 'leave') {
      const left = this.shares.filter(({ maker, grantee }) => maker !== who && grantee !== who);
      this.shares.splice(0, this.shares.length, ...left);
    }
    await this.tell();
  }

  private tell(): Promise<void> {
    const { snapshot, cids, guardian, contact } = this.family;
    snapshot.version += 1;
    const gone = Object.entries({ guardian, contact, aunt: this.aunt }).flatMap(([name, { id }]) =>
      this.present.has(name as Grantee | 'guardian') ? [] : [id],
    );
    const members = snapshot.members
      .filter(({ userId }) => !gone.includes(userId))
      .map((each) =>
        each.userId === guardian.id && this.blind
          ? member(guardian, FAMILY_ROLE.GUARDIAN, { childPermissions: { [cids[0]]: [] } })
          : each,
      );
    return this.server.familyChanged({ ...snapshot, members });
  }

  private async change(how: (typeof CONTENT_STEPS)[number], each: ModelContent | undefined): Promise<void> {
    if (!each) return;
    const { cloudID } = this.family;
    const { catalogID, photoID } = this.places;
    const { owner } = this.clients;
    const ids = { cloudID, contentIDList: [each.id] };
    if (how === 'recycle') await owner.delete(cloudID, [each.id]);
    if (how === 'restore') await owner.post('restoreContents', ids);
    if (how === 'recycle' || how === 'restore') each.active = how === 'restore';
    if (how === 'intoAlbum' && each.active) {
      await owner.post('addPhotoContents', { ...ids, photoID });
      each.inAlbum = true;
    }
    if (how === 'outOfAlbum') {
      await owner.post('removePhotoContents', { ...ids, photoID });
      each.inAlbum = false;
    }
    if (how === 'intoFolder' || how === 'outOfFolder') {
      each.inFolder = how === 'intoFolder';
      const sql = 'UPDATE mcdisk.content SET parent_catalog_id = $2 WHERE content_id = $1';
      await this.server.unitOfWork.executor.query(sql, [each.id, each.inFolder ? catalogID : null]);
    }
  }
}

describe('shares, whatever happens to whom', () => {
  let server: CloudServer;

  beforeAll(async () => {
    server = await CloudServer.start();
  });
  afterAll(() => server.stop());

  test('everybody sees exactly what stands for them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 25 }), async (steps) => {
        const world = await World.settle(server);
        for (const move of steps) {
          await world.take(move);
          await world.expectAsKnown();
        }
      }),
      { numRuns: propertyRuns(5), endOnFailure: true },
    );
  });
});
