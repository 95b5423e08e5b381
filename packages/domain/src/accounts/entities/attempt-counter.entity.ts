import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How often something was tried in the window that is running. */
@Entity({ schema: 'userctx', name: 'attempt_counter' })
export class AttemptCounterEntity {
  /** Keyed digest of what is counted: no phone number or address stands here. */
  @PrimaryColumn('bytea', { primaryKeyConstraintName: 'attempt_counter_pkey' })
  key!: Buffer;

  @Column('integer')
  attempts!: number;

  /** Unix milliseconds. */
  @Column('bigint', { name: 'window_ends_at' })
  windowEndsAt!: number;
}
