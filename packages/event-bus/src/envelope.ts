import { createHash } from 'node:crypto';
import type { DomainEvent } from '@family-watch/domain/kernel/contracts/domain-event';
import { PARTITIONS } from './partition.js';

/** Events of one app and one partition that travel as one message, in order. */
export interface Envelope {
  /** Made from the ids of all events: the same events in the same grouping are the same message. */
  id: string;
  /** App whose outbox the events come from. */
  source: string;
  partition: number;
  events: DomainEvent[];
}

export const MAX_ENVELOPE_EVENTS = 100;

/** NATS takes 1 MiB per message unless told otherwise; this leaves room for ids, names and keys. */
const MAX_ENVELOPE_PAYLOAD_BYTES = 512 * 1024;

/** A hundred ids and a location fit many times over. */
export const MAX_EVENT_PAYLOAD_BYTES = 32 * 1024;

export function createEnvelope(source: string, partition: number, events: DomainEvent[]): Envelope {
  const ids = events.map((event) => event.id).join(',');
  return { id: createHash('sha256').update(ids).digest('base64url'), source, partition, events };
}

/** How many of the leading payloads (sizes in bytes) fit in one envelope; at least one. */
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

/** Reads an envelope from its JSON text. Throws if the text is not one. */
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
