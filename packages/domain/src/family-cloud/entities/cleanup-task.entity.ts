import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'ending', schema: 'mcdisk' })
@Check('ending_kind', `kind = ANY (ARRAY['FAMILY'::text, 'CHILD'::text, 'ACCOUNT'::text])`)
@Check('ending_state', `state = ANY (ARRAY['WAITING'::text, 'WATCHED'::text, 'FORGETTING'::text])`)
@Index('ending_due', ['dueAt'])
export class CleanupTaskEntity {
  @PrimaryColumn({ name: 'kind', type: 'text', primaryKeyConstraintName: 'ending_pkey' })
  kind: string;

  @PrimaryColumn({ name: 'subject', type: 'text', primaryKeyConstraintName: 'ending_pkey' })
  subject: string;

  @Column({ name: 'cloud_id', type: 'text', nullable: true })
  cloudId: string | null;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'due_at', type: 'bigint' })
  dueAt: number;

  @Column({ name: 'cursor', type: 'uuid', nullable: true })
  cursor: string | null;
}
