import { ApiError, isRetryable, type Schema } from '@family-watch/client';
import type { Session } from '../../../core/session/session-store.js';

const RETRY_DELAY_MS = 5_000;

interface SosReference {
  readonly cid: string;
  readonly sosId: string;
}

export type Acknowledgement =
  /** The first attempt. */
  | { readonly state: 'SENDING' }
  /** The service does not have it yet; it is repeated. */
  | { readonly state: 'WAITING' }
  | { readonly state: 'REJECTED'; readonly error: unknown };

/**
 * The acknowledgements of SOS calls that the service does not have. Each is repeated until the service has it or rejects
 * it, also by the next page if this one is closed. The service accepts a repetition, and one after the end of the SOS.
 */
export class SosAcknowledgements {
  private acknowledgements: ReadonlyMap<string, Acknowledgement> = new Map();
  private readonly listeners = new Set<() => void>();
  private readonly waiting = new Map<string, SosReference>();
  private readonly inFlight = new Set<string>();

  constructor(
    private readonly session: Pick<Session, 'client' | 'gateway' | 'storage' | 'ended'>,
    private readonly onAccepted: (cid: string, sos: Schema<'SosDto'>) => void,
  ) {
    session.gateway.on('connected', () => {
      for (const sos of this.waiting.values()) void this.send(sos);
    });
    void session.storage.list<SosReference>('sos-acknowledgement').then((stored) => {
      for (const sos of stored) this.repeat(sos);
    });
  }

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };

  readonly get = (): ReadonlyMap<string, Acknowledgement> => this.acknowledgements;

  acknowledge(sos: SosReference): void {
    // Without storage, it is repeated until the page is closed.
    this.session.storage.set('sos-acknowledgement', sos.sosId, sos).catch(() => undefined);
    this.set(sos.sosId, { state: 'SENDING' });
    void this.send(sos);
  }

  private repeat(sos: SosReference): void {
    this.waiting.set(sos.sosId, sos);
    this.set(sos.sosId, { state: 'WAITING' });
    void this.send(sos);
  }

  private async send(sos: SosReference): Promise<void> {
    const { sosId } = sos;
    const { client, storage, ended } = this.session;
    if (this.inFlight.has(sosId) || ended.aborted) return;
    this.inFlight.add(sosId);
    try {
      const acknowledged = await client.sos.acknowledge(sos);
      this.onAccepted(sos.cid, acknowledged);
      this.set(sosId, undefined);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500 || isRetryable(error)) {
        this.waiting.set(sosId, sos);
        this.set(sosId, { state: 'WAITING' });
        setTimeout(() => this.waiting.has(sosId) && void this.send(sos), RETRY_DELAY_MS);
        return;
      }
      this.set(sosId, { state: 'REJECTED', error });
    } finally {
      this.inFlight.delete(sosId);
    }
    this.waiting.delete(sosId);
    await storage.delete('sos-acknowledgement', sosId);
  }

  private set(sosId: string, acknowledgement: Acknowledgement | undefined): void {
    const changed = new Map(this.acknowledgements);
    if (acknowledgement) changed.set(sosId, acknowledgement);
    else changed.delete(sosId);
    this.acknowledgements = changed;
    for (const listener of this.listeners) listener();
  }
}
