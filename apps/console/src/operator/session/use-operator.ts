import { createContext, useContext, useSyncExternalStore } from 'react';
import {
  operatorSessionStore,
  type OperatorRole,
  type OperatorSession,
  type OperatorState,
} from './operator-session.js';

export function useOperatorState(): OperatorState {
  return useSyncExternalStore(operatorSessionStore.subscribe, operatorSessionStore.get);
}

export const OperatorContext = createContext<OperatorSession | undefined>(undefined);

/** Returns the session of the signed-in operator; only for parts of the page that `OperatorShell` contains. */
export function useOperator(): OperatorSession {
  const session = useContext(OperatorContext);
  if (!session) throw new Error('useOperator outside of a session');
  return session;
}

/** Returns whether the operator has one of the roles. ADMIN may do everything. */
export function hasRole({ roles }: OperatorSession, ...permitted: readonly OperatorRole[]): boolean {
  return roles.some((role) => role === 'ADMIN' || permitted.includes(role));
}
