import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../core/session/use-session.js';
import { OnlineState } from '../families/children/child-state.js';
import { watchesQuery } from '../families/queries.js';
import type { Conversation } from './queries.js';

/** Whether the state is still true is asked this often while a conversation is open. */
const REFRESH_MS = 30_000;

/** Whether the watch of the child is connected; nothing in a group, and for those who may not see the watch. */
export function OtherSideState({ conversation: { type, members } }: { conversation: Conversation }) {
  const { data } = useQuery({ ...watchesQuery(useSession()), refetchInterval: REFRESH_MS });
  const child = members.find(({ cid }) => cid !== null);
  const watch = type === 'DIRECT' ? data?.items.find(({ cid }) => cid === child?.cid) : undefined;
  return watch && <OnlineState watch={watch} />;
}
