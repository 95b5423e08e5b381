import { createContext } from 'react';

/** The connection of the page to the service. */
export interface Connection {
  readonly isConnected: boolean;
  /** When the page was connected last, in Unix milliseconds; undefined if it never was, or is. */
  readonly connectedAt?: number | undefined;
}

export const ConnectionContext = createContext<Connection>({ isConnected: true });
