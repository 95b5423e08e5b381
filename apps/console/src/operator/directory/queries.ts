import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { OperatorSession } from '../session/operator-session.js';
import { pagedQuery } from '../../core/paged-query.js';
import { filtersOf } from '../shared/filters.js';

export type Account = Schema<'AccountStateDto'>;
export type Family = Schema<'FamilyStateDto'>;
export type Delivery = Schema<'PrincipalDeliveryDto'>;

export const ACCOUNT_STATES = ['ACTIVE', 'SUSPENDED'] as const;
export type AccountStateName = (typeof ACCOUNT_STATES)[number];
export const FAMILY_STATES = ['ACTIVE', 'DISSOLVED'] as const;
export type FamilyStateName = (typeof FAMILY_STATES)[number];

export const OWNER = 1;
export const GUARDIAN = 2;
export const CAREGIVER = 3;

export function accountsQuery({ client }: OperatorSession, state: '' | AccountStateName) {
  return pagedQuery(['accounts', state], (page, options) =>
    client.listAccountStates({ ...filtersOf({ state }), ...page }, options),
  );
}

/** Null if there is no such account. */
export function accountQuery({ client }: OperatorSession, userId: string) {
  return queryOptions({
    queryKey: ['account', userId],
    queryFn: async ({ signal }) => (await client.listAccountStates({ userId }, { signal })).items[0] ?? null,
  });
}

export function familiesQuery({ client }: OperatorSession, state: '' | FamilyStateName) {
  return pagedQuery(['families', state], (page, options) =>
    client.listFamilyStates({ ...filtersOf({ state }), ...page }, options),
  );
}

/** Null if there is no such family. */
export function familyQuery({ client }: OperatorSession, familyId: string) {
  return queryOptions({
    queryKey: ['family', familyId],
    queryFn: async ({ signal }) => (await client.listFamilyStates({ familyId }, { signal })).items[0] ?? null,
  });
}

/** Whose deliveries are diagnosed. */
export type DeliverySubject = { familyId: string } | { userId: string } | { did: number };

export function deliveriesQuery({ client }: OperatorSession, subject: DeliverySubject) {
  return queryOptions({
    queryKey: ['deliveries', subject],
    queryFn: ({ signal }) => client.getDeliveries(subject, { signal }),
  });
}
