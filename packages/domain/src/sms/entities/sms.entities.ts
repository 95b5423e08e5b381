import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { SmsScene } from '../../accounts/contracts/account.js';
import type { SmsAlert, SmsProviderName, SmsState } from '../contracts/sms.js';

/**
 * One SMS that was passed to one provider, without its text and without the phone number. If a second provider sends
 * the SMS, it has a second row. Times are Unix milliseconds.
 */
@Entity({ schema: 'userctx', name: 'sms_message' })
@Check(
  'sms_message_state_check',
  `state IN ('SENDING', 'ACCEPTED', 'REJECTED', 'REFUSED', 'UNAVAILABLE', 'DELIVERED', 'UNDELIVERED')`,
)
@Index('sms_message_age', ['createdAt'])
@Index('sms_message_at_provider', ['provider', 'providerMessageId'], { where: 'provider_message_id IS NOT NULL' })
@Index('sms_message_of_child', ['cid'], { where: 'cid IS NOT NULL' })
export class SmsMessageEntity {
  @PrimaryColumn('uuid', { name: 'message_id', primaryKeyConstraintName: 'sms_message_pkey' })
  messageId!: string;

  @Column('text')
  provider!: SmsProviderName;

  @Column('text')
  scene!: SmsScene | 'ALERT';

  /** Country calling code with `+`. */
  @Column('text', { name: 'area_code' })
  areaCode!: string;

  @Column('text')
  state!: SmsState;

  /** The provider's id of the SMS; null until the provider has accepted the SMS. */
  @Column('text', { name: 'provider_message_id', nullable: true })
  providerMessageId!: string | null;

  /** Error code of the provider or of its receipt; null if there was no error. */
  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  /** The child whose alert this is; null for an SMS with a code. */
  @Column('uuid', { nullable: true })
  cid!: string | null;

  /** The alert, if another provider may send it again after an unsuccessful delivery; otherwise null. */
  @Column('jsonb', { nullable: true })
  alert!: SmsAlert | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When the state last changed. */
  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}
