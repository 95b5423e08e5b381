import {
  ApiError,
  createClient,
  GatewayClient,
  isRetryable,
  NetworkError,
  restoreUserSession,
  userSession,
  type FamilyWatchClient,
  type SessionTokens,
} from '@family-watch/client';
import { readLastKnownData, type LastKnownData } from './last-known-data.js';
import { forgetPerson, PersonStorage } from './person-storage.js';

/** A signed-in person. */
export interface Session {
  readonly userId: string;
  readonly client: FamilyWatchClient;
  readonly gateway: GatewayClient;
  readonly storage: PersonStorage;
  /** Aborted at the end of the session. */
  readonly ended: AbortSignal;
  /** What an earlier page knew. */
  readonly lastKnown?: LastKnownData | undefined;
  /** Whether the page began without a connection, and shows what an earlier one knew. */
  readonly beganOffline: boolean;
}

export type SessionState =
  /** `error` is why the last attempt failed; another one follows. */
  | { readonly status: 'restoring'; readonly error?: unknown }
  | { readonly status: 'signed-out'; readonly hasEnded: boolean }
  | { readonly status: 'signed-in'; readonly session: Session };

export type IssuedSession = SessionTokens & { readonly userId: string; readonly deviceToken: string };

/** Proves at the next sign-in that the account was used in this browser; it gives no access. */
const STORED_DEVICE_TOKEN = 'family-watch.device-token';
/** Tells that the cookie has a session: the id of the person, or `SIGNING_OUT` after a sign-out without connection. */
const STORED_SESSION_MARK = 'family-watch.session';
const SIGNING_OUT = 'signing-out';
const RESTORE_RETRY_MS = 3_000;
/** How long a start waits for the service if the page can show what it knew last. */
const MAX_START_DELAY_MS = 4_000;
const SERVICE_URL = location.origin;

/** A client for operations that need no sign-in. */
export const anonymousClient = createClient({ url: SERVICE_URL });

/**
 * The session of this page. The access token stays in memory, and the refresh token is in a cookie that scripts cannot
 * read: nothing that gives access is where a script could copy it.
 */
class SessionStore {
  private state: SessionState = { status: 'restoring' };
  private readonly listeners = new Set<() => void>();
  private restoration?: Promise<void>;
  private ending = new AbortController();

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = (): SessionState => this.state;

  get deviceToken(): string | undefined {
    return localStorage.getItem(STORED_DEVICE_TOKEN) ?? undefined;
  }

  /** Continues the session from before a reload. Resolves when the person is signed in or signed out. */
  restore(): Promise<void> {
    this.restoration ??= this.restoreOnce();
    return this.restoration;
  }

  /** Begins the session that a sign-in or sign-up with `refreshTokenCookie` has created. */
  begin(issued: IssuedSession, lastKnown?: LastKnownData): void {
    localStorage.setItem(STORED_DEVICE_TOKEN, issued.deviceToken);
    localStorage.setItem(STORED_SESSION_MARK, issued.userId);
    this.start(issued, lastKnown, false);
  }

  private start(
    issued: SessionTokens & { readonly userId: string },
    lastKnown: LastKnownData | undefined,
    beganOffline: boolean,
  ): void {
    const tokens = userSession(anonymousClient, issued, { onEnded: () => this.end(true) });
    const client = createClient({ url: SERVICE_URL, tokens });
    const gateway = new GatewayClient({ url: SERVICE_URL, tokens });
    gateway.on('closed', () => this.end(true));
    this.ending = new AbortController();
    const { userId } = issued;
    const { signal: ended } = this.ending;
    const storage = new PersonStorage(userId, ended);
    this.set({ status: 'signed-in', session: { userId, client, gateway, storage, ended, lastKnown, beganOffline } });
    gateway.start();
  }

  async signOut(): Promise<void> {
    if (this.state.status !== 'signed-in') return;
    const { client, gateway, userId } = this.state.session;
    // The service closes the socket, which would look like the end of a session on another device.
    gateway.stop();
    const isSignedOut = await client.accounts.signOut().then(
      () => true,
      (error: unknown) => !isRetryable(error),
    );
    // If the service cannot be reached, the next visit completes the sign-out.
    if (!isSignedOut) localStorage.setItem(STORED_SESSION_MARK, SIGNING_OUT);
    this.end(false);
    await forgetPerson(userId);
  }

  private async restoreOnce(): Promise<void> {
    const mark = localStorage.getItem(STORED_SESSION_MARK);
    if (mark === null) this.end(false);
    const userId = mark === null || mark === SIGNING_OUT ? undefined : mark;
    const lastKnown = userId === undefined ? undefined : await readLastKnownData(userId);
    while (this.state.status === 'restoring') {
      try {
        const restored = restoreUserSession(anonymousClient);
        const issued = await (lastKnown ? Promise.race([restored, timeout()]) : restored);
        // Another person may have signed in in another tab.
        this.begin(issued, issued.userId === userId ? lastKnown : undefined);
        if (mark === SIGNING_OUT) await this.signOut();
      } catch (error) {
        if (isRefused(error)) {
          localStorage.removeItem(STORED_SESSION_MARK);
          if (userId) await forgetPerson(userId, 'last-known-data');
          this.end(mark !== SIGNING_OUT);
          return;
        }
        if (userId && lastKnown) {
          // Without an access token: the first request with a connection gets one, or ends the session.
          this.start({ userId, accessToken: '', expiresIn: 0 }, lastKnown, true);
          return;
        }
        this.set({ status: 'restoring', error });
        await new Promise((resolve) => setTimeout(resolve, RESTORE_RETRY_MS));
      }
    }
  }

  private end(hasEnded: boolean): void {
    if (this.state.status === 'signed-in') {
      const { gateway, userId } = this.state.session;
      gateway.stop();
      this.ending.abort();
      if (hasEnded) void forgetPerson(userId, 'last-known-data');
      // Another tab may have signed in another person, whose session continues.
      if (localStorage.getItem(STORED_SESSION_MARK) === userId) localStorage.removeItem(STORED_SESSION_MARK);
    }
    this.set({ status: 'signed-out', hasEnded });
  }

  private set(state: SessionState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

export const sessionStore = new SessionStore();

function timeout(): Promise<never> {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new NetworkError('The service does not respond')), MAX_START_DELAY_MS),
  );
}

/** Returns whether the service has decided, so that repeating the request would not help. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && !isRetryable(error);
}
