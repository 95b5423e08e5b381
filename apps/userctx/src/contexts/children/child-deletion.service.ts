import { Injectable } from '@nestjs/common';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/children/contracts/child';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import type { ChildLink } from '../families/child-link.js';
import { FamilyAccessService } from '../families/family-access.service.js';
import { FamilyRosterService } from '../families/family-roster.service.js';
import { FamilyOwnershipService } from '../families/ownership/family-ownership.service.js';
import { FamilySnapshotsService } from '../families/family-snapshots.service.js';
import { MemberProfilesService } from '../families/member-profiles.service.js';
import { ChildRepository } from './child.repository.js';

/**
 * Deleting a child, and undoing it. The specification's DeleteChild shows no step-up; instead everybody is told, and
 * for seven days the owner can have the child back with its contacts and settings. The watch stays unbound.
 */
@Injectable()
export class ChildDeletionService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly ownership: FamilyOwnershipService,
    private readonly profiles: MemberProfilesService,
    private readonly snapshots: FamilySnapshotsService,
    private readonly memberContacts: MemberContactsService,
    private readonly children: ChildRepository,
  ) {}

  /** DeleteChild (specification 4.1, rule 3). @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING. */
  async delete(caller: Principal, requestedCid: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const child = await this.access.requireForChild(caller, requestedCid, 'DELETE_CHILD');
      // First what happened, then the family without the child: those who are told must still know it.
      await this.remove(child, principalKey(caller));
      await this.snapshots.publish(child.familyId);
    });
  }

  /** Deletes a child in the caller's unit of work, with the family locked; whoever calls publishes the snapshot. */
  async remove({ familyId, cid, did }: ChildLink, by: PrincipalKey): Promise<void> {
    await this.children.markDeleted(familyId, cid, Date.now());
    await this.roster.removeChild(familyId, cid);
    await this.outbox.append({ name: 'userctx.child.deleted', key: familyId, payload: { familyId, cid, by, did } });
    if (did === null) return;
    const payload = { familyId, cid, by, did, time: Date.now() };
    await this.outbox.append({ name: 'userctx.watch.unbound', key: familyId, payload });
  }

  /**
   * Does nothing for a child that is there, so that a retry converges. The owner who has dissolved the family gets it
   * back with the first child.
   * @throws ServiceError CHILD_NOT_FOUND (after seven days, too), PERMISSION_MISSING; LIMIT_REACHED for the child too
   * many, and for who dissolved the family and owns another one meanwhile.
   */
  async restore(caller: Principal, requestedCid: string): Promise<void> {
    if (!isUuid(requestedCid)) throw new ServiceError('CHILD_NOT_FOUND');
    const { card } = await this.profiles.get(caller.id);
    await this.unitOfWork.run(async () => {
      const since = Date.now() - CHILD_RESTORE_WINDOW_MS;
      const familyId = await this.children.findFamilyOfDeleted(requestedCid, since);
      if (familyId === null) {
        await this.access.requireForChild(caller, requestedCid, 'DELETE_CHILD');
        return;
      }
      await this.ownership.restore(familyId, caller.id, card);
      await this.access.requireForFamily(caller, familyId, 'RESTORE_CHILD', { unknown: 'CHILD_NOT_FOUND' });
      if (await this.children.restore(familyId, requestedCid, since)) {
        await this.putBack(caller, familyId, requestedCid);
      }
    });
  }

  private async putBack(caller: Principal, familyId: string, cid: string): Promise<void> {
    const by = principalKey(caller);
    await this.roster.addChild(familyId, cid);
    await this.snapshots.publish(familyId);
    await this.outbox.append({ name: 'userctx.child.restored', key: familyId, payload: { familyId, cid, by } });
    // Members may have come and gone while the child was away.
    await this.memberContacts.syncMembers(familyId, by);
  }
}
