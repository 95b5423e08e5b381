import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Number of attempts in the current time window. */
@Entity({ schema: 'userctx', name: 'attempt_counter' })
@Index('attempt_counter_window', ['windowEndsAt'])
export class AttemptCounterEntity {
  /**
   * Keyed digest of the kind of attempt and its subject, such as a phone number or IP address; the subject itself is
   * not stored.
   */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'attempt_counter_pkey' })
  key!: Buffer;

  @Column('integer')
  attempts!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'window_ends_at' })
  windowEndsAt!: number;
}
