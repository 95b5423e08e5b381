import { Injectable } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { FamilyLinkRepository } from './family-link.repository.js';
import type { ChildLink } from './child-link.js';
import { FamilySnapshotsService } from './family-snapshots.service.js';

/**
 * Which watch acts as which child: a child has at most one watch, a watch at most one child. Changes are made in the
 * caller's open unit of work, after `FamilyAccessService` locked the family, and give the family a new snapshot.
 */
@Injectable()
export class ChildWatchLinksService {
  constructor(
    private readonly links: FamilyLinkRepository,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  /** The child that this watch acts as, `null` for an unbound watch. Inside a unit of work the family is locked. */
  findByWatch(did: number): Promise<ChildLink | null> {
    return this.links.findByWatch(did);
  }

  /** The child's family and watch, `null` when there is no such child. Inside a unit of work the family is locked. */
  findByChild(cid: string): Promise<ChildLink | null> {
    return this.links.findByChild(cid);
  }

  /** @throws ServiceError CHILD_HAS_WATCH; WATCH_ALREADY_BOUND when the watch acts as another child. */
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
