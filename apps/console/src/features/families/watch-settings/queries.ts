import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../../core/session/session-store.js';

/** Interval of the requests while a command is open: the service notifies only the watch about commands. */
const COMMAND_INTERVAL_MS = 2_000;

/** States of a command that can still change. */
const OPEN_COMMAND_STATES: readonly Schema<'CommandDto'>['state'][] = ['QUEUED', 'SENT', 'ACKED'];

export function contactsQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['contacts', did],
    queryFn: ({ signal }) => client.contacts.list({ deviceId: did }, { signal }),
  });
}

export function friendsQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['friends', did],
    queryFn: ({ signal }) => client.friends.list({ did }, { signal }),
  });
}

export function alarmClocksQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['alarm-clocks', did],
    queryFn: ({ signal }) => client.alarmClocks.list({ did }, { signal }),
  });
}

export function schoolTimesQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['school-times', did],
    queryFn: ({ signal }) => client.schoolTimes.list({ did }, { signal }),
  });
}

export function earlyExitsQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['school-times', 'early-exits', did],
    queryFn: ({ signal }) => client.schoolTimes.listEarlyExits({ did, limit: 20 }, { signal }),
    // No message announces an early exit.
    staleTime: 0,
  });
}

export function strangerRuleQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['strangers', 'rule', did],
    queryFn: ({ signal }) => client.strangers.getRule({ did }, { signal }),
  });
}

export function blockedCallsQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['strangers', 'blocked-calls', did],
    queryFn: ({ signal }) => client.strangers.listBlockedCalls({ did, limit: 50 }, { signal }),
    // No message announces a blocked call.
    staleTime: 0,
  });
}

export function deviceSettingsQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['watch-settings', did],
    queryFn: ({ signal }) => client.watches.getSettings({ did }, { signal }),
  });
}

export function commandsQuery({ client }: Session, did: number) {
  return queryOptions({
    queryKey: ['remote-control', did],
    queryFn: ({ signal }) => client.remoteControl.list({ did, limit: 20 }, { signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => OPEN_COMMAND_STATES.includes(state)) ? COMMAND_INTERVAL_MS : false,
  });
}
