import { Inject, Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Party } from '@family-watch/domain/messages/contracts/message-kinds';
import type { Answer } from '@family-watch/domain/messages/contracts/socket-events';
import type { Clock } from '@family-watch/event-bus/clock';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { FamilyDirectory } from '../families/family-directory.service.js';
import { ClientEventsRegistry } from './client-events.registry.js';
import type { ClientEventHandler } from './client-events.registry.js';
import type { ClientSession } from './client-session.js';
import { failedAnswer, toServiceError } from './failed-answer.js';

type Acknowledge = (answer: Answer) => void;

/** Takes each event of a client through the same steps: flood, who, what, and an answer in every case. */
@Injectable()
export class EventDispatcher {
  private readonly logger = new Logger(EventDispatcher.name);

  constructor(
    private readonly events: ClientEventsRegistry,
    private readonly families: FamilyDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Never rejects. `parts` is what followed the event's name: the payload and, if the client wants one, the answer. */
  async dispatch(session: ClientSession, event: string, parts: readonly unknown[]): Promise<void> {
    const last = parts.at(-1);
    const answer = typeof last === 'function' ? (last as Acknowledge) : undefined;
    const payload = parts.length > (answer ? 1 : 0) ? parts[0] : {};
    try {
      this.assertNoFlood(session);
      const result = await this.handle(session, event, payload);
      answer?.({ ok: true, time: this.clock.now(), ...result });
    } catch (thrown) {
      const error = toServiceError(thrown);
      if (error.reason === 'INTERNAL') this.logger.error(thrown);
      answer?.(failedAnswer(error));
    }
  }

  private assertNoFlood({ flood, connection }: ClientSession): void {
    const verdict = flood.judge();
    if (verdict === 'pass') return;
    if (verdict === 'close') connection.close('flood');
    throw new ServiceError('RATE_LIMITED', { retryAfter: 1 });
  }

  private async handle(session: ClientSession, event: string, payload: unknown): Promise<object | void> {
    const handler = this.events.find(event);
    if (!handler) throw new ServiceError('ROUTE_NOT_FOUND');
    const prepared = session.intake.then(() => this.prepare(session, handler, payload));
    session.intake = prepared.then(
      () => undefined,
      () => undefined,
    );
    return handler.handle(await prepared, session);
  }

  private async prepare(session: ClientSession, handler: ClientEventHandler, payload: unknown): Promise<object> {
    await this.assertMaySend(session, handler);
    return validateAs(handler.payload, withoutBytes(payload));
  }

  private async assertMaySend(
    { connection }: ClientSession,
    { from, whileUnbound }: ClientEventHandler,
  ): Promise<void> {
    const { type, id } = connection.identity.principal;
    if (!from.includes(type as Party)) throw new ServiceError('FORBIDDEN');
    if (type !== 'watch' || whileUnbound) return;
    if (!(await this.families.childOf(id))) throw new ServiceError('WATCH_UNBOUND');
  }
}

/** Socket.IO also carries bytes, which no kind has: they are refused like everything else that is no JSON object. */
function withoutBytes(payload: unknown): unknown {
  const isBytes = payload instanceof ArrayBuffer || ArrayBuffer.isView(payload);
  return isBytes ? null : payload;
}
