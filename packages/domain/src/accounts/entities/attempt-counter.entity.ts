import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Number of attempts in the current time window. */
@Entity({ schema: 'userctx', name: 'attempt_counter' })
export class AttemptCounterEntity {
  /**
   * Keyed digest of the phone number, IP address or account whose attempts are counted; the value itself is not stored.
   */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'attempt_counter_pkey' })
  key!: Buffer;

  @Column('integer')
  attempts!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'window_ends_at' })
  windowEndsAt!: number;
}
