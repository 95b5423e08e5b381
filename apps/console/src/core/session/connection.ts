import { createContext } from 'react';

/** The connection of the page to the service. */
export interface Connection {
  readonly isConnected: boolean;
  /** When the page was connected before, in Unix milliseconds; undefined if it never lost the connection. */
  readonly connectedAt?: number | undefined;
}

export const ConnectionContext = createContext<Connection>({ isConnected: true });
