import { Inject, Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { MessageParty } from '@family-watch/domain/messages/contracts/message-kinds';
import type { EventResponse } from '@family-watch/domain/messages/contracts/socket-events';
import type { Clock } from '@family-watch/event-bus/clock';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { ConnectedFamiliesService } from '../families/connected-families.service.js';
import { ClientEventRegistry } from './client-event.registry.js';
import type { ClientEventHandler } from './client-event.registry.js';
import { enqueueIntake } from './client-session.js';
import type { ClientSession } from './client-session.js';
import { toErrorResponse, toServiceError } from './error-response.js';

type Acknowledge = (answer: EventResponse) => void;

/** Bytes that wait for a reader when no further answer is written: with a frame beside them still less than 1 MiB. */
const MAX_UNREAD_BYTES = 640 * 1_024;

/** Takes each event of a client through the same steps: flood, who, what, and an answer in every case. */
@Injectable()
export class ClientEventDispatcherService {
  private readonly logger = new Logger(ClientEventDispatcherService.name);

  constructor(
    private readonly events: ClientEventRegistry,
    private readonly families: ConnectedFamiliesService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** `parts` is what followed the event's name: the payload and, if the client wants one, the answer. */
  dispatch(session: ClientSession, event: string, parts: readonly unknown[]): void {
    const last = parts.at(-1);
    const acknowledge = typeof last === 'function' ? (last as Acknowledge) : undefined;
    const payload = parts.length > (acknowledge ? 1 : 0) ? parts[0] : {};
    try {
      this.handle(session, event, withoutBytes(payload)).then(
        (result) => this.answer(session, acknowledge, { ok: true, time: this.clock.now(), ...result }),
        (thrown: unknown) => this.refuse(session, acknowledge, thrown),
      );
    } catch (thrown) {
      this.refuse(session, acknowledge, thrown);
    }
  }

  private refuse(session: ClientSession, acknowledge: Acknowledge | undefined, thrown: unknown): void {
    const error = toServiceError(thrown);
    if (error.reason === 'INTERNAL') this.logger.error({ msg: 'Socket event failed', err: thrown });
    this.answer(session, acknowledge, toErrorResponse(error));
  }

  /** Who asks without reading the answers would have them kept without bound. */
  private answer(
    { channel, connection }: ClientSession,
    acknowledge: Acknowledge | undefined,
    said: EventResponse,
  ): void {
    if (!acknowledge || connection.isClosed) return;
    if (channel.bufferedBytes > MAX_UNREAD_BYTES) connection.close('slow reader');
    else acknowledge(said);
  }

  /**
   * An event for which nothing has to be asked goes to its handler in the turn in which it came; others wait, and so
   * do those behind them. Not an async function: each of these costs a busy node something on every message. What it
   * throws at once is refused like what it rejects with.
   */
  private handle(session: ClientSession, event: string, payload: unknown): Promise<object | void> {
    this.assertNoFlood(session);
    const handler = this.events.find(event);
    if (!handler) throw new ServiceError('ROUTE_NOT_FOUND');
    if (session.inputQueue || !this.maySend(session, handler)) return this.handleInTurn(session, handler, payload);
    return handler.handle(handler.check(payload), session);
  }

  private handleInTurn(session: ClientSession, handler: ClientEventHandler, payload: unknown): Promise<object | void> {
    const prepared = (session.inputQueue ?? Promise.resolve()).then(async () => {
      if (!this.maySend(session, handler)) await this.assertBound(session);
      return handler.check(payload);
    });
    enqueueIntake(
      session,
      prepared.then(
        () => undefined,
        () => undefined,
      ),
    );
    return prepared.then((checked) => handler.handle(checked, session));
  }

  private assertNoFlood({ rateLimiter, connection }: ClientSession): void {
    const verdict = rateLimiter.consume();
    if (verdict === 'pass') return;
    if (verdict === 'close') connection.close('flood');
    throw new ServiceError('RATE_LIMITED', { retryAfter: 1 });
  }

  /** False for a watch that is not known to be bound: that is for the database to say. */
  private maySend({ connection }: ClientSession, { from, allowedWhileUnbound }: ClientEventHandler): boolean {
    const { type, id } = connection.identity.principal;
    if (!from.includes(type as MessageParty)) throw new ServiceError('FORBIDDEN');
    return type !== 'watch' || allowedWhileUnbound || this.families.cachedChildOf(id) !== undefined;
  }

  private async assertBound({ connection }: ClientSession): Promise<void> {
    if (!(await this.families.childOf(connection.identity.principal.id))) throw new ServiceError('WATCH_UNBOUND');
  }
}

/** Socket.IO also carries bytes, which no kind has: they are refused like everything else that is no JSON object. */
function withoutBytes(payload: unknown): unknown {
  const isBytes = payload instanceof ArrayBuffer || ArrayBuffer.isView(payload);
  return isBytes ? null : payload;
}
