import type { DomainEvents } from '@family-watch/domain/events';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import type { NewEventOf } from '@family-watch/event-bus/event-map';
import type { Environment } from '@family-watch/platform/config/environment';

/** Returns how long a watch may send nothing before it is offline: twice the heartbeat interval. Milliseconds. */
export function offlineTimeoutMs({ HEARTBEAT_INTERVAL }: Environment): number {
  return HEARTBEAT_INTERVAL * 2_000;
}

export function didOfPrincipal(watch: PrincipalKey): number {
  return Number(watch.slice('watch:'.length));
}

export function createPresenceChangedEvent(
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
