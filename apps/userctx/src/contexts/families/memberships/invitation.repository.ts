import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { INVITATION_STATE } from '@family-watch/domain/families/contracts/family';
import { FamilyInvitationEntity } from '@family-watch/domain/families/entities/join-request.entities';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';

const { PENDING, ACCEPTED, CANCELLED } = INVITATION_STATE;

/** Stores invitations to families. Times are Unix milliseconds. */
@Injectable()
export class InvitationRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(invitation: FamilyInvitationEntity): Promise<void> {
    await this.table.insert(invitation);
  }

  findPending(familyId: string, now: number): Promise<FamilyInvitationEntity[]> {
    return this.table.find({
      where: { familyId, state: PENDING, expiresAt: MoreThan(now) },
      order: { createdAt: 'ASC', invitationId: 'ASC' },
    });
  }

  /** Finds a pending invitation by code, in any family. */
  findByCode(codeDigest: string, now: number): Promise<FamilyInvitationEntity | null> {
    return this.table.findOneBy({ codeDigest, state: PENDING, expiresAt: MoreThan(now) });
  }

  /** Marks the invitation as accepted. Returns true for exactly one of several concurrent calls. */
  async accept(familyId: string, invitationId: string, acceptedBy: string, now: number): Promise<boolean> {
    const { affected } = await this.table.update(
      { familyId, invitationId, state: PENDING, expiresAt: MoreThan(now) },
      { state: ACCEPTED, acceptedBy },
    );
    return affected === 1;
  }

  /** Returns false if there is no pending invitation to cancel. */
  async cancel(familyId: string, invitationId: string, now: number): Promise<boolean> {
    const { affected } = await this.table.update(
      { familyId, invitationId, state: PENDING, expiresAt: MoreThan(now) },
      { state: CANCELLED },
    );
    return affected === 1;
  }

  async cancelAll(familyId: string): Promise<void> {
    await this.table.update({ familyId, state: PENDING }, { state: CANCELLED });
  }

  private get table() {
    return this.unitOfWork.manager.getRepository(FamilyInvitationEntity);
  }
}
