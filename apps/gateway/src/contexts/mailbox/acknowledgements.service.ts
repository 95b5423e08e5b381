import { Inject, Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { Principal, PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { principalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { Clock } from '@family-watch/event-bus/clock';
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

/** Where sessions stand in their mailboxes, and what recipients say of single messages. */
@Injectable()
export class AcknowledgementsService {
  private readonly cursors = new Batcher<Acknowledgement, void>({
    process: (acknowledgements) => this.advance(acknowledgements),
    maxBatch: 1_000,
    maxWaiting: 50_000,
  });

  constructor(
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly sessions: SessionCursorRepository,
    private readonly mailboxes: MailboxRepository,
    private readonly deliveries: MailboxService,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

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
    return [];
  }
}

/** A watch has one place to read at, whichever of its short-lived tokens it comes with; a person one per sign-in. */
function cursorOf(principal: Principal): string {
  return principal.type === 'watch' ? principalKey(principal) : principal.sessionId;
}
