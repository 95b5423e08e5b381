import type { MessagesFrame } from '@family-watch/domain/messages/contracts/message-kinds';
import { counter, DELAY_BUCKETS, gauge, histogram } from '@family-watch/platform/observability/instruments';

/** Metrics of the sockets of this process. */
export const SOCKET_CONNECTIONS = gauge('socket_connections', 'Open connections of clients.', ['app', 'principal']);
export const SOCKET_UNSENT_MESSAGES = gauge(
  'socket_unsent_messages',
  'Messages in the mailboxes of connected clients that this process knows of and has not sent.',
  ['app'],
);

/** Refused handshakes by the reason of the error catalogue. */
export const REFUSED_HANDSHAKES = counter('socket_refused_handshakes_total', 'Handshakes that were refused.', [
  'app',
  'reason',
]);

const EVENT_DURATION = histogram('socket_event_duration_seconds', 'Duration of the events of clients.', [
  'app',
  'event',
  'outcome',
]);
const FRAMES = counter('socket_frames_total', 'Frames with messages that were sent to clients.', ['app']).labels(
  'gateway',
);
const MESSAGES = counter('socket_messages_total', 'Messages that were sent to clients.', ['app']).labels('gateway');
const DELIVERY_DELAY = histogram(
  'message_delivery_delay_seconds',
  'Time from storing a message until it is sent to a client that was connected when it was stored.',
  ['app'],
  DELAY_BUCKETS,
).labels('gateway');

/** Meter of the events with one name. A rejected event is the client's error, a failed event the service's. */
export type EventMeter = Readonly<Record<'ok' | 'rejected' | 'failed', { observe(seconds: number): void }>>;

/** @param event - name of a declared event, or `unknown`: never a name that a client chose */
export function eventMeterOf(event: string): EventMeter {
  return {
    ok: EVENT_DURATION.labels('gateway', event, 'ok'),
    rejected: EVENT_DURATION.labels('gateway', event, 'rejected'),
    failed: EVENT_DURATION.labels('gateway', event, 'failed'),
  };
}

/**
 * Counts a frame, and measures the delay of its first message.
 *
 * @param connectedAt - when the client connected, Unix milliseconds
 */
export function recordFrame({ messages }: MessagesFrame, connectedAt: number): void {
  FRAMES.inc();
  MESSAGES.inc(messages.length);
  const [first] = messages;
  if (first?.seq === undefined || first.time < connectedAt) return;
  DELIVERY_DELAY.observe(Math.max(0, Date.now() - first.time) / 1_000);
}
