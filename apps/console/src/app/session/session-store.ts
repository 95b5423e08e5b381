import { createClient, GatewayClient, userSession } from '@family-watch/client';
import type { FamilyWatchClient, SessionTokens } from '@family-watch/client';

/** A signed-in person. */
export interface Session {
  readonly userId: string;
  readonly client: FamilyWatchClient;
  readonly gateway: GatewayClient;
}

export type SessionState =
  | { readonly status: 'restoring' }
  | { readonly status: 'signed-out'; readonly hasEnded: boolean }
  | { readonly status: 'signed-in'; readonly session: Session };

export type IssuedSession = SessionTokens & { readonly userId: string; readonly deviceToken: string };

/** Proves at the next sign-in that the account was used in this browser; it gives no access. */
const STORED_DEVICE_TOKEN = 'family-watch.device-token';
const SERVICE_URL = location.origin;

/** A client for operations that need no sign-in. */
export const anonymousClient = createClient({ url: SERVICE_URL });

/**
 * The session of this page. Access and refresh token stay in memory: nothing that gives access is where a script of
 * another page could read it later.
 */
class SessionStore {
  private state: SessionState = { status: 'signed-out', hasEnded: false };
  private readonly listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = (): SessionState => this.state;

  get deviceToken(): string | undefined {
    return localStorage.getItem(STORED_DEVICE_TOKEN) ?? undefined;
  }

  /** Begins the session that a sign-in or sign-up has created. */
  begin(issued: IssuedSession): void {
    localStorage.setItem(STORED_DEVICE_TOKEN, issued.deviceToken);
    const tokens = userSession(anonymousClient, issued, { onEnded: () => this.end(true) });
    const client = createClient({ url: SERVICE_URL, tokens });
    const gateway = new GatewayClient({ url: SERVICE_URL, tokens });
    gateway.on('closed', () => this.end(true));
    this.set({ status: 'signed-in', session: { userId: issued.userId, client, gateway } });
    gateway.start();
  }

  async signOut(): Promise<void> {
    if (this.state.status !== 'signed-in') return;
    // If the service cannot be reached, the session ends there when its refresh token expires.
    await this.state.session.client.accounts.signOut().catch(() => undefined);
    this.end(false);
  }

  private end(hasEnded: boolean): void {
    if (this.state.status === 'signed-in') this.state.session.gateway.stop();
    this.set({ status: 'signed-out', hasEnded });
  }

  private set(state: SessionState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

export const sessionStore = new SessionStore();
