import { Injectable, Logger } from '@nestjs/common';
import { CHILD_RESTORE_WINDOW_MS } from '@family-watch/domain/families/contracts/child';
import type { DeletedChildDto, DeletedChildPageDto } from '@family-watch/domain/families/dto/child.dto';
import type { ChildEntity } from '@family-watch/domain/families/entities/child.entity';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { principalKey, type Principal, type PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import { decodeTimePage } from '@family-watch/platform/database/page-cursor';
import { OnJob } from '@family-watch/platform/jobs/on-job.decorator';
import { processRows } from '@family-watch/platform/jobs/process-rows';
import { UserctxOutbox, UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilyAccessService } from '../family-access.service.js';
import { FamilyOwnershipService } from '../family-ownership.service.js';
import { FamilyRosterService, type ChildKey, type ChildLink } from '../family-roster.service.js';
import { FamilySnapshotsService } from '../family-snapshots.service.js';
import { ChildRepository } from './child.repository.js';

const ERASURE_INTERVAL_MS = 60_000;
const ERASURE_BATCH_SIZE = 100;

/**
 * Deletes and restores children. DeleteChild requires no step-up in the specification. To limit misuse, all guardians
 * are notified of a deletion, and for seven days the owner can restore the child with its contacts and settings. The
 * watches room binds the watch of a restored child again.
 */
@Injectable()
export class ChildDeletionService {
  private readonly logger = new Logger(ChildDeletionService.name);

  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly access: FamilyAccessService,
    private readonly roster: FamilyRosterService,
    private readonly ownership: FamilyOwnershipService,
    private readonly snapshots: FamilySnapshotsService,
    private readonly memberContacts: MemberContactsService,
    private readonly children: ChildRepository,
  ) {}

  /**
   * Deletes a child (DeleteChild, specification 4.1, rule 3).
   * @throws ServiceError CHILD_NOT_FOUND, PERMISSION_MISSING
   */
  async delete(caller: Principal, requestedCid: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const child = await this.access.requireForChild(caller, requestedCid, 'DELETE_CHILD');
      // The deletion event is appended before the family snapshot without the child, because consumers of the event
      // must still have the child in their projection.
      await this.deleteInLockedFamily(child, principalKey(caller));
      await this.snapshots.publish(child.familyId);
    });
  }

  /**
   * Marks a child as deleted, removes it from the family and publishes the deletion. Must be called in a transaction
   * that has locked the family. The caller must publish the family snapshot afterwards.
   */
  async deleteInLockedFamily(child: ChildLink, actor: PrincipalKey): Promise<void> {
    const { familyId, cid, did } = child;
    await this.children.markDeleted(child, Date.now());
    await this.roster.removeChild(familyId, cid);
    await this.outbox.appendForFamily('userctx.child.deleted', { familyId, cid, by: actor, did });
    if (did === null) return;
    await this.outbox.appendForFamily('userctx.watch.unbound', { familyId, cid, by: actor, did, time: Date.now() });
  }

  /**
   * Restores a deleted child. Idempotent: does nothing when the child is not deleted. Restoring the first child of a
   * dissolved family also restores the family for its former owner.
   * @throws ServiceError CHILD_NOT_FOUND (also after seven days), PERMISSION_MISSING
   * @throws ServiceError LIMIT_REACHED when the family has too many children, or when the former owner of a dissolved
   * family owns another family now
   */
  async restore(caller: Principal, requestedCid: string): Promise<void> {
    if (!isUuid(requestedCid)) throw new ServiceError('CHILD_NOT_FOUND');
    await this.unitOfWork.run(async () => {
      const { identity } = await this.roster.getProfile(caller.id);
      const since = startOfRestoreWindow();
      const familyId = await this.children.findFamilyOfDeleted(requestedCid, since);
      if (familyId === null) {
        await this.access.requireForChild(caller, requestedCid, 'DELETE_CHILD');
        return;
      }
      await this.ownership.restore(familyId, caller.id, identity);
      await this.access.requireForFamily(caller, familyId, 'RESTORE_CHILD', { unknownReason: 'CHILD_NOT_FOUND' });
      const restored = await this.children.restore(familyId, requestedCid, since);
      if (restored) await this.addToFamily(caller, restored);
    });
  }

  /**
   * Lists the deleted children that the caller can restore: those of the caller's own family, or else of families that
   * the caller has dissolved, which cannot be restored while the caller owns another family.
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor
   */
  async listDeleted(caller: Principal, query: PageQueryDto): Promise<DeletedChildPageDto> {
    const owned = await this.ownership.findOwned(caller.id);
    const familyIds = owned === null ? await this.ownership.findDissolvedBy(caller.id) : [owned];
    const { items, nextCursor } = await this.children.findDeletedPage(
      familyIds,
      startOfRestoreWindow(),
      decodeTimePage(query),
    );
    return { items: items.map(toDeletedChild), nextCursor };
  }

  /**
   * Erases children that can no longer be restored.
   * @returns the number of erased children
   */
  @OnJob('userctx.children.erase-deleted', { intervalMs: ERASURE_INTERVAL_MS })
  async eraseDeleted(now: number): Promise<number> {
    const deletedUntil = now - CHILD_RESTORE_WINDOW_MS;
    let total = 0;
    await processRows<ChildKey>(
      (after) => this.children.findDeleted(deletedUntil, ERASURE_BATCH_SIZE, after?.cid),
      async (child) => {
        if (await this.erase(child, deletedUntil)) total += 1;
      },
      ({ cid }, err) => this.logger.error({ msg: 'Erasure of a child failed', cid, err }),
    );
    return total;
  }

  /** Returns false if the child was restored or has already been erased. */
  private erase({ familyId, cid }: ChildKey, deletedUntil: number): Promise<boolean> {
    return this.unitOfWork.run(async () => {
      if (!(await this.children.erase(familyId, cid, deletedUntil))) return false;
      await this.memberContacts.deleteList(familyId, cid);
      await this.outbox.appendForFamily('userctx.child.erased', { familyId, cid });
      return true;
    });
  }

  /** Returns the children of these families, including deleted ones. */
  findCidsOfFamilies(familyIds: readonly string[]): Promise<string[]> {
    return this.children.findCidsOfFamilies(familyIds);
  }

  /** Erases all deleted children of a dissolved family in the current transaction. */
  async eraseAllOfDissolved(familyId: string): Promise<void> {
    for (const cid of await this.children.findCidsOfFamilies([familyId]))
      await this.erase({ familyId, cid }, Number.MAX_SAFE_INTEGER);
  }

  private async addToFamily(caller: Principal, restored: ChildEntity): Promise<void> {
    const { familyId, cid, didAtDeletion: did } = restored;
    const by = principalKey(caller);
    await this.roster.addChild(familyId, cid);
    await this.snapshots.publish(familyId);
    await this.outbox.appendForFamily('userctx.child.restored', { familyId, cid, by, did });
    // Members may have joined or left since the deletion.
    await this.memberContacts.syncMembers(familyId, by);
  }
}

/** Returns the time (Unix milliseconds) after which a child must have been deleted so that it can be restored now. */
function startOfRestoreWindow(): number {
  return Date.now() - CHILD_RESTORE_WINDOW_MS;
}

function toDeletedChild({ cid, familyId, name, avatar, deletedAt }: ChildEntity): DeletedChildDto {
  const time = deletedAt ?? 0;
  return {
    cid,
    familyId,
    name,
    ...(avatar === null ? {} : { avatar }),
    deletedAt: time,
    restorableUntil: time + CHILD_RESTORE_WINDOW_MS,
  };
}
