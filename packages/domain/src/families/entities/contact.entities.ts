import { Column, Entity, PrimaryColumn, Check, ForeignKey, Index, Unique } from 'typeorm';
import type { FamilyRole } from '../contracts/family-role.js';
import type { IdentityType } from '../contracts/contact.js';

/** Version of a child's contact list. The watch fetches the list if its own version is older. */
@Entity({ schema: 'userctx', name: 'contact_list' })
export class ContactListEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'contact_list_pkey' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'version', type: 'integer', default: 0 })
  version: number;
}

/** A contact of a child. Members of the family are added automatically, the owner first. */
@Entity({ schema: 'userctx', name: 'contact' })
@Check('contact_identity_type_check', 'identity_type BETWEEN 0 AND 6')
@Check('contact_owner_has_account_check', 'role <> 1 OR user_id IS NOT NULL')
@Check('contact_role_check', 'role BETWEEN 1 AND 4')
@ForeignKey(() => ContactListEntity, ['cid'], ['cid'], { name: 'contact_list_fkey', onDelete: 'CASCADE' })
@Index('contact_member_key', ['cid', 'userId'], { unique: true, where: 'user_id IS NOT NULL' })
@Index('contact_one_owner', ['cid'], { unique: true, where: 'role = 1' })
@Unique('contact_order_key', ['cid', 'sosOrder'], { deferrable: 'INITIALLY DEFERRED' })
export class ContactEntity {
  @PrimaryColumn({ name: 'ref_id', type: 'uuid', primaryKeyConstraintName: 'contact_pkey' })
  refId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  /** The member's account; null for a contact who is not a member of the family. */
  @Column({ name: 'user_id', type: 'uuid', nullable: true })
  userId: string | null;

  @Column({ name: 'name', type: 'text' })
  name: string;

  @Column({ name: 'phone_number', type: 'text' })
  phoneNumber: string;

  /** Country calling code, with `+`. */
  @Column({ name: 'area_code', type: 'text' })
  areaCode: string;

  @Column({ name: 'appellation', type: 'text' })
  appellation: string;

  @Column({ name: 'identity_type', type: 'smallint' })
  identityType: IdentityType;

  @Column({ name: 'role', type: 'smallint' })
  role: FamilyRole;

  /**
   * Rank of the contact in an SOS, lowest first. The unique constraint is checked at commit, so ranks can be swapped.
   */
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
