import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Number of attempts in the current time window. */
@Entity({ schema: 'userctx', name: 'attempt_counter' })
export class AttemptCounterEntity {
  /** Keyed digest of what is counted; no phone number or IP address is stored. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'attempt_counter_pkey' })
  key!: Buffer;

  @Column('integer')
  attempts!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'window_ends_at' })
  windowEndsAt!: number;
}
