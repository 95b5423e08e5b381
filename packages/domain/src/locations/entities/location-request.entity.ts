import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'location_ask', schema: 'userctx' })
@Check('location_ask_state_check', `state = ANY (ARRAY['ASKED'::text, 'ANSWERED'::text, 'EXPIRED'::text])`)
@Index('location_ask_age', ['askedAt'])
@Index('location_ask_of_child', ['cid'])
@Index('location_ask_one_pending', ['cid'], { unique: true, where: `state = 'ASKED'::text` })
export class LocationRequestEntity {
  @PrimaryColumn({ name: 'ask_id', type: 'uuid', primaryKeyConstraintName: 'location_ask_pk' })
  askId: string;

  @Column({ name: 'family_id', type: 'uuid' })
  familyId: string;

  @Column({ name: 'cid', type: 'uuid' })
  cid: string;

  @Column({ name: 'did', type: 'bigint' })
  did: number;

  @Column({ name: 'by', type: 'text' })
  by: string;

  @Column({ name: 'state', type: 'text' })
  state: string;

  @Column({ name: 'asked_at', type: 'bigint' })
  askedAt: number;

  @Column({ name: 'deadline', type: 'bigint' })
  deadline: number;

  @Column({ name: 'answer', type: 'jsonb', nullable: true })
  answer: unknown | null;
}
