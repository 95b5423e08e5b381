import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { FamilyEntity } from './family.entity.js';

/** TODO */
@Entity({ name: 'ownership_claim', schema: 'userctx' })
@Check('ownership_claim_end_check', `(state = 'OPEN'::text) = (ended_at IS NULL)`)
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], { name: 'ownership_claim_family_fk', onDelete: 'CASCADE' })
@Check(
  'ownership_claim_state_check',
  `state = ANY (ARRAY['OPEN'::text, 'REFUSED'::text, 'WITHDRAWN'::text, 'GRANTED'::text])`,
)
@Index('ownership_claim_due', ['deadline'], { where: `state = 'OPEN'::text` })
@Index('ownership_claim_list', ['familyId', 'createdAt', 'claimId'])
@Index('ownership_claim_one_open', ['familyId'], { unique: true, where: `state = 'OPEN'::text` })
export class OwnershipClaimEntity {
  @PrimaryColumn({ name: 'claim_id', type: 'uuid', primaryKeyConstraintName: 'ownership_claim_pk' })
  claimId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'claimant_user_id', type: 'uuid' })
  claimantUserId: string;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  @Column({ name: 'deadline', type: 'bigint' })
  deadline: number;

  @Column({ name: 'ended_at', type: 'bigint', nullable: true })
  endedAt: number | null;

  @Column({ name: 'ended_by', type: 'text', nullable: true })
  endedBy: string | null;
}
