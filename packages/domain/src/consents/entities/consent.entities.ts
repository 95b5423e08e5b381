import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { AccountEntity } from '../../accounts/entities/account.entity.js';
import type { ConsentPurpose } from '../contracts/consent.js';

/** The consent of a person to one purpose. */
@Entity({ name: 'consent', schema: 'userctx' })
@ForeignKey(() => AccountEntity, ['userId'], ['userId'], { name: 'consent_account', onDelete: 'CASCADE' })
@Check('consent_never_asked', '((version = 0) = (changed_at IS NULL)) AND ((version > 0) OR (NOT granted))')
export class ConsentEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'consent_pk' })
  userId: string;

  @PrimaryColumn({ name: 'purpose', type: 'text', primaryKeyConstraintName: 'consent_pk' })
  purpose: ConsentPurpose;

  @Column({ name: 'granted', type: 'boolean' })
  granted: boolean;

  /** Number of changes; 0 if the person was never asked. */
  @Column({ name: 'version', type: 'integer' })
  version: number;

  /** Unix milliseconds; null if the person was never asked. */
  @Column({ name: 'changed_at', type: 'bigint', nullable: true })
  changedAt: number | null;
}

/** One change of a consent. The changes are the history that is returned to the person. */
@Entity({ name: 'consent_change', schema: 'userctx' })
@ForeignKey(() => ConsentEntity, ['userId', 'purpose'], ['userId', 'purpose'], {
  name: 'consent_change_consent',
  onDelete: 'CASCADE',
})
export class ConsentChangeEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid', primaryKeyConstraintName: 'consent_change_pk' })
  userId: string;

  @PrimaryColumn({ name: 'purpose', type: 'text', primaryKeyConstraintName: 'consent_change_pk' })
  purpose: ConsentPurpose;

  /** Version of the consent after the change. */
  @PrimaryColumn({ name: 'version', type: 'integer', primaryKeyConstraintName: 'consent_change_pk' })
  version: number;

  @Column({ name: 'granted', type: 'boolean' })
  granted: boolean;

  /** Unix milliseconds. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;
}
