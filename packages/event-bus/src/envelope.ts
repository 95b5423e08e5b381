import { createHash } from 'node:crypto';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { PARTITIONS } from './partition.js';

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

/** NATS accepts 1 MiB per message by default; the rest is left for ids, names and keys. */
const MAX_ENVELOPE_PAYLOAD_BYTES = 512 * 1024;

/** The limit is generous: a payload with a hundred ids and a location is far smaller. */
export const MAX_EVENT_PAYLOAD_BYTES = 32 * 1024;

export function createEnvelope(source: string, partition: number, events: DomainEvent[]): Envelope {
  const ids = events.map((event) => event.id).join(',');
  return { id: createHash('sha256').update(ids).digest('base64url'), source, partition, events };
}

/**
 * Returns how many of the leading payloads (sizes in bytes) fit in one envelope; at least one unless there are none.
 */
export function countEventsThatFit(payloadBytes: readonly number[]): number {
  let length = 0;
  let total = 0;
  for (const bytes of payloadBytes) {
    total += bytes;
    if (length === MAX_ENVELOPE_EVENTS || (length > 0 && total > MAX_ENVELOPE_PAYLOAD_BYTES)) break;
    length++;
  }
  return length;
}

/**
 * Parses an envelope from JSON.
 *
 * @throws Error if the text is not a valid envelope
 */
export function parseEnvelope(text: string): Envelope {
  const value: unknown = JSON.parse(text);
  if (!isEnvelope(value)) throw new Error('Message is not an event envelope');
  return value;
}

function isEnvelope(value: unknown): value is Envelope {
  if (typeof value !== 'object' || value === null) return false;
  const { id, source, partition, events } = value as Partial<Envelope>;
  return (
    typeof id === 'string' &&
    typeof source === 'string' &&
    Number.isInteger(partition) &&
    (partition ?? -1) >= 0 &&
    (partition ?? PARTITIONS) < PARTITIONS &&
    Array.isArray(events) &&
    events.every((event) => typeof event?.id === 'string' && typeof event.name === 'string')
  );
}
