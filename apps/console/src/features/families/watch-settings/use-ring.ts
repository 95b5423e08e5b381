import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSession } from '../../../core/session/use-session.js';

/** Lets a watch ring, so that it is found. */
export function useRing(did: number) {
  const { client } = useSession();
  const queries = useQueryClient();
  // One key per command: a repetition after a lost response is the same command, the next click is another one.
  const [key, setKey] = useState(() => crypto.randomUUID());
  return useMutation({
    mutationFn: () => client.remoteControl.find({ did }, { idempotencyKey: key }),
    onSuccess: () => setKey(crypto.randomUUID()),
    onSettled: () => queries.invalidateQueries({ queryKey: ['remote-control', did] }),
  });
}
