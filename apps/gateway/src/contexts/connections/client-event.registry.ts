import { Injectable } from '@nestjs/common';
import type { OnModuleInit, Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { MESSAGE_METADATA } from '@nestjs/websockets/internal';
import { messageKindsByName } from '@family-watch/domain/messages/contracts/message-kinds';
import type { InboundRule, MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import { PAYLOAD_CLASSES } from '@family-watch/domain/messages/dto/payload-classes';
import { TokenRenewalDto } from '@family-watch/domain/messages/dto/payloads.dto';
import { validateAs } from '@family-watch/platform/http/request-validation.pipe';
import { findDecoratedMethods } from '@family-watch/platform/process/decorated-methods';
import type { ClientSession } from './client-session.js';
import { FAST_PAYLOAD_VALIDATORS } from './fast-payload-validators.js';

/** Handles a validated payload; the fields that it returns are added to the response `{ok, time}`. */
type EventHandlerMethod = (session: ClientSession, payload: object) => Promise<object | void>;

/** An event that clients may send, as the dispatcher and the access matrix use it. */
export interface DeclaredClientEvent extends InboundRule {
  event: string;
  payload: Type<object>;
}

export interface ClientEventHandler extends DeclaredClientEvent {
  /**
   * Returns the validated payload.
   * @throws ServiceError VALIDATION_FAILED
   * @throws ServiceError BODY_TOO_COMPLEX
   */
  validatePayload: (payload: unknown) => object;
  handle: EventHandlerMethod;
}

/** The event `token` concerns the connection itself; all other events are message kinds. */
const TOKEN_EVENT: InboundRule & { payload: Type<object> } = {
  from: ['user', 'watch'],
  allowedWhileUnbound: true,
  payload: TokenRenewalDto,
};

/**
 * Maps each client event to its handler: the method of a gateway with `@SubscribeMessage`. The domain's message kinds
 * declare the permitted senders and the payload of each event.
 */
@Injectable()
export class ClientEventRegistry implements OnModuleInit {
  private readonly handlers = new Map<string, ClientEventHandler>();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws Error for an event that the domain's message kinds do not declare, and for an event with two handlers */
  onModuleInit(): void {
    const subscribeMessage = { KEY: MESSAGE_METADATA };
    for (const { metadata, call } of findDecoratedMethods<string>(this.discovery, subscribeMessage))
      this.register(metadata, call);
  }

  find(event: string): ClientEventHandler | undefined {
    return this.handlers.get(event);
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

  private register(event: string, handle: EventHandlerMethod): void {
    if (this.handlers.has(event)) throw new Error(`Event ${event} has two handlers`);
    const declared = declarationOf(event);
    const validateFast = FAST_PAYLOAD_VALIDATORS.get(event);
    const validatePayload = (payload: unknown) => validateFast?.(payload) ?? validateAs(declared.payload, payload);
    this.handlers.set(event, { ...declared, event, validatePayload, handle });
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
