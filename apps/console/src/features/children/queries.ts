import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

/** The children that the person may see, each with its watch and last location. */
export function childrenQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['children', 'list'],
    queryFn: ({ signal }) => client.children.list(undefined, { signal }),
  });
}

/** The bound watches of the families, with what they last reported. */
export function watchesQuery({ client }: Session) {
  return queryOptions({ queryKey: ['watches', 'list'], queryFn: ({ signal }) => client.watches.list({}, { signal }) });
}

/** What the family has entered about a child. */
export function childDetailQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['children', 'detail', cid],
    queryFn: ({ signal }) => client.children.get({ cid }, { signal }),
  });
}

/** Days of steps that the page of a child shows. */
const STEP_DAYS = 7;

/** The steps of the last days, newest first, and the goal. */
export function stepsQuery({ client }: Session, cid: string) {
  return queryOptions({
    queryKey: ['children', 'steps', cid],
    queryFn: ({ signal }) => client.children.listSteps({ cid, limit: STEP_DAYS }, { signal }),
  });
}
