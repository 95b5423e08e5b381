import { Injectable } from '@nestjs/common';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { Snapshot, SnapshotVersion } from '@family-watch/domain/kernel/contracts/snapshot-source';
import { UserctxOutbox } from '../infrastructure/userctx-infrastructure.js';
import { FamilyRepository, type FamilyVersion } from './family.repository.js';

/** Publishes family snapshots to the other apps, and returns them on request. */
@Injectable()
export class FamilySnapshotsService {
  constructor(
    private readonly families: FamilyRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /**
   * Increments the family's version and appends `userctx.family.changed` with the complete family. Must be called in
   * the transaction that changes the family, after its last change of members, children and watches.
   */
  async publish(familyId: string): Promise<void> {
    const family = await this.families.nextVersion(familyId);
    if (!family) throw new Error('The family does not exist');
    const payload = await this.snapshotOf(familyId, family);
    await this.outbox.appendForFamily('userctx.family.changed', payload);
  }

  /** Returns the versions of at most `limit` published families with ids greater than `after`, in id order. */
  listVersions(after: string | null, limit: number): Promise<SnapshotVersion[]> {
    return this.families.listVersions(after, limit);
  }

  /**
   * Returns the current snapshots of these families. A snapshot may contain changes of the next version, whose
   * transaction was committed during the query, but never lacks a change of its own version.
   */
  async find(familyIds: readonly string[]): Promise<Snapshot[]> {
    const families = await this.families.findVersions(familyIds);
    return Promise.all(
      families.map(async ({ familyId, ...family }) => {
        const payload = await this.snapshotOf(familyId, family);
        return { id: familyId, version: family.version, key: familyId, payload };
      }),
    );
  }

  /** Returns null when the family does not exist. */
  async findVersion(familyId: string): Promise<number | null> {
    const [family] = await this.families.findAll([familyId]);
    return family?.version ?? null;
  }

  private async snapshotOf(familyId: string, family: FamilyVersion): Promise<FamilySnapshot> {
    const members = await this.families.findMembers(familyId);
    const links = await this.families.findLinks(familyId);
    return {
      familyId,
      version: family.version,
      ownerUserId: family.ownerUserId,
      dissolved: family.dissolved,
      members: members.map(({ userId, role, permissions, childPermissions }) => ({
        userId,
        role,
        permissions,
        childPermissions,
      })),
      children: links.map(({ cid, did }) => ({ cid, did })),
    };
  }
}
