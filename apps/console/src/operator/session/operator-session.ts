import { createClient, type AccessToken, type FamilyWatchClient, type Schema } from '@family-watch/client';

export type OperatorRole = 'SUPPORT' | 'FLEET' | 'BILLING' | 'ADMIN';

/** What the browser keeps for a tab until the session ends: the token of an hour, which nothing extends. */
interface StoredSession {
  readonly operatorId: string;
  readonly loginName: string;
  /** Roles at the sign-in; the service decides about each request. */
  readonly roles: readonly OperatorRole[];
  readonly accessToken: string;
  /** Unix milliseconds, by the clock of this machine. */
  readonly expiresAt: number;
}

/** A signed-in operator. */
export interface OperatorSession extends Omit<StoredSession, 'accessToken'> {
  readonly client: FamilyWatchClient['operators'];
}

export type OperatorState =
  /** `hasEnded`: the session ended by itself, and the operator did not sign out. */
  | { readonly status: 'signed-out'; readonly hasEnded: boolean }
  | { readonly status: 'signed-in'; readonly session: OperatorSession };

const STORED_SESSION = 'family-watch.operator-session';
/** Proves at the next sign-in that the operator has signed in with this browser; it gives no access. */
const STORED_DEVICE_TOKEN = 'family-watch.operator-device-token';
const SERVICE_URL = location.origin;

/** A client for the sign-in, which needs no token. */
const anonymousOperators = createClient({ url: SERVICE_URL }).operators;

/**
 * The session of the operator in this tab, apart from that of a parent: it shares neither token nor data with it. The
 * token is in the storage of the tab, which ends with it, so that a reload needs no further code.
 */
class OperatorSessionStore {
  private state: OperatorState = { status: 'signed-out', hasEnded: false };
  private readonly listeners = new Set<() => void>();
  private expiry: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const stored = readStoredSession();
    if (stored) this.start(stored);
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = (): OperatorState => this.state;

  /** @param request - `code`: of the authenticator app, or a recovery code @throws ApiError, NetworkError */
  async signIn(request: Pick<Schema<'OperatorSignInDto'>, 'loginName' | 'password' | 'code'>): Promise<void> {
    const deviceToken = localStorage.getItem(STORED_DEVICE_TOKEN) ?? undefined;
    const issued = await anonymousOperators.signIn({ ...request, deviceToken });
    localStorage.setItem(STORED_DEVICE_TOKEN, issued.deviceToken);
    const session: StoredSession = {
      operatorId: issued.operatorId,
      loginName: request.loginName,
      roles: issued.roles as OperatorRole[],
      accessToken: issued.accessToken,
      expiresAt: Date.now() + issued.expiresIn * 1_000,
    };
    sessionStorage.setItem(STORED_SESSION, JSON.stringify(session));
    this.start(session);
  }

  /** Ends the session. @throws NetworkError if the service cannot be reached: its session would continue */
  async signOut(): Promise<void> {
    if (this.state.status !== 'signed-in') return;
    await this.state.session.client.signOut();
    this.end(false);
  }

  end(hasEnded: boolean): void {
    clearTimeout(this.expiry);
    sessionStorage.removeItem(STORED_SESSION);
    this.set({ status: 'signed-out', hasEnded });
  }

  private start({ accessToken, ...session }: StoredSession): void {
    const { expiresAt } = session;
    const token: AccessToken = { token: accessToken, expiresAt, ttlMs: expiresAt - Date.now() };
    const tokens = {
      get: () => Promise.resolve(token),
      // The service has rejected the only token, which cannot be renewed. The request fails like the first one.
      refresh: () => {
        if (this.state.status === 'signed-in' && this.state.session.expiresAt === expiresAt) this.end(true);
        return Promise.resolve(token);
      },
    };
    this.expiry = setTimeout(() => this.end(true), token.ttlMs);
    const client = createClient({ url: SERVICE_URL, tokens }).operators;
    this.set({ status: 'signed-in', session: { ...session, client } });
  }

  private set(state: OperatorState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

export const operatorSessionStore = new OperatorSessionStore();

function readStoredSession(): StoredSession | undefined {
  const stored = sessionStorage.getItem(STORED_SESSION);
  const session = stored === null ? undefined : (JSON.parse(stored) as StoredSession);
  return session && session.expiresAt > Date.now() ? session : undefined;
}
