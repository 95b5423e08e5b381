import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** The account of a person. */
@Entity({ schema: 'userctx', name: 'account' })
@Unique('account_phone_unique', ['areaCode', 'phoneNumber'])
export class AccountEntity {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'account_pkey' })
  userId!: string;

  /** Country calling code with `+`. */
  @Column('text', { name: 'area_code' })
  areaCode!: string;

  @Column('text', { name: 'phone_number' })
  phoneNumber!: string;

  @Column('text')
  nickname!: string;

  @Column('text', { nullable: true })
  avatar!: string | null;

  /** IANA time zone. */
  @Column('text', { name: 'time_zone' })
  timeZone!: string;

  /** argon2id hash in PHC format; null while the person signs in by SMS code only. */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  /**
   * Increases with every change of password or phone number. A sign-in that was checked against an older version of the
   * credentials is invalid.
   */
  @Column('integer', { name: 'credential_version', default: 1 })
  credentialVersion!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}
