import { Injectable, Inject, Logger, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { MESSAGE_METADATA } from '@nestjs/websockets/internal';
import { rateLimitedError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import {
  messageKindsByName,
  type InboundRule,
  type MessageKind,
  type MessageParty,
} from '@family-watch/domain/messages/contracts/message-kinds';
import type { EventResponse, ErrorResponse } from '@family-watch/domain/messages/contracts/socket-events';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import { TokenRenewalDto } from '@family-watch/domain/messages/dto/payloads.dto';
import type { Clock } from '@family-watch/event-bus/clock';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { validateAs, validateFields } from '@family-watch/platform/http/request-validation.pipe';
import { isTracing, traced } from '@family-watch/platform/observability/tracing';
import { findDecoratedMethods } from '@family-watch/platform/jobs/decorated-methods';
import { runAs } from '@family-watch/platform/concurrency/work-priority';
import { CLOCK } from '../infrastructure/gateway-infrastructure.js';
import { ConnectedFamiliesService } from '../projections/connected-families.service.js';
import { FamilyLookupService } from '../projections/family-lookup.service.js';
import { blockEventsUntil, type ClientSession } from './client-session.js';
import { FAST_PAYLOAD_VALIDATORS } from './fast-payload-validators.js';
import { eventMeterOf, type EventMeter } from './socket-metrics.js';

/** Handles a validated payload; the returned fields are added to the response `{ok, time}`. */
type EventHandlerMethod = (session: ClientSession, payload: object) => Promise<object | void>;

/** An event that clients may send, with its permitted senders and the class of its payload. */
export interface DeclaredClientEvent extends InboundRule {
  event: string;
  payload: Type<object>;
}

interface ClientEventHandler extends DeclaredClientEvent {
  /**
   * Returns the validated payload.
   * @throws ServiceError VALIDATION_FAILED
   * @throws ServiceError BODY_TOO_COMPLEX
   */
  validatePayload: (payload: unknown) => object;
  handle: EventHandlerMethod;
  meter: EventMeter;
}

const UNKNOWN_EVENT_METER = eventMeterOf('unknown');

/** The event `token` concerns the connection itself; all other events are message kinds. */
const TOKEN_EVENT: InboundRule & { payload: Type<object> } = {
  from: ['user', 'watch'],
  allowedWhileUnbound: true,
  payload: TokenRenewalDto,
};

type SendResponse = (response: EventResponse) => void;

/** Buffered bytes above which no further response is written; with one more frame, the buffer stays below 1 MiB. */
const MAX_UNREAD_BYTES = 640 * 1_024;

/**
 * Passes each client event to its handler, the method of a gateway with `@SubscribeMessage`: rate limit, sender check,
 * payload validation, handler. The domain's message kinds declare the permitted senders and the payload of each event.
 * Every event gets a response.
 */
@Injectable()
export class ClientEventDispatcherService implements OnModuleInit {
  private readonly logger = new Logger(ClientEventDispatcherService.name);
  private readonly handlers = new Map<string, ClientEventHandler>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly families: ConnectedFamiliesService,
    private readonly lookup: FamilyLookupService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws Error for an event that the domain's message kinds do not declare, and for an event with two handlers */
  onModuleInit(): void {
    const subscribeMessage = { KEY: MESSAGE_METADATA };
    for (const { metadata, call } of findDecoratedMethods<string>(this.discovery, subscribeMessage))
      this.register(metadata, call);
  }

  /** Returns every event that clients may send. The access matrix test fails for an event that it does not cover. */
  list(): DeclaredClientEvent[] {
    return [...this.handlers.values()].map(({ event, from, allowedWhileUnbound, payload }) => ({
      event,
      from,
      allowedWhileUnbound,
      payload,
    }));
  }

  /**
   * `args` are the arguments after the event's name: the payload and, if the client requests a response, the callback.
   */
  dispatch(session: ClientSession, event: string, args: readonly unknown[]): void {
    const last = args.at(-1);
    const sendResponse = typeof last === 'function' ? (last as SendResponse) : undefined;
    const payload = args.length > (sendResponse ? 1 : 0) ? args[0] : {};
    const meter = this.handlers.get(event)?.meter ?? UNKNOWN_EVENT_METER;
    const receivedAt = performance.now();
    const reject = (thrown: unknown): void => {
      const error = toServiceError(thrown);
      if (error.reason === 'INTERNAL') this.logger.error({ msg: 'Socket event failed', err: thrown });
      meter[error.status < 500 ? 'rejected' : 'failed'].observe((performance.now() - receivedAt) / 1_000);
      this.respond(session, sendResponse, toErrorResponse(error));
    };
    try {
      const handle = () => this.handleTraced(session, event, binaryToNull(payload));
      runAs('caller', handle, session.connection.key).then((result) => {
        meter.ok.observe((performance.now() - receivedAt) / 1_000);
        this.respond(session, sendResponse, { ok: true, time: this.clock.now(), ...result });
      }, reject);
    } catch (thrown) {
      reject(thrown);
    }
  }

  private register(event: string, handle: EventHandlerMethod): void {
    if (this.handlers.has(event)) throw new Error(`Event ${event} has two handlers`);
    const declared = declarationOf(event);
    const validateFast = FAST_PAYLOAD_VALIDATORS.get(event);
    const validate = PAYLOAD_CLASSES[event as MessageKind]?.dropsInvalidFields ? validateValidFields : validateAs;
    const validatePayload = (payload: unknown) => validateFast?.(payload) ?? validate(declared.payload, payload);
    this.handlers.set(event, { ...declared, event, validatePayload, handle, meter: eventMeterOf(event) });
  }

  /** Closes the connection of a client that does not read its responses, so that buffered responses stay bounded. */
  private respond(
    { channel, connection }: ClientSession,
    sendResponse: SendResponse | undefined,
    response: EventResponse,
  ): void {
    if (!sendResponse || connection.isClosed) return;
    if (channel.bufferedBytes > MAX_UNREAD_BYTES) connection.close('slow reader');
    else sendResponse(response);
  }

  /**
   * Calls the handler synchronously if no database query is needed and no earlier event is queued; otherwise queues the
   * event, so events keep their order. The method is not async, because a promise per message costs a busy node too
   * much time. Synchronous errors and rejections both become an error response.
   */
  private handle(session: ClientSession, event: string, payload: unknown): Promise<object | void> {
    this.assertRateLimit(session);
    const handler = this.handlers.get(event);
    if (!handler) throw new ServiceError('ROUTE_NOT_FOUND');
    if (session.eventQueue || !this.isSenderAllowedByCache(session, handler))
      return this.handleQueued(session, handler, payload);
    return handler.handle(session, handler.validatePayload(payload));
  }

  /** Handles an event in a span of its own, which begins a new trace. The span has no name that a client chose. */
  private handleTraced(session: ClientSession, event: string, payload: unknown): Promise<object | void> {
    if (!isTracing() || !this.handlers.has(event)) return this.handle(session, event, payload);
    const attributes = { 'family_watch.app': 'gateway' };
    return traced({ name: event, kind: 'server', attributes }, async () => this.handle(session, event, payload));
  }

  private handleQueued(session: ClientSession, handler: ClientEventHandler, payload: unknown): Promise<object | void> {
    const validated = (session.eventQueue ?? Promise.resolve()).then(async () => {
      if (!this.isSenderAllowedByCache(session, handler)) await this.assertBound(session);
      return handler.validatePayload(payload);
    });
    blockEventsUntil(
      session,
      validated.then(
        () => undefined,
        () => undefined,
      ),
    );
    return validated.then((validPayload) => handler.handle(session, validPayload));
  }

  private assertRateLimit({ rateLimiter, connection }: ClientSession): void {
    const decision = rateLimiter.consume();
    if (decision === 'pass') return;
    if (decision === 'close') connection.close('flood');
    throw rateLimitedError('socket.events', 1);
  }

  /**
   * Returns whether the cache shows that the sender may send the event. Returns false for a watch whose binding
   * is not cached, so that the caller queries the database.
   * @throws ServiceError FORBIDDEN if principals of this type may not send the event
   */
  private isSenderAllowedByCache(
    { connection }: ClientSession,
    { from, allowedWhileUnbound }: ClientEventHandler,
  ): boolean {
    const { type, id } = connection.identity.principal;
    if (!from.includes(type as MessageParty)) throw new ServiceError('FORBIDDEN');
    return type !== 'watch' || allowedWhileUnbound || this.families.cachedChildOf(id) !== undefined;
  }

  private async assertBound({ connection }: ClientSession): Promise<void> {
    const { id } = connection.identity.principal;
    const binding = (await this.families.childOf(id)) ?? (await this.lookup.waitForBinding(Number(id)));
    if (!binding) throw new ServiceError('WATCH_UNBOUND');
  }
}

function declarationOf(event: string): InboundRule & { payload: Type<object> } {
  if (event === 'token') return TOKEN_EVENT;
  const inbound = messageKindsByName.get(event)?.inbound;
  const payload = PAYLOAD_CLASSES[event as MessageKind]?.inbound;
  if (!inbound || !payload)
    throw new Error(`Event ${event} has a handler, but its message kind declares no senders or no payload`);
  return { ...inbound, payload };
}

/** Returns the valid fields, and the violated rules of the others as `rejected`. */
function validateValidFields(dto: Type<object>, payload: unknown): object {
  const { valid, rejected } = validateFields(dto, payload);
  return rejected.length > 0 ? Object.assign(valid, { rejected }) : valid;
}

/**
 * Replaces a binary payload by `null`, which is rejected like every payload that is not a JSON object. No message kind
 * contains binary data.
 */
function binaryToNull(payload: unknown): unknown {
  const isBytes = payload instanceof ArrayBuffer || ArrayBuffer.isView(payload);
  return isBytes ? null : payload;
}

/** Converts any error into the error that the client receives. Unexpected errors become INTERNAL without details. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (thrown instanceof DatabaseUnavailableError) {
    return new ServiceError('DATABASE_UNAVAILABLE', { retryAfter: 2, cause: thrown });
  }
  return new ServiceError('INTERNAL', { cause: thrown });
}

/**
 * Converts an error into the response of a socket event. All error responses of the socket are created by this
 * function.
 */
function toErrorResponse({ code, reason, message, details, retryAfter }: ServiceError): ErrorResponse {
  return {
    ok: false,
    code,
    reason,
    message,
    ...(details ? { details } : {}),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}
