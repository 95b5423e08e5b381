import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { FamilyRole } from '../../families/contracts/family-role.js';
import type { IdentityType } from '../contracts/contact.js';

/** A contact of a child. Members of the family are added automatically, the owner first. */
@Entity({ schema: 'userctx', name: 'contact' })
export class ContactEntity {
  @PrimaryColumn({ name: 'ref_id', type: 'uuid', primaryKeyConstraintName: 'contact_pk' })
  refId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  userId: string | null;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  /** With `+`. */
  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'appellation', type: 'text' })
  appellation: string;

  @Column({ name: 'identity_type', type: 'smallint' })
  identityType: IdentityType;

  @Column({ name: 'role', type: 'smallint' })
  role: FamilyRole;

  @Column({ name: 'sos_order', type: 'smallint' })
  sosOrder: number;

  @Column({ name: 'can_call', type: 'boolean' })
  canCall: boolean;

  @Column({ name: 'can_chat', type: 'boolean' })
  canChat: boolean;

  @Column({ name: 'can_video', type: 'boolean' })
  canVideo: boolean;

  @Column({ name: 'school_allowed', type: 'boolean' })
  schoolAllowed: boolean;

  /** Unix milliseconds. */
  @Column({ name: 'created_at', type: 'bigint' })
  createdAt: number;
}
