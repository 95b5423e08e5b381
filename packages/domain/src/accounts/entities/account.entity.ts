import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';

/** A person who can sign in. */
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

  /** Name of the IANA database. */
  @Column('text', { name: 'time_zone' })
  timeZone!: string;

  /** argon2id in PHC form; null while the person signs in by code only. */
  @Column('text', { name: 'password_hash', nullable: true })
  passwordHash!: string | null;

  /** Grows with every change of password or phone: a sign-in that was checked against older ones does not count. */
  @Column('integer', { name: 'credential_version' })
  credentialVersion!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}
