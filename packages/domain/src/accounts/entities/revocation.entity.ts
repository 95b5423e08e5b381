import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Access that ended before its tokens expired; stored until the last of them has expired. */
@Entity({ schema: 'userctx', name: 'revocation' })
@Index('revocation_time', ['time'])
export class RevocationEntity {
  @PrimaryColumn('uuid', { name: 'revocation_id', primaryKeyConstraintName: 'revocation_pkey' })
  revocationId!: string;

  /** Either this or `principal` is set. */
  @Column('text', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  /** `user:<userId>` or `watch:<did>`: revokes every token issued before `time`. */
  @Column('text', { nullable: true })
  principal!: string | null;

  /** Unix milliseconds. */
  @Column('bigint')
  time!: number;
}
