import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { NetworkKind } from '../contracts/radio-network.js';

/**
 * The random salt of one day, with which families are hashed to observer tags. The salt is deleted when its day is
 * over. After that, a tag does not reveal which family observed a network.
 */
@Entity({ name: 'witness_salt', schema: 'userctx' })
export class DailySaltEntity {
  /** Days since 1970, in UTC. */
  @PrimaryColumn({ name: 'day', type: 'integer', primaryKeyConstraintName: 'witness_salt_pkey' })
  day: number;

  @Column({ name: 'salt', type: 'bytea' })
  salt: Buffer;
}

/**
 * An access point or cell that watches observed, and where. The row identifies no families and contains no time finer
 * than a day. Days are counted since 1970, in UTC. The location is null before the first sighting and while the network
 * is blocked.
 */
@Entity({ name: 'radio_network', schema: 'userctx' })
@Check('radio_network_kind_check', `kind IN ('WIFI', 'CELL', 'AREA')`)
@Check('radio_network_learned_check', '(NOT learned) OR (latitude IS NOT NULL)')
@Check('radio_network_place_check', 'num_nulls(latitude, longitude, weight, scatter) IN (0, 4)')
@Index('radio_network_age', ['lastReportedOn'])
export class RadioNetworkEntity {
  /** Keyed digest of the network's identifier; the identifier itself is not stored. */
  @PrimaryColumn({ name: 'network_key', type: 'uuid', primaryKeyConstraintName: 'radio_network_pkey' })
  key: string;

  @Column({ name: 'kind', type: 'text' })
  kind: NetworkKind;

  @Column({ name: 'latitude', type: 'double precision', nullable: true })
  latitude: number | null;

  @Column({ name: 'longitude', type: 'double precision', nullable: true })
  longitude: number | null;

  /** Sum of the weights of the sightings whose weighted mean is the location. */
  @Column({ name: 'weight', type: 'double precision', nullable: true })
  weight: number | null;

  /** Weighted sum of the squared distances of the sightings from the location, in square metres. */
  @Column({ name: 'scatter', type: 'double precision', nullable: true })
  squaredDistanceSum: number | null;

  /** Whether `support` is at least two. Only confirmed networks are used to locate devices. */
  @Column({ name: 'learned', type: 'boolean', default: false })
  isConfirmed: boolean;

  /**
   * Tags of the families that observed the network on the day `lastReportedOn`, at a distance from the stored location
   * that its radio can bridge ("within reach").
   */
  @Column({ name: 'witnesses', type: 'bigint', array: true, default: [] })
  observerTags: number[];

  /** Written by an earlier version of the app; no longer read. */
  @Column({ name: 'strays', type: 'smallint', default: 0 })
  strays: number;

  /** How many times the network has moved. */
  @Column({ name: 'moves', type: 'smallint', default: 0 })
  moveCount: number;

  /**
   * End of a block in Unix milliseconds; sightings before this time are ignored. Null if the network is not blocked.
   */
  @Column({ name: 'blocked_until', type: 'bigint', nullable: true })
  blockedUntil: number | null;

  /** Day of the last report. */
  @Column({ name: 'heard_on', type: 'integer' })
  lastReportedOn: number;

  /** Number of reports within reach, at most one per family and day. */
  @Column({ name: 'support', type: 'smallint', default: 0 })
  support: number;

  /**
   * Sum of the weights of the sightings of each observer on the day `lastReportedOn`, in the order of `observerTags`.
   */
  @Column({ name: 'witness_weights', type: 'double precision', array: true, default: [] })
  observerWeights: number[];

  /** Tags of the families that observed the network out of reach of its stored location on the day `lastReportedOn`. */
  @Column({ name: 'contradictions', type: 'bigint', array: true, default: [] })
  contradictionTags: number[];

  /**
   * Number of days, before `lastReportedOn`, with reports out of reach since the last day with a report within reach.
   */
  @Column({ name: 'contradicted_days', type: 'smallint', default: 0 })
  contradictedDays: number;
}
