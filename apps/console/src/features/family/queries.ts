import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../app/session/session-store.js';

export function profileQuery({ client }: Session) {
  return queryOptions({
    queryKey: ['profile'],
    queryFn: ({ signal }) => client.accounts.getProfile(undefined, { signal }),
  });
}
