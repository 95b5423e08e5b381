import { Inject, Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { principalKey, type Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { AckPayload } from '@family-watch/domain/messages/contracts/payloads';
import { DatabaseUnavailableError } from '@family-watch/platform/errors/database-errors';
import { Batcher } from '@family-watch/platform/concurrency/batcher';
import { CLOCK, GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import type { DeliveryAck } from './delivery-ack-tracker.js';
import type { ReportedMessage } from './mailbox-entry.js';
import { resolveResumePoint, type ClientCursor, type MailboxState, type ResumePoint } from './resume.js';
import { MailboxRepository } from './mailbox.repository.js';
import { MailboxService } from './mailbox.service.js';
import {
  SessionCursorRepository,
  type Acknowledgement,
  type OpenedSession,
  type SessionKey,
} from './session-cursor.repository.js';

/** State of a mailbox when a session opened it, and the point from which the session reads. */
export interface OpenedMailbox extends Pick<MailboxState, 'head' | 'epoch'>, ResumePoint {}

/** Request of a session to open its mailbox. */
interface OpenRequest extends SessionKey {
  clientCursor: ClientCursor;
}

/** An acknowledgement of a session, and the conversation messages that it acknowledges. */
interface AcknowledgementWithDeliveries extends Acknowledgement {
  deliveryAck: DeliveryAck;
}

type DeliveryAckListener = (ack: DeliveryAck) => void;
type ReadListener = (principal: Principal, message: ReportedMessage) => Promise<void>;

/** Stores the cursors of sessions, and publishes the status that recipients report for single messages. */
@Injectable()
export class AcknowledgementsService {
  private readonly cursorBatcher = new Batcher<AcknowledgementWithDeliveries, void>({
    process: (acknowledgements) => this.advance(acknowledgements),
    maxBatchSize: 10_000,
    // A delayed write of cursors is acceptable: after a crash, the messages are sent again.
    lingerMs: 100,
    maxWaitingItems: 50_000,
  });

  private readonly openRequests = new Batcher<OpenRequest, OpenedMailbox>({
    process: (openRequests) => this.openBatch(openRequests),
    maxBatchSize: 500,
    // Each connection waits for at most one request, and connections are limited per process.
    maxWaitingItems: 1_000_000,
    shouldBisect: (error) => !(error instanceof DatabaseUnavailableError),
  });

  private readonly ackListeners: DeliveryAckListener[] = [];
  private readonly readListeners = new Map<MessageKind, ReadListener>();

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly sessions: SessionCursorRepository,
    private readonly mailboxes: MailboxRepository,
    private readonly mailboxService: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Registers a listener for acknowledgements; the listener is called for each acknowledgement after the session's
   * cursor was stored.
   */
  onAcknowledged(listener: DeliveryAckListener): void {
    this.ackListeners.push(listener);
  }

  /** Registers the listener that handles the status READ of messages of these kinds. */
  onRead(kinds: readonly MessageKind[], listener: ReadListener): void {
    for (const kind of kinds) this.readListeners.set(kind, listener);
  }

  /** Opens the mailbox for a session and stores the session's cursor. Concurrent calls share one transaction. */
  open(principal: Principal, client: ClientCursor): Promise<OpenedMailbox> {
    return this.openRequests.submit({
      session: cursorSessionOf(principal),
      principal: principalKey(principal),
      clientCursor: client,
    });
  }

  /** Acknowledges everything up to a sequence number for this session; resolves when the session's cursor is stored. */
  acknowledge(principal: Principal, ack: DeliveryAck): Promise<void> {
    const { principal: key, seq } = ack;
    return this.cursorBatcher.submit({ session: cursorSessionOf(principal), principal: key, seq, deliveryAck: ack });
  }

  /** @throws ServiceError MESSAGE_NOT_FOUND for a message that is not in this principal's mailbox */
  async recordStatus(
    principal: Principal,
    report: AckPayload & Required<Pick<AckPayload, 'messageId' | 'status'>>,
  ): Promise<void> {
    const by = principalKey(principal);
    const message = isUUID(report.messageId) ? await this.mailboxes.findMessage(by, report.messageId) : undefined;
    if (!message) throw new ServiceError('MESSAGE_NOT_FOUND');
    const { kind, did, cid } = message;
    const readListener = report.status === 'READ' ? this.readListeners.get(kind) : undefined;
    if (readListener) return readListener(principal, message);
    const { messageId, status, version = null, reason = null } = report;
    const payload = { by, messageId, kind, did, cid, status, version, reason };
    await this.mailboxService.deliver({ events: [{ name: 'gateway.message.acknowledged', key: by, payload }] });
  }

  /**
   * Opens mailboxes, hundreds per transaction, so that mass reconnects do not occupy all database connections and delay
   * live delivery.
   */
  private openBatch(openRequests: readonly OpenRequest[]): Promise<OpenedMailbox[]> {
    return this.unitOfWork.run(async () => {
      const states = await this.findStates(openRequests);
      const opened = openRequests.map(({ clientCursor }, index) => {
        const state = states[index] as MailboxState;
        return { head: state.head, epoch: state.epoch, ...resolveResumePoint(state, clientCursor) };
      });
      const sessions = new Map<string, OpenedSession>();
      openRequests.forEach(({ session, principal }, index) => {
        const { from, reset } = opened[index] as OpenedMailbox;
        sessions.set(session, { session, principal, from, reset: reset || sessions.get(session)?.reset === true });
      });
      await this.sessions.open([...sessions.values()], this.clock.now());
      return opened;
    });
  }

  /**
   * Reads the mailbox state for each request. A new session starts to read at the head, and later also receives
   * messages sent by other sessions of its principal. For a new session, the state is read again under the lock of the
   * head: otherwise a message that another session sends meanwhile could be missing both in the history and in the
   * delivery.
   */
  private async findStates(openRequests: readonly OpenRequest[]): Promise<MailboxState[]> {
    const states = await this.sessions.findMailboxes(openRequests);
    const newSessions = openRequests.filter((_, index) => states[index]?.acknowledged === null);
    if (newSessions.length === 0) return states;
    await this.mailboxes.lockHeads(newSessions.map(({ principal }) => principal));
    return this.sessions.findMailboxes(openRequests);
  }

  private async advance(acknowledgements: readonly AcknowledgementWithDeliveries[]): Promise<void[]> {
    const highestBySession = new Map<string, Acknowledgement>();
    for (const acknowledgement of acknowledgements) {
      const { session, seq } = acknowledgement;
      if (seq >= (highestBySession.get(session)?.seq ?? 0)) highestBySession.set(session, acknowledgement);
    }
    await this.unitOfWork.run(() => this.sessions.advance([...highestBySession.values()], this.clock.now()));
    for (const { deliveryAck } of acknowledgements) {
      for (const listener of this.ackListeners) listener(deliveryAck);
    }
    return [];
  }
}

/**
 * Returns the key of the session's cursor. A watch has one cursor, regardless of which of its short-lived tokens it
 * uses; a user has one cursor per session.
 */
function cursorSessionOf(principal: Principal): string {
  return principal.type === 'watch' ? principalKey(principal) : principal.sessionId;
}
