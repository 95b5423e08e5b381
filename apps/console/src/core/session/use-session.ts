import { createContext, useContext, useSyncExternalStore } from 'react';
import { sessionStore, type Session, type SessionState } from './session-store.js';

export function useSessionState(): SessionState {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.get);
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session of the signed-in person; only for parts of the page that `AppShell` contains. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession outside of a session');
  return session;
}
