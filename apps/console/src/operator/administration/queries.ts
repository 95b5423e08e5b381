import type { Schema } from '@family-watch/client';
import type { OperatorSession } from '../session/operator-session.js';
import { pagedQuery } from '../../core/paged-query.js';
import { filtersOf } from '../shared/filters.js';

export type OperatorAccount = Schema<'OperatorDto'>;

export function operatorsQuery({ client }: OperatorSession) {
  return pagedQuery(['operators'], (page, options) => client.list(page, options));
}

/** @param actor - `operator:<id>` or `command-line`; all actors if empty */
export function auditQuery({ client }: OperatorSession, actor: string) {
  return pagedQuery(['audit', actor], (page, options) =>
    client.listAuditEntries({ ...filtersOf({ actor }), ...page }, options),
  );
}
