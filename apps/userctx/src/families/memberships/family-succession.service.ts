import { Injectable } from '@nestjs/common';
import { OWNED_FAMILY_OUTCOME } from '@family-watch/domain/privacy/contracts/account-deletion';
import type { OwnedFamilyDto } from '@family-watch/domain/privacy/dto/account-deletion.dto';
import { FAMILY_ROLE } from '@family-watch/domain/families/contracts/family-role';
import { ERASED_PRINCIPAL } from '@family-watch/domain/kernel/contracts/principal';
import { ChildDeletionService } from '../children/child-deletion.service.js';
import { MemberContactsService } from '../contacts/member-contacts.service.js';
import { FamilyOwnershipService } from '../family-ownership.service.js';
import { FamilyRosterService } from '../family-roster.service.js';
import { OwnershipService } from './ownership.service.js';

/** The families that end with a person, with their children and watches. */
export interface EndedFamilies {
  families: string[];
  cids: string[];
  dids: number[];
}

/**
 * Decides what happens to the families of a person whose account is erased. The guardian who joined first becomes the
 * owner, unless suspended, about to be erased or the owner of another family. A family without such a guardian ends with
 * its children, because nobody could decide for them.
 */
@Injectable()
export class FamilySuccessionService {
  constructor(
    private readonly roster: FamilyRosterService,
    private readonly ownership: FamilyOwnershipService,
    private readonly memberContacts: MemberContactsService,
    private readonly children: ChildDeletionService,
    private readonly dissolution: OwnershipService,
  ) {}

  /** Returns what would happen to the family that the person owns now; null if there is none. */
  async plan(userId: string): Promise<OwnedFamilyDto | null> {
    const familyId = await this.ownership.findOwned(userId);
    if (familyId === null) return null;
    const newOwnerUserId = await this.findSuccessor(familyId);
    const outcome = newOwnerUserId === null ? OWNED_FAMILY_OUTCOME.ERASED : OWNED_FAMILY_OUTCOME.TRANSFERRED;
    return { familyId, outcome, newOwnerUserId };
  }

  /**
   * Ends all memberships of the person. Transfers or dissolves the family that the person owns; {@link eraseFamilies}
   * must follow. Also returns families that the person dissolved and that could still be restored.
   */
  async leaveAll(userId: string): Promise<EndedFamilies> {
    const dids: number[] = [];
    const families = await this.ownership.findDissolvedBy(userId);
    // Families are locked in the order of their ids, like in other transactions that lock several families.
    for (const familyId of (await this.roster.findFamilies(userId)).toSorted()) {
      await this.roster.lock(familyId);
      const member = (await this.roster.findMembers(familyId)).find((each) => each.userId === userId);
      const successor = member?.role === FAMILY_ROLE.OWNER ? await this.findSuccessor(familyId) : undefined;
      if (successor === null) {
        const children = await this.roster.findChildren(familyId);
        dids.push(...children.flatMap(({ did }) => did ?? []));
        await this.dissolution.dissolveLocked(familyId, ERASED_PRINCIPAL, { exceptUserId: userId });
        families.push(familyId);
        continue;
      }
      if (successor !== undefined) await this.ownership.transfer(familyId, successor, ERASED_PRINCIPAL);
      await this.roster.removeMember(familyId, userId);
      await this.memberContacts.publishMemberChange(familyId, ERASED_PRINCIPAL);
    }
    return { families, dids, cids: await this.children.findCidsOfFamilies(families) };
  }

  /** Erases dissolved families and their deleted children immediately. */
  async eraseFamilies(familyIds: readonly string[]): Promise<void> {
    for (const familyId of familyIds) {
      await this.children.eraseAllOfDissolved(familyId);
      await this.ownership.deleteDissolvedFamily(familyId);
    }
  }

  private async findSuccessor(familyId: string): Promise<string | null> {
    return (await this.ownership.findSuccessors(familyId))[0] ?? null;
  }
}
