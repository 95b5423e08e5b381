import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import type { InvitationState } from '../contracts/invitation.js';
import { FamilyEntity } from './family.entity.js';

/** An invitation to a family. Only the digest of the invitation's code is stored. */
@Entity({ schema: 'userctx', name: 'family_invitation' })
@Check('family_invitation_role_check', 'role BETWEEN 2 AND 4')
@Check('family_invitation_state_check', `state IN ('PENDING', 'ACCEPTED', 'CANCELLED')`)
@ForeignKey(() => FamilyEntity, ['familyId'], ['familyId'], {
  name: 'family_invitation_family_fk',
  onDelete: 'CASCADE',
})
@Index('family_invitation_pending', ['familyId'], { where: `state = 'PENDING'` })
@Unique('family_invitation_code_key', ['codeDigest'])
export class FamilyInvitationEntity {
  @PrimaryColumn({ name: 'invitation_id', type: 'uuid', primaryKeyConstraintName: 'family_invitation_pk' })
  invitationId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** SHA-256 of the code, lower-case hex. */
  @Column({ name: 'code_digest', type: 'text' })
  codeDigest: string;

  @Column({ name: 'role', type: 'smallint' })
  role: FamilyRole;

  @Column({ name: 'permissions', type: 'text', array: true })
  permissions: ChildPermission[];

  @Column({ name: 'child_permissions', type: 'jsonb', default: {} })
  childPermissions: Record<string, ChildPermission[]>;

  @Column({ name: 'appellation', type: 'text', nullable: true })
  appellation: string | null;

  @Column({ name: 'identity_type', type: 'smallint', default: 0 })
  identityType: number;

  @Column({ name: 'state', type: 'text', default: 'PENDING' })
  state: InvitationState;

  @Column({ name: 'accepted_by', type: 'uuid', nullable: true })
  acceptedBy: string | null;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;

  /** Unix milliseconds. */
  @Column({ name: 'expires_at', type: 'bigint' })
  expiresAt: number;
}
