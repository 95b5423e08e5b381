import { Inject, Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/envelope';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { AckPayload } from '@family-watch/domain/messages/contracts/payloads';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { DatabaseUnavailableError } from '@family-watch/platform/database/database-unavailable.error';
import { Batcher } from '@family-watch/platform/process/batcher';
import type { DeliveryAck } from '../../protocol/delivery-ack-tracker.js';
import { resolveResumePoint } from '../../protocol/resume.js';
import type { ClientCursor, MailboxState, ResumePoint } from '../../protocol/resume.js';
import { MailboxRepository } from './mailbox.repository.js';
import { MailboxService } from './mailbox.service.js';
import { SessionCursorRepository } from './session-cursor.repository.js';
import type { Acknowledgement, OpenedSession, SessionKey } from './session-cursor.repository.js';

/** A mailbox as one session has opened it. */
export interface OpenedMailbox extends Pick<MailboxState, 'head' | 'epoch'>, ResumePoint {}

/** A session that wants to open its mailbox. */
interface Opening extends SessionKey {
  client: ClientCursor;
}

/** What a session acknowledges, and what is known of it here. */
interface NotedAcknowledgement extends Acknowledgement {
  arrival: DeliveryAck;
}

type ArrivalListener = (arrival: DeliveryAck) => void;
type ReadListener = (principal: Principal, message: MessageEnvelope) => Promise<void>;

/** Where sessions stand in their mailboxes, and what recipients say of single messages. */
@Injectable()
export class AcknowledgementsService {
  private readonly cursors = new Batcher<NotedAcknowledgement, void>({
    process: (acknowledgements) => this.advance(acknowledgements),
    maxBatch: 10_000,
    // What has arrived need not be known at once: at worst it is sent again after a crash.
    lingerMs: 100,
    maxWaiting: 50_000,
  });

  private readonly openings = new Batcher<Opening, OpenedMailbox>({
    process: (openings) => this.openTogether(openings),
    maxBatch: 500,
    // One per connection at most, and connections are bounded by the process.
    maxWaiting: 1_000_000,
    shouldBisect: (error) => !(error instanceof DatabaseUnavailableError),
  });

  private readonly arrivalListeners: ArrivalListener[] = [];
  private readonly readers = new Map<MessageKind, ReadListener>();

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly sessions: SessionCursorRepository,
    private readonly mailboxes: MailboxRepository,
    private readonly deliveries: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** From now on `listener` hears what has arrived in a session, each time once that is on disk. */
  onAcknowledged(listener: ArrivalListener): void {
    this.arrivalListeners.push(listener);
  }

  /** From now on it is for `listener` what becomes of a message of these kinds that is said to be READ. */
  onRead(kinds: readonly MessageKind[], listener: ReadListener): void {
    for (const kind of kinds) this.readers.set(kind, listener);
  }

  /** Opens the mailbox for a session and remembers the session, together with others that come at the same time. */
  open(principal: Principal, client: ClientCursor): Promise<OpenedMailbox> {
    return this.openings.submit({ session: cursorOf(principal), principal: principalKey(principal), client });
  }

  /** Everything up to a number has arrived in this session; resolves when that is on disk. */
  acknowledge(principal: Principal, arrival: DeliveryAck): Promise<void> {
    const { principal: key, seq } = arrival;
    return this.cursors.submit({ session: cursorOf(principal), principal: key, seq, arrival });
  }

  /** @throws ServiceError MESSAGE_NOT_FOUND for a message that is not in this principal's mailbox. */
  async recordStatus(
    principal: Principal,
    said: AckPayload & Required<Pick<AckPayload, 'messageId' | 'status'>>,
  ): Promise<void> {
    const by = principalKey(principal);
    const message = isUUID(said.messageId) ? await this.mailboxes.findMessage(by, said.messageId) : undefined;
    if (!message) throw new ServiceError('MESSAGE_NOT_FOUND');
    const { kind, did = null, cid = null } = message.envelope;
    const reader = said.status === 'READ' ? this.readers.get(kind) : undefined;
    if (reader) return reader(principal, message.envelope);
    const { messageId, status, version = null, reason = null } = said;
    const payload = { by, messageId, kind, did, cid, status, version, reason };
    await this.deliveries.deliver({ events: [{ name: 'gateway.message.acknowledged', key: by, payload }] });
  }

  /** When many come back at once, their mailboxes are opened hundreds at a time: what is live finds a connection. */
  private openTogether(openings: readonly Opening[]): Promise<OpenedMailbox[]> {
    return this.unitOfWork.run(async () => {
      const states = await this.statesOf(openings);
      const opened = openings.map(({ client }, index) => {
        const state = states[index] as MailboxState;
        return { head: state.head, epoch: state.epoch, ...resolveResumePoint(state, client) };
      });
      const sessions = new Map<string, OpenedSession>();
      openings.forEach(({ session, principal }, index) => {
        const { from, reset } = opened[index] as OpenedMailbox;
        sessions.set(session, { session, principal, from, reset: reset || sessions.get(session)?.reset === true });
      });
      await this.sessions.open([...sessions.values()], this.clock.now());
      return opened;
    });
  }

  /**
   * A new session begins at the head, and from there on it counts as another session of its principal: both at one
   * moment, or a message of the principal's could fall between what it sees in the history and what it is sent.
   */
  private async statesOf(openings: readonly Opening[]): Promise<MailboxState[]> {
    const states = await this.sessions.findMailboxes(openings);
    const first = openings.filter((_, index) => states[index]?.acknowledged === null);
    if (first.length === 0) return states;
    await this.mailboxes.lockHeads(first.map(({ principal }) => principal));
    return this.sessions.findMailboxes(openings);
  }

  private async advance(acknowledgements: readonly NotedAcknowledgement[]): Promise<void[]> {
    const furthest = new Map<string, Acknowledgement>();
    for (const said of acknowledgements) {
      if (said.seq >= (furthest.get(said.session)?.seq ?? 0)) furthest.set(said.session, said);
    }
    await this.unitOfWork.run(() => this.sessions.advance([...furthest.values()], this.clock.now()));
    for (const { arrival } of acknowledgements) {
      for (const listener of this.arrivalListeners) listener(arrival);
    }
    return [];
  }
}

/** A watch has one place to read at, whichever of its short-lived tokens it comes with; a person one per sign-in. */
function cursorOf(principal: Principal): string {
  return principal.type === 'watch' ? principalKey(principal) : principal.sessionId;
}
