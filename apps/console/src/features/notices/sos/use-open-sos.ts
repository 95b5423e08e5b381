import type { Schema } from '@family-watch/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useSession } from '../../../core/session/use-session.js';
import { childrenQuery } from '../../families/queries.js';
import { openSosQuery } from './queries.js';

export interface OpenSos {
  child: Schema<'ChildDto'>;
  sos: Schema<'SosDto'>;
}

/** Returns the unresolved SOS of all children, and whether this is unknown for one of them. */
export function useOpenSos(isConnected: boolean): { open: readonly OpenSos[]; isUnknown: boolean } {
  const session = useSession();
  const children = useQuery(childrenQuery(session));
  const childList = children.data?.childList ?? [];
  const results = useQueries({ queries: childList.map(({ cid }) => openSosQuery(session, cid, isConnected)) });
  const open = childList.flatMap((child, index) => {
    const sos = results[index]?.data;
    return sos ? [{ child, sos }] : [];
  });
  return { open, isUnknown: children.isError || results.some(({ isError }) => isError) };
}
