import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { FamilySnapshotsService } from './family-snapshots.service.js';
import { FamilyRepository } from './family.repository.js';
import type { ChildLink } from './family.repository.js';

export type { ChildLink } from './family.repository.js';

/**
 * Manages which watch acts as which child. A child has at most one watch and a watch at most one child. Changes must be
 * made in a transaction in which `FamilyAccessService` has locked the family. Each change publishes a new family
 * snapshot.
 */
@Injectable()
export class ChildWatchLinksService {
  constructor(
    private readonly links: FamilyRepository,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  /**
   * Returns the child that this watch acts as, or null for an unbound watch. Inside a transaction, locks the family.
   */
  findByWatch(did: number): Promise<ChildLink | null> {
    return this.links.findLinkByWatch(did);
  }

  /**
   * Returns the child's family and watch, or null when the child does not exist. Inside a transaction, locks the
   * family.
   */
  findByChild(cid: string): Promise<ChildLink | null> {
    return this.links.findLinkByChild(cid);
  }

  /**
   * @throws ServiceError CHILD_HAS_WATCH
   * @throws ServiceError WATCH_ALREADY_BOUND when the watch acts as another child
   */
  async bind(familyId: string, cid: string, did: number): Promise<void> {
    const outcome = await this.links.setWatch(familyId, cid, did);
    if (outcome === 'WATCH_TAKEN') throw new ServiceError('WATCH_ALREADY_BOUND');
    if (outcome === 'CHILD_HAS_WATCH') throw new ServiceError('CHILD_HAS_WATCH');
    await this.snapshots.publish(familyId);
  }

  async unbind(familyId: string, cid: string): Promise<void> {
    await this.links.clearWatch(familyId, cid);
    await this.snapshots.publish(familyId);
  }
}
