import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Session } from '../core/session/session-store.js';
import { unreadQuery } from '../features/notices/message-center/queries.js';

const NAME = 'Family Watch';

/**
 * Makes the heading of the page the title of the browser's tab, after the number of unread messages, and puts the focus
 * on it after a navigation, so that a screen reader says where the person is.
 */
export function usePageHeading(session: Session): void {
  const router = useRouter();
  const { data: unread = 0 } = useQuery(unreadQuery(session));
  useEffect(() => {
    const showTitle = () => {
      const heading = findHeading()?.textContent;
      const title = heading ? `${heading} · ${NAME}` : NAME;
      document.title = unread > 0 ? `(${unread}) ${title}` : title;
    };
    showTitle();
    // Headings come with the code of their page, and change with names and the language.
    const observer = new MutationObserver(showTitle);
    observer.observe(document.body, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      document.title = NAME;
    };
  }, [unread]);
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (pathChanged && fromLocation && !isTyping()) focusHeading();
      }),
    [router],
  );
}

/** Focuses the heading without an outline: it is no control. */
export function focusHeading(): void {
  const heading = findHeading();
  if (!heading) return;
  heading.tabIndex = -1;
  heading.style.outline = 'none';
  heading.focus({ preventScroll: true });
}

/** The last one: an alarm lies over the page. */
function findHeading(): HTMLElement | undefined {
  return [...document.querySelectorAll('h1')].at(-1);
}

function isTyping(): boolean {
  return document.activeElement instanceof HTMLInputElement || document.activeElement instanceof HTMLTextAreaElement;
}
