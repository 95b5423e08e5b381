import { createHash } from 'node:crypto';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import { PARTITIONS } from './partition.js';
import { parseTraceparent } from './traceparent.js';

/** Events of one app and one partition that are sent as one message, in order. */
export interface Envelope {
  /** Digest of the event ids. The same events in the same order have the same id, which deduplicates messages. */
  id: string;
  /** The publishing app. */
  source: string;
  partition: number;
  events: DomainEvent[];
}

export const MAX_ENVELOPE_EVENTS = 100;

/** NATS accepts messages of 1 MiB by default; ids, names and keys need the rest of a message. */
const MAX_ENVELOPE_PAYLOAD_BYTES = 512 * 1024;

/** A payload with a hundred ids and a location is far smaller than this limit. */
export const MAX_EVENT_PAYLOAD_BYTES = 32 * 1024;

export function createEnvelope(source: string, partition: number, events: DomainEvent[]): Envelope {
  const ids = events.map((event) => event.id).join(',');
  return { id: createHash('sha256').update(ids).digest('base64url'), source, partition, events };
}

/**
 * Returns how many payloads from the start of the list fit in one envelope. Returns at least 1 unless the list is
 * empty.
 *
 * @param payloadBytes - the sizes of the payloads, in bytes
 */
export function countEventsThatFit(payloadBytes: readonly number[]): number {
  let count = 0;
  let totalBytes = 0;
  for (const bytes of payloadBytes) {
    totalBytes += bytes;
    if (count === MAX_ENVELOPE_EVENTS || (count > 0 && totalBytes > MAX_ENVELOPE_PAYLOAD_BYTES)) break;
    count++;
  }
  return count;
}

/** An item of an envelope's events that is no valid event, so that it cannot be stored as an event. */
export interface MalformedEvent {
  /** JSON of the received item. */
  text: string;
  reason: string;
}

export interface ParsedEnvelope extends Envelope {
  malformed: MalformedEvent[];
}

/**
 * Parses an envelope from JSON. Malformed events are returned separately, so that they do not affect the valid events.
 *
 * @throws Error if the text is no envelope
 */
export function parseEnvelope(text: string): ParsedEnvelope {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error('Message is not an event envelope');
  const { id, source, partition, events } = value;
  if (typeof id !== 'string' || typeof source !== 'string' || !isPartition(partition) || !Array.isArray(events))
    throw new Error('Message is not an event envelope');
  const checked = events.map((event: unknown) => ({ event, reason: findEventDefect(event) }));
  return {
    id,
    source,
    partition,
    events: checked.flatMap(({ event, reason }) => (reason === null ? [withValidTrace(event as DomainEvent)] : [])),
    malformed: checked.flatMap(({ event, reason }) => (reason ? [{ text: JSON.stringify(event), reason }] : [])),
  };
}

/** Returns the event without a malformed `traceparent`, which must not prevent its handling. */
function withValidTrace(event: DomainEvent): DomainEvent {
  if (event.traceparent === undefined || parseTraceparent(event.traceparent)) return event;
  const { traceparent: _, ...untraced } = event;
  return untraced;
}

const MAX_NAME_LENGTH = 128;
const MAX_KEY_LENGTH = 256;

/** Returns why the consumer's tables cannot store a value as an event; null for a valid event. */
function findEventDefect(event: unknown): string | null {
  if (!isRecord(event)) return 'Event is no object';
  const { id, name, key, time } = event;
  if (typeof id !== 'string' || !isUuid(id)) return 'Event id is no UUID';
  if (!isText(name, MAX_NAME_LENGTH)) return 'Event name is no valid text';
  if (!isText(key, MAX_KEY_LENGTH)) return 'Event key is no valid text';
  if (!Number.isSafeInteger(time)) return 'Event time is no integer';
  if (!('payload' in event)) return 'Event has no payload';
  return null;
}

/** Returns whether the value is text that Postgres can store: without NUL and lone surrogates. */
function isText(value: unknown, maxLength: number): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxLength) return false;
  return value.isWellFormed() && !value.includes('\u0000');
}

function isPartition(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < PARTITIONS;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
