import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../../core/session/session-store.js';

/** Days of steps that the page of a child shows. */
const STEP_DAYS = 7;

/** The steps of the last days, newest first, and the goal. */
export function stepsQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['children', 'steps', cid],
    queryFn: ({ signal }) => client.children.listSteps({ cid, limit: STEP_DAYS }, { signal }),
  });
}
