import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { Session } from '../../app/session/session-store.js';
import { useLanguage } from '../../app/texts.js';
import { registerWorker } from './push-registration.js';
import { pushRegistrationQuery } from './queries.js';

/** Keeps notifications of this browser registered, in the language of the page, and opens their pages. */
export function usePush(session: Session): void {
  const [language] = useLanguage();
  const navigate = useNavigate();
  const { data } = useQuery(pushRegistrationQuery(session));
  const isOn = data?.status === 'on';
  useEffect(() => {
    // Without the worker, notifications stay in the earlier language; the next page tries again.
    if (isOn) registerWorker(session, language).catch(() => undefined);
  }, [isOn, language, session]);
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return;
    const openPage = ({ data: message }: MessageEvent<{ page?: unknown } | undefined>) => {
      if (typeof message?.page === 'string') void navigate({ to: message.page });
    };
    navigator.serviceWorker.addEventListener('message', openPage);
    return () => navigator.serviceWorker.removeEventListener('message', openPage);
  }, [navigate]);
}
