import type { Schema } from '@family-watch/client';
import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { Session } from '../../../core/session/session-store.js';
import { useSession } from '../../../core/session/use-session.js';
import { SosAcknowledgements, type Acknowledgement } from './sos-acknowledgements.js';

const bySession = new WeakMap<Session, SosAcknowledgements>();

/** Returns the acknowledgements of the session, which begin to send what an earlier page could not send. */
export function useAcknowledgements(): SosAcknowledgements {
  const session = useSession();
  const queries = useQueryClient();
  const existing = bySession.get(session);
  if (existing) return existing;
  const created = new SosAcknowledgements(session, (cid, sos) => void showChange(queries, cid, sos));
  bySession.set(session, created);
  return created;
}

/** Acknowledges and resolves an SOS. The page follows the responses of the service, not the click. */
export function useSosActions(cid: string, sosId: string) {
  const { client } = useSession();
  const queries = useQueryClient();
  const acknowledgements = useAcknowledgements();
  const acknowledgement: Acknowledgement | undefined = useSyncExternalStore(
    acknowledgements.subscribe,
    acknowledgements.get,
  ).get(sosId);
  const resolve = useMutation({
    mutationFn: () => client.sos.resolve({ cid, sosId }),
    onSuccess: (resolved) => showChange(queries, cid, resolved),
  });
  return { acknowledge: () => acknowledgements.acknowledge({ cid, sosId }), acknowledgement, resolve };
}

async function showChange(queries: QueryClient, cid: string, changed: Schema<'SosDto'>): Promise<void> {
  queries.setQueryData(['sos', 'open', cid], changed.state === 'RESOLVED' ? null : changed);
  await queries.invalidateQueries({ queryKey: ['sos'] });
}
