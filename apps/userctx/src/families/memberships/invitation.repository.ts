import { Injectable } from '@nestjs/common';
import { MoreThan } from 'typeorm';
import { INVITATION_STATE } from '@family-watch/domain/families/contracts/family';
import { FamilyInvitationEntity } from '@family-watch/domain/families/entities/join-request.entities';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';

/** Stores the invitations to families. */
@Injectable()
export class InvitationRepository {
  constructor(private readonly unitOfWork: UserctxUnitOfWork) {}

  async add(invitation: FamilyInvitationEntity): Promise<void> {
    await this.invitations.insert(invitation);
  }

  findPending(familyId: string, now: number): Promise<FamilyInvitationEntity[]> {
    return this.invitations.find({
      where: { familyId, state: INVITATION_STATE.PENDING, expiresAt: MoreThan(now) },
      order: { createdAt: 'ASC', invitationId: 'ASC' },
    });
  }

  /** Finds a pending invitation by code, in any family. */
  findByCode(codeDigest: string, now: number): Promise<FamilyInvitationEntity | null> {
    return this.invitations.findOneBy({ codeDigest, state: INVITATION_STATE.PENDING, expiresAt: MoreThan(now) });
  }

  /** Marks the invitation as accepted. Returns true for exactly one of several concurrent calls. */
  async accept(familyId: string, invitationId: string, acceptedBy: string, now: number): Promise<boolean> {
    const { affected } = await this.invitations.update(
      { familyId, invitationId, state: INVITATION_STATE.PENDING, expiresAt: MoreThan(now) },
      { state: INVITATION_STATE.ACCEPTED, acceptedBy },
    );
    return affected === 1;
  }

  /** Returns false if there is no pending invitation to cancel. */
  async cancel(familyId: string, invitationId: string, now: number): Promise<boolean> {
    const { affected } = await this.invitations.update(
      { familyId, invitationId, state: INVITATION_STATE.PENDING, expiresAt: MoreThan(now) },
      { state: INVITATION_STATE.CANCELLED },
    );
    return affected === 1;
  }

  async cancelAll(familyId: string): Promise<void> {
    await this.invitations.update({ familyId, state: INVITATION_STATE.PENDING }, { state: INVITATION_STATE.CANCELLED });
  }

  private get invitations() {
    return this.unitOfWork.manager.getRepository(FamilyInvitationEntity);
  }
}
