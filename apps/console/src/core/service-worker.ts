/** The person who wants notifications in this browser: another person who signs in here does not get them unasked. */
const STORED_PUSH_USER = 'family-watch.push-user';

export function pushUser(): string | null {
  return localStorage.getItem(STORED_PUSH_USER);
}

export function setPushUser(userId: string | null): void {
  if (userId === null) localStorage.removeItem(STORED_PUSH_USER);
  else localStorage.setItem(STORED_PUSH_USER, userId);
}

/**
 * Registers the worker that opens the console without a connection and shows notifications. It knows its language, and
 * the person who wants notifications, from its URL.
 */
export function registerServiceWorker(language: string, userId = pushUser()): Promise<ServiceWorkerRegistration> {
  const parameters = new URLSearchParams({ language, ...(userId !== null && { user: userId }) });
  return navigator.serviceWorker.register(`/service-worker.js?${parameters}`);
}
