import { Inject, Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
import type { MessageEnvelope } from '@family-watch/domain/messages/contracts/envelope';
import type { MessageKind } from '@family-watch/domain/messages/contracts/message-kinds';
import type { AckPayload } from '@family-watch/domain/messages/contracts/payloads';
import { CLOCK } from '../../infrastructure/gateway.tokens.js';
import { GatewayUnitOfWork } from '../../infrastructure/gateway.unit-of-work.js';
import { Batcher } from '@family-watch/platform/process/batcher';
import { resumeAt } from '../../protocol/resume.js';
import type { ClientPosition, MailboxState, Resumption } from '../../protocol/resume.js';
import { MailboxRepository } from './mailbox.repository.js';
import { MailboxService } from './mailbox.service.js';
import { SessionCursorRepository } from './session-cursor.repository.js';
import type { Acknowledgement } from './session-cursor.repository.js';

/** A mailbox as one session has opened it. */
export interface OpenedMailbox extends Pick<MailboxState, 'head' | 'epoch'>, Resumption {}

type ArrivalListener = (principal: PrincipalKey, seq: number) => void;
type ReadListener = (principal: Principal, message: MessageEnvelope) => Promise<void>;

/** Where sessions stand in their mailboxes, and what recipients say of single messages. */
@Injectable()
export class AcknowledgementsService {
  private readonly cursors = new Batcher<Acknowledgement, void>({
    process: (acknowledgements) => this.advance(acknowledgements),
    maxBatch: 10_000,
    // What has arrived need not be known at once: at worst it is sent again after a crash.
    linger: 20,
    maxWaiting: 50_000,
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

  /** From now on `listener` hears how far a session of a principal has read, each time once that is on disk. */
  onAcknowledged(listener: ArrivalListener): void {
    this.arrivalListeners.push(listener);
  }

  /** From now on it is for `listener` what becomes of a message of these kinds that is said to be READ. */
  onRead(kinds: readonly MessageKind[], listener: ReadListener): void {
    for (const kind of kinds) this.readers.set(kind, listener);
  }

  /** Opens the mailbox for a session and remembers the session. */
  async open(principal: Principal, client: ClientPosition): Promise<OpenedMailbox> {
    const key = principalKey(principal);
    const session = cursorOf(principal);
    const state = await this.sessions.findMailbox(key, session);
    if (state.acknowledged === null) return this.openFirst(key, session, client);
    const resumption = resumeAt(state, client);
    await this.sessions.open(key, session, resumption.from, resumption.reset, this.clock.now());
    return { head: state.head, epoch: state.epoch, ...resumption };
  }

  /**
   * A new session begins at the head, and from there on it counts as another session of its principal: both at one
   * moment, or a message of the principal's could fall between what it sees in the history and what it is sent.
   */
  private openFirst(key: PrincipalKey, session: string, client: ClientPosition): Promise<OpenedMailbox> {
    return this.unitOfWork.run(async () => {
      await this.mailboxes.lockHead(key);
      const state = await this.sessions.findMailbox(key, session);
      const resumption = resumeAt(state, client);
      await this.sessions.open(key, session, resumption.from, resumption.reset, this.clock.now());
      return { head: state.head, epoch: state.epoch, ...resumption };
    });
  }

  /** Everything up to `seq` has arrived in this session; resolves when that is on disk. */
  acknowledge(principal: Principal, seq: number): Promise<void> {
    return this.cursors.submit({ session: cursorOf(principal), principal: principalKey(principal), seq });
  }

  /** @throws ServiceError MESSAGE_NOT_FOUND for a message that is not in this principal's mailbox. */
  async report(
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

  private async advance(acknowledgements: readonly Acknowledgement[]): Promise<void[]> {
    const furthest = new Map<string, Acknowledgement>();
    for (const said of acknowledgements) {
      if (said.seq >= (furthest.get(said.session)?.seq ?? 0)) furthest.set(said.session, said);
    }
    await this.unitOfWork.run(() => this.sessions.advance([...furthest.values()], this.clock.now()));
    for (const { principal, seq } of furthest.values()) {
      for (const listener of this.arrivalListeners) listener(principal, seq);
    }
    return [];
  }
}

/** A watch has one place to read at, whichever of its short-lived tokens it comes with; a person one per sign-in. */
function cursorOf(principal: Principal): string {
  return principal.type === 'watch' ? principalKey(principal) : principal.sessionId;
}
