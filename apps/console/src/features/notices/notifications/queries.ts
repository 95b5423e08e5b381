import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../../core/session/session-store.js';
import { renewPushRegistration } from './push-registration.js';

export type Preferences = Schema<'SubscriptionDto'>;
export type CategoryPreference = Preferences['categories'][number];
export type QuietHours = NonNullable<Preferences['quietHours']>;

export function preferencesQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['notifications', 'preferences'],
    queryFn: ({ signal }) => client.notifications.getSubscription(undefined, { signal }),
  });
}

/** Whether this browser gets notifications. A registration of an earlier session is renewed for this session. */
export function pushRegistrationQuery(session: Session) {
  return queryOptions({
    queryKey: ['notifications', 'push'],
    queryFn: () => renewPushRegistration(session),
    staleTime: Infinity,
  });
}
