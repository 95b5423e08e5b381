import type { Schema } from '@family-watch/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../../app/session/use-session.js';

/** Acknowledges and resolves an SOS. The page follows the responses of the service, not the click. */
export function useSosActions(cid: string, sosId: string) {
  const { client } = useSession();
  const queries = useQueryClient();
  const onSuccess = async (changed: Schema<'SosDto'>) => {
    queries.setQueryData(['sos', 'open', cid], changed.state === 'RESOLVED' ? null : changed);
    await queries.invalidateQueries({ queryKey: ['sos'] });
  };
  const acknowledge = useMutation({ mutationFn: () => client.sos.acknowledge({ cid, sosId }), onSuccess });
  const resolve = useMutation({ mutationFn: () => client.sos.resolve({ cid, sosId }), onSuccess });
  return { acknowledge, resolve };
}
