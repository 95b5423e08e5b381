import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { DomainEvent } from '../contracts/domain-event.js';

// Each app's schema has its own tables of the event bus. The entities therefore name no schema; TypeORM uses the schema
// of the app's data source.

/**
 * An event in the outbox, inserted in the transaction of the change that it announces. The outbox relay publishes it.
 */
@Entity({ name: 'outbox' })
@Index('outbox_unconfirmed', ['partition', 'position'], { where: 'confirmed_at IS NULL' })
class OutboxEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'position',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'outbox_pkey',
  })
  position: number;

  @Column({ name: 'id', type: 'uuid' })
  id: string;

  /** Hash of `key`. The bus preserves the order of the events of one partition. */
  @Column({ name: 'partition', type: 'smallint' })
  partition: number;

  /** Id of the family or key of the principal. Events with the same key are handled in order. */
  @Column({ name: 'key', type: 'text' })
  key: string;

  @Column({ name: 'name', type: 'text' })
  name: string;

  /** Unix milliseconds. */
  @Column({ name: 'time', type: 'bigint' })
  time: number;

  @Column({ name: 'payload', type: 'json' })
  payload: unknown;

  /** When the bus confirmed that it stored the event; null while the event is unpublished. */
  @Column({ name: 'confirmed_at', type: 'timestamptz', nullable: true })
  confirmedAt: Date | null;
}

/**
 * Lease of the process that publishes the outbox, and the position of the event stream after the last publication. The
 * table has one row.
 */
@Entity({ name: 'relay' })
@Check('relay_singleton_check', 'singleton')
class RelayEntity {
  @PrimaryColumn({ name: 'singleton', type: 'boolean', default: true, primaryKeyConstraintName: 'relay_pkey' })
  singleton: boolean;

  /** Random id of the process that holds the lease; null if no process has held it. */
  @Column({ name: 'holder', type: 'uuid', nullable: true })
  holder: string | null;

  /** Expiry of the lease. */
  @Column({ name: 'expires_at', type: 'timestamptz', default: '-infinity' })
  expiresAt: Date;

  @Column({ name: 'stream_identity', type: 'text', nullable: true })
  streamIdentity: string | null;

  /** Highest sequence number in the stream that the relay has seen. */
  @Column({ name: 'stream_sequence', type: 'bigint', default: 0 })
  streamSequence: number;

  @Column({ name: 'outbox_full', type: 'boolean', default: false })
  isOutboxFull: boolean;
}

/** An event that a handler has accepted: the event was handled, is in the retry queue or is a dead letter. */
@Entity({ name: 'inbox' })
@Index('inbox_taken', ['acceptedAt'])
class InboxEntity {
  @PrimaryColumn({ name: 'handler', type: 'text', primaryKeyConstraintName: 'inbox_pkey' })
  handler: string;

  @PrimaryColumn({ name: 'event_id', type: 'uuid', primaryKeyConstraintName: 'inbox_pkey' })
  eventId: string;

  @Column({ name: 'taken_at', type: 'timestamptz', default: () => 'now()' })
  acceptedAt: Date;
}

/**
 * An event in the retry queue of a handler. The event has failed (`attempts` above 0), or it waits until an earlier
 * failed event with the same key is handled (`attempts` 0).
 */
@Entity({ name: 'parked' })
@Index('parked_key', ['handler', 'key', 'position'])
@Index('parked_due', ['nextAttemptAt'])
class QueuedRetryEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'position',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'parked_pkey',
  })
  position: number;

  @Column({ name: 'handler', type: 'text' })
  handler: string;

  @Column({ name: 'event_id', type: 'uuid' })
  eventId: string;

  @Column({ name: 'key', type: 'text' })
  key: string;

  @Column({ name: 'event', type: 'json' })
  event: DomainEvent;

  @Column({ name: 'attempts', type: 'integer' })
  attempts: number;

  @Column({ name: 'next_attempt_at', type: 'timestamptz' })
  nextAttemptAt: Date;

  @Column({ name: 'parked_at', type: 'timestamptz', default: () => 'now()' })
  queuedAt: Date;

  @Column({ name: 'last_error', type: 'text', nullable: true })
  lastError: string | null;
}

/** An event that its handler does not retry any more, or a message of the bus that could not be parsed as an event. */
@Entity({ name: 'dead_letter' })
@Index('dead_letter_key', ['handler', 'key'])
class DeadLetterEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'dead_letter_pkey',
  })
  id: number;

  @Column({ name: 'handler', type: 'text' })
  handler: string;

  /** Null if the message could not be parsed as an event; `raw` contains the bytes of such a message. */
  @Column({ name: 'event_id', type: 'uuid', nullable: true })
  eventId: string | null;

  @Column({ name: 'key', type: 'text' })
  key: string;

  @Column({ name: 'event', type: 'json', nullable: true })
  event: DomainEvent | null;

  @Column({ name: 'attempts', type: 'integer' })
  attempts: number;

  @Column({ name: 'parked_at', type: 'timestamptz' })
  queuedAt: Date;

  @Column({ name: 'died_at', type: 'timestamptz', default: () => 'now()' })
  failedAt: Date;

  @Column({ name: 'last_error', type: 'text', nullable: true })
  lastError: string | null;

  @Column({ name: 'raw', type: 'bytea', nullable: true })
  raw: Buffer | null;
}

/** The entities of the event bus. */
export const eventBusEntities = [OutboxEntity, RelayEntity, InboxEntity, QueuedRetryEntity, DeadLetterEntity];
