import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Steps of a child on a date (`YYYY-MM-DD`) in the child's time zone. */
@Entity({ name: 'step_day', schema: 'userctx' })
export class DailyStepsEntity {
  @PrimaryColumn({ name: 'cid', type: 'uuid', primaryKeyConstraintName: 'step_day_pk' })
  cid: string;

  @PrimaryColumn({ name: 'day', type: 'date', primaryKeyConstraintName: 'step_day_pk' })
  day: string;

  @Column({ name: 'steps', type: 'integer' })
  steps: number;
}
