import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** TODO */
@Entity({ name: 'witness_salt', schema: 'userctx' })
export class DailySaltEntity {
  @PrimaryColumn({ name: 'day', type: 'integer', primaryKeyConstraintName: 'witness_salt_pk' })
  day: number;

  @Column({ name: 'salt', type: 'bytea' })
  salt: Buffer;
}

/** TODO */
@Entity({ name: 'radio_network', schema: 'userctx' })
@Check('radio_network_kind_check', `kind = ANY (ARRAY['WIFI'::text, 'CELL'::text, 'AREA'::text])`)
@Check('radio_network_learned_check', '(NOT learned) OR (latitude IS NOT NULL)')
@Check('radio_network_place_check', 'num_nulls(latitude, longitude, weight, scatter) = ANY (ARRAY[0, 4])')
@Index('radio_network_age', ['heardOn'])
export class RadioNetworkEntity {
  @PrimaryColumn({ name: 'network_key', type: 'uuid', primaryKeyConstraintName: 'radio_network_pk' })
  networkKey: string;

  @Column({ name: 'kind', type: 'text' })
  kind: string;

  @Column({ name: 'latitude', type: 'double precision', nullable: true })
  latitude: number | null;

  @Column({ name: 'longitude', type: 'double precision', nullable: true })
  longitude: number | null;

  @Column({ name: 'weight', type: 'double precision', nullable: true })
  weight: number | null;

  @Column({ name: 'scatter', type: 'double precision', nullable: true })
  scatter: number | null;

  @Column({ name: 'learned', type: 'boolean', default: false })
  learned: boolean;

  @Column({ name: 'witnesses', type: 'bigint', array: true, default: () => `'{}'::bigint[]` })
  witnesses: number[];

  @Column({ name: 'strays', type: 'smallint', default: 0 })
  strays: number;

  @Column({ name: 'moves', type: 'smallint', default: 0 })
  moves: number;

  @Column({ name: 'blocked_until', type: 'bigint', nullable: true })
  blockedUntil: number | null;

  @Column({ name: 'heard_on', type: 'integer' })
  heardOn: number;

  @Column({ name: 'support', type: 'smallint', default: 0 })
  support: number;

  @Column({ name: 'witness_weights', type: 'double precision', array: true, default: () => `'{}'::double precision[]` })
  witnessWeights: number[];

  @Column({ name: 'contradictions', type: 'bigint', array: true, default: () => `'{}'::bigint[]` })
  contradictions: number[];

  @Column({ name: 'contradicted_days', type: 'smallint', default: 0 })
  contradictedDays: number;
}
