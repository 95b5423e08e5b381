import { Inject, Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import type { EventResponse } from '@family-watch/domain/messages/contracts/socket-events';
import type { Clock } from '@family-watch/event-bus/clock';
import { runAs } from '@family-watch/platform/process/work-priority';
import { CLOCK } from '../../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService } from '../projections/connected-families.service.js';
import { ClientEventRegistry } from './client-event.registry.js';
import type { ClientEventHandler } from './client-event.registry.js';
import { blockEventsUntil } from './client-session.js';
import type { ClientSession } from './client-session.js';
import { toErrorResponse, toServiceError } from './error-response.js';

type Respond = (response: EventResponse) => void;

/** Buffered bytes above which no further response is written; with one more frame, the buffer stays below 1 MiB. */
const MAX_UNREAD_BYTES = 640 * 1_024;

/** Processes every client event: rate limit, sender check, payload validation, handler. Every event gets a response. */
@Injectable()
export class ClientEventDispatcherService {
  private readonly logger = new Logger(ClientEventDispatcherService.name);

  constructor(
    private readonly events: ClientEventRegistry,
    private readonly families: ConnectedFamiliesService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * `parts` are the arguments after the event's name: the payload and, if the client requests a response, the callback.
   */
  dispatch(session: ClientSession, event: string, parts: readonly unknown[]): void {
    const last = parts.at(-1);
    const sendResponse = typeof last === 'function' ? (last as Respond) : undefined;
    const payload = parts.length > (sendResponse ? 1 : 0) ? parts[0] : {};
    try {
      runAs('caller', () => this.handle(session, event, binaryToNull(payload))).then(
        (result) => this.respond(session, sendResponse, { ok: true, time: this.clock.now(), ...result }),
        (thrown: unknown) => this.reject(session, sendResponse, thrown),
      );
    } catch (thrown) {
      this.reject(session, sendResponse, thrown);
    }
  }

  private reject(session: ClientSession, sendResponse: Respond | undefined, thrown: unknown): void {
    const error = toServiceError(thrown);
    if (error.reason === 'INTERNAL') this.logger.error({ msg: 'Socket event failed', err: thrown });
    this.respond(session, sendResponse, toErrorResponse(error));
  }

  /** Closes the connection of a client that does not read its responses, so that buffered responses stay bounded. */
  private respond(
    { channel, connection }: ClientSession,
    sendResponse: Respond | undefined,
    response: EventResponse,
  ): void {
    if (!sendResponse || connection.isClosed) return;
    if (channel.bufferedBytes > MAX_UNREAD_BYTES) connection.close('slow reader');
    else sendResponse(response);
  }

  /**
   * Calls the handler synchronously if no query is needed and no earlier event is queued; otherwise queues the event,
   * so events keep their order. The method is not async, because a promise per message costs a busy node too much time.
   * Synchronous errors and rejections both become an error response.
   */
  private handle(session: ClientSession, event: string, payload: unknown): Promise<object | void> {
    this.assertRateLimit(session);
    const handler = this.events.find(event);
    if (!handler) throw new ServiceError('ROUTE_NOT_FOUND');
    if (session.eventQueue || !this.isSenderCached(session, handler))
      return this.handleQueued(session, handler, payload);
    return handler.handle(session, handler.validatePayload(payload));
  }

  private handleQueued(session: ClientSession, handler: ClientEventHandler, payload: unknown): Promise<object | void> {
    const validated = (session.eventQueue ?? Promise.resolve()).then(async () => {
      if (!this.isSenderCached(session, handler)) await this.assertBound(session);
      return handler.validatePayload(payload);
    });
    blockEventsUntil(
      session,
      validated.then(
        () => undefined,
        () => undefined,
      ),
    );
    return validated.then((checked) => handler.handle(session, checked));
  }

  private assertRateLimit({ rateLimiter, connection }: ClientSession): void {
    const decision = rateLimiter.consume();
    if (decision === 'pass') return;
    if (decision === 'close') connection.close('flood');
    throw new ServiceError('RATE_LIMITED', { retryAfter: 1 });
  }

  /**
   * Returns whether the cache shows that the sender may send the event. Returns false for a watch that is not cached as
   * bound, so that the caller queries the database.
   * @throws ServiceError FORBIDDEN if principals of this type may not send the event
   */
  private isSenderCached({ connection }: ClientSession, { from, allowedWhileUnbound }: ClientEventHandler): boolean {
    const { type, id } = connection.identity.principal;
    if (!from.includes(type as MessageParty)) throw new ServiceError('FORBIDDEN');
    return type !== 'watch' || allowedWhileUnbound || this.families.cachedChildOf(id) !== undefined;
  }

  private async assertBound({ connection }: ClientSession): Promise<void> {
    if (!(await this.families.childOf(connection.identity.principal.id))) throw new ServiceError('WATCH_UNBOUND');
  }
}

/**
 * Replaces a binary payload by `null`, which is rejected like every payload that is not a JSON object. No message kind
 * contains binary data.
 */
function binaryToNull(payload: unknown): unknown {
  const isBytes = payload instanceof ArrayBuffer || ArrayBuffer.isView(payload);
  return isBytes ? null : payload;
}
