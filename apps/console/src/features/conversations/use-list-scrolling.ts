import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type RefObject } from 'react';
import { useSession } from '../../core/session/use-session.js';
import type { History } from './history.js';
import { loadEarlier, loadLater } from './queries.js';

/** Distance from the end at which the list still follows new messages. */
export const END_THRESHOLD_PX = 80;
/** Messages are loaded when fewer rows than this are left above or below the visible ones. */
const THRESHOLD_ROWS = 15;

/**
 * Keeps the end of the list visible when the list becomes lower, for example by the keyboard of a phone. Returns the
 * callback for scrolling.
 */
export function useKeepAtEnd(
  scroller: RefObject<HTMLDivElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, Element>,
): () => void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => isAtEnd.current && virtualizer.scrollToEnd());
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, virtualizer]);
  return () => {
    isAtEnd.current = virtualizer.isAtEnd(END_THRESHOLD_PX);
  };
}

/** Loads the messages before the first one when the person scrolls near it. */
export function useEarlierMessages({ earlierCursor }: History, conversationId: string, rowsAbove: number | undefined) {
  const session = useSession();
  const queries = useQueryClient();
  const load = useMutation({ mutationFn: () => loadEarlier(session, conversationId, queries) });
  useNear(earlierCursor ?? undefined, rowsAbove, load);
  return load;
}

/**
 * Loads the messages after the last one of a place when the person scrolls near it.
 * @param lastId - id of the last message; undefined if the newest messages are shown
 */
export function useLaterMessages(lastId: string | undefined, conversationId: string, rowsBelow: number | undefined) {
  const session = useSession();
  const queries = useQueryClient();
  const load = useMutation({ mutationFn: () => loadLater(session, conversationId, queries) });
  useNear(lastId, rowsBelow, load);
  return load;
}

/** @param from - where the next messages begin; undefined if there are none */
function useNear(
  from: string | undefined,
  rowsLeft: number | undefined,
  { mutate, isIdle, isSuccess }: { mutate: () => void; isIdle: boolean; isSuccess: boolean },
): void {
  const isNear = rowsLeft !== undefined && rowsLeft < THRESHOLD_ROWS;
  const isReady = isIdle || isSuccess;
  /** What was loaded last: the end of a request can be rendered before its messages. */
  const begun = useRef<string>(undefined);
  useEffect(() => {
    // After a failure, the person decides when the next attempt is.
    if (!isNear || !isReady || from === undefined || from === begun.current) return;
    begun.current = from;
    mutate();
  }, [isNear, isReady, from, mutate]);
}
