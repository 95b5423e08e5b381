import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import type { OwnershipClaimState } from '../contracts/ownership-claim.js';
import { FamilyEntity } from './family.entity.js';

/** A guardian's claim to the ownership of a family. A family has at most one open claim. Times are Unix milliseconds. */
@Entity({ name: 'ownership_claim', schema: 'userctx' })
@Check('ownership_claim_end_check', `(state = 'OPEN') = (ended_at IS NULL)`)
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], { name: 'ownership_claim_family_fk', onDelete: 'CASCADE' })
@Check('ownership_claim_state_check', `state IN ('OPEN', 'REFUSED', 'WITHDRAWN', 'GRANTED')`)
@Index('ownership_claim_due', ['deadline'], { where: `state = 'OPEN'` })
@Index('ownership_claim_list', ['familyId', 'createdAt', 'claimId'])
@Index('ownership_claim_one_open', ['familyId'], { unique: true, where: `state = 'OPEN'` })
export class OwnershipClaimEntity {
  @PrimaryColumn({ name: 'claim_id', type: 'uuid', primaryKeyConstraintName: 'ownership_claim_pk' })
  claimId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'claimant_user_id', type: 'uuid' })
  claimantUserId: string;

  @Column({ name: 'state', type: 'text' })
  state: OwnershipClaimState;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** The claim is granted at this time unless the owner objects. */
  @Column({ name: 'deadline', type: 'bigint' })
  deadline: number;

  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt: number | null;

  /** Null while the claim is open and if it ended automatically. */
  @Column({ name: 'ended_by', type: 'text', nullable: true })
  endedBy: PrincipalKey | null;
}
