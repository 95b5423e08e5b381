import type { Schema } from '@family-watch/client';
import { queryOptions } from '@tanstack/react-query';
import type { OperatorSession } from '../session/operator-session.js';
import { pagedQuery } from '../../core/paged-query.js';
import { filtersOf } from '../shared/filters.js';

export type AppStatus = Schema<'AppStatusDto'>;
export type DeadLetter = Schema<'DeadLetterDto'>;

export const APPS = ['userctx', 'mcdisk', 'gateway'] as const;
export type AppName = (typeof APPS)[number];

/** Maximum number of dead letters that one request changes. */
export const MAX_CHANGED = 100;

export function statusQuery({ client }: OperatorSession) {
  return queryOptions({
    queryKey: ['event-bus'],
    queryFn: ({ signal }) => client.getEventBusStatus(undefined, { signal }),
  });
}

export function deadLettersQuery({ client }: OperatorSession, app: AppName, handler: string) {
  return pagedQuery(['dead-letters', app, handler], (page, options) =>
    client.listDeadLetters({ app, ...filtersOf({ handler }), ...page }, options),
  );
}
