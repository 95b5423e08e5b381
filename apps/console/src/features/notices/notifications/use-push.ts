import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Session } from '../../../core/session/session-store.js';
import { pushRegistrationQuery } from './queries.js';

/** Keeps notifications of this browser registered for the session, and opens their pages. */
export function usePush(session: Session): void {
  const navigate = useNavigate();
  useQuery(pushRegistrationQuery(session));
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return;
    const openPage = ({ data: message }: MessageEvent<{ page?: unknown } | undefined>) => {
      if (typeof message?.page === 'string') void navigate({ to: message.page });
    };
    navigator.serviceWorker.addEventListener('message', openPage);
    return () => navigator.serviceWorker.removeEventListener('message', openPage);
  }, [navigate]);
}
