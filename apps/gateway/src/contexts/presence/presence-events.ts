import type { DomainEvents } from '@family-watch/domain/events';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import type { Environment } from '@family-watch/platform/config/environment';

/** How long a watch may be silent: twice the interval of heartbeats. Milliseconds. */
export function offlineTimeoutMs({ HEARTBEAT_INTERVAL }: Environment): number {
  return HEARTBEAT_INTERVAL * 2_000;
}

export function didOfPrincipal(watch: PrincipalKey): number {
  return Number(watch.slice('watch:'.length));
}

export function presenceChanged(
  watch: PrincipalKey,
  online: boolean,
  time: number,
  lastSeen: number,
): NewEventOf<DomainEvents, 'gateway.watch.presence-changed'> {
  return {
    name: 'gateway.watch.presence-changed',
    key: watch,
    payload: { did: didOfPrincipal(watch), online, time, lastSeen },
  };
}
