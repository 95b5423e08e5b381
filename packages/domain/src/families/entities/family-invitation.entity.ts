import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ChildPermission, FamilyRole } from '../contracts/family-role.js';
import type { InvitationState } from '../contracts/invitation.js';

/** An invitation to a family. Only the digest of the invitation's code is stored. */
@Entity({ schema: 'userctx', name: 'family_invitation' })
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

  @Column({ name: 'child_permissions', type: 'jsonb' })
  childPermissions: Record<string, ChildPermission[]>;

  @Column({ name: 'appellation', type: 'text', nullable: true })
  appellation: string | null;

  @Column({ name: 'identity_type', type: 'smallint' })
  identityType: number;

  @Column({ name: 'state', type: 'text' })
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
