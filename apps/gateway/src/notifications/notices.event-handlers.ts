// Step 6 of docs/from-change-to-socket.md: a handler enqueues messages.
import { Inject, Injectable } from '@nestjs/common';
import { CONTACT_CHANGE } from '@family-watch/domain/families/contracts/contact';
import type { DomainEvents } from '@family-watch/domain/events';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/message-kinds';
import {
  BIND_STATE,
  type BindState,
  type ContactsChangePayload,
  type DeviceBindStateChangePayload,
  type AddFriendPayload,
  type AskLocationPointPayload,
  type RemoteControlPayload,
  type SettingsChangePayload,
} from '@family-watch/domain/messages/contracts/payloads';
import { COMMAND_KIND } from '@family-watch/domain/watches/contracts/remote-command';
import { SETTINGS_NOTICE } from '@family-watch/domain/watches/contracts/settings-state';
import type { Clock } from '@family-watch/event-bus/clock';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { OnEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { GatewayOutbox, CLOCK, GatewayUnitOfWork } from '../infrastructure/gateway-infrastructure.js';
import { filterRecipients } from '../projections/delivery-access.js';
import { FamilyLookupService } from '../projections/family-lookup.service.js';
import { toMailboxEntries, type MailboxEntry, type NewMessage } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';

type BindingEvent = 'userctx.watch.bound' | 'userctx.watch.unbound' | 'userctx.watch.lost-mode-changed';

type FriendApplicationEvent = EventOf<DomainEvents, 'userctx.friend-application.changed'>;

type CommandEvent = 'userctx.remote-command.queued' | 'userctx.remote-command.cancelled';

type SettingsEvent = 'userctx.watch-settings.changed' | 'userctx.watch-settings.answered';

/** Sends notices to watches and apps when userctx publishes a change. */
@Injectable()
export class NoticesEventHandlers {
  /** Ids of the commands cancelled in the current transaction, keyed by its entity manager. */
  private readonly cancelledCommandIds = new WeakMap<object, Set<string>>();

  constructor(
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
    private readonly unitOfWork: GatewayUnitOfWork,
    private readonly outbox: GatewayOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Notifies the watch and the guardians that the watch was bound to a child or unbound, and that its lost mode started
   * or ended. One handler processes these events, so that their order is preserved.
   */
  @OnEvent(['userctx.watch.bound', 'userctx.watch.unbound', 'userctx.watch.lost-mode-changed'], {
    handler: 'gateway.notices.send-binding-change',
  })
  async sendBindStateNotice({ id, payload: binding, ...event }: EventOf<DomainEvents, BindingEvent>): Promise<void> {
    const { familyId, cid, did, by, time } = binding;
    const payload: DeviceBindStateChangePayload = { did, cid, state: bindStateOf(event.name, binding), by };
    const kind = 'DeviceBindStateChangeNoticeMessage';
    const notice = { source: id, kind, time, from: SYSTEM_SENDER, did, cid, payload } as const;
    const toMembers = { ...notice, familyId, audience: 'GUARDIANS' } as const;
    if (event.name === 'userctx.watch.lost-mode-changed') return this.send(did, toMembers);
    // The notice to the watch has no family as its subject: an unbound watch must receive it although it no longer
    // belongs to the family.
    const toWatch = { ...notice, familyId: null, audience: 'MEMBERS' } as const;
    const family = await this.families.get(familyId);
    this.mailboxes.enqueue([
      ...toMailboxEntries([`watch:${did}`], toWatch),
      ...toMailboxEntries(filterRecipients(toMembers, family), toMembers),
    ]);
  }

  /**
   * Notifies the watch and the guardians that the watch's contacts have changed; and the watch and all members, who may
   * all know the child's name, that the child itself has changed.
   */
  @OnEvent('userctx.contact.changed', { handler: 'gateway.notices.send-contact-change' })
  async sendContactsChangeNotice({
    id,
    time,
    payload: contactChange,
  }: EventOf<DomainEvents, 'userctx.contact.changed'>): Promise<void> {
    const { familyId, cid, did, version, change, refId } = contactChange;
    const isAboutChild = change === CONTACT_CHANGE.CHILD_UPDATED;
    // A change of contacts is about the list on the watch; a child without a watch has none.
    if (did === null && !isAboutChild) return;
    const payload: ContactsChangePayload = { did, version, change, refId };
    const kind = 'ContactsChangeNoticeMessage';
    const subject = { familyId, cid, audience: isAboutChild ? 'MEMBERS' : 'GUARDIANS' } as const;
    await this.send(did, { ...subject, source: id, kind, time, from: SYSTEM_SENDER, did, payload });
  }

  /** Notifies both watches and the guardians of both families of a friend request's state. */
  @OnEvent('userctx.friend-application.changed', { handler: 'gateway.notices.send-friend-request' })
  async sendFriendRequestNotice({ id, payload: request }: FriendApplicationEvent): Promise<void> {
    const { applicationId, from, to, state, time } = request;
    const payload: AddFriendPayload = { applicationId, from: from.did, state };
    const kind = 'AddFriendNoticeMessage';
    for (const { familyId, cid } of [from, to]) {
      const { children } = await this.families.get(familyId);
      const did = children.find((child) => child.cid === cid)?.did ?? null;
      const subject = { familyId, cid, audience: 'GUARDIANS' } as const;
      await this.send(did, { ...subject, source: id, kind, time, from: SYSTEM_SENDER, did, payload });
    }
  }

  /** Sends a location request to the watch. */
  @OnEvent('userctx.location.asked', { handler: 'gateway.notices.send-location-request' })
  sendLocationRequestNotice({ id, payload: request }: EventOf<DomainEvents, 'userctx.location.asked'>): Promise<void> {
    const { familyId, cid, did, askId, by, deadline, time } = request;
    const payload: AskLocationPointPayload = { askId, by, deadline };
    const kind = 'AskLocationPointNoticeMessage';
    const subject = { familyId, cid, audience: 'LOCATION' } as const;
    const notice = { ...subject, source: id, kind, time, from: SYSTEM_SENDER, did, payload } as const;
    this.mailboxes.enqueue(toMailboxEntries([`watch:${did}`], notice));
    return Promise.resolve();
  }

  /**
   * Sends remote commands to the watch only. The message has the id of the command, by which the watch acknowledges
   * the command and the gateway withdraws a cancelled command. A command that is queued and cancelled in one
   * transaction is neither sent nor reported as sent. One handler processes queued and cancelled commands, so that a
   * cancellation cannot overtake the command.
   */
  @OnEvent(['userctx.remote-command.queued', 'userctx.remote-command.cancelled'], {
    handler: 'gateway.notices.send-remote-command',
  })
  async sendRemoteCommand({ name, payload: remoteCommand }: EventOf<DomainEvents, CommandEvent>): Promise<void> {
    const { did, commandId } = remoteCommand;
    if (name === 'userctx.remote-command.cancelled') {
      this.cancelledCommandIdsOfTransaction().add(commandId);
      await this.mailboxes.withdraw([`watch:${did}`], [commandId]);
      return;
    }
    const cancelled = this.cancelledCommandIdsOfTransaction();
    this.mailboxes.enqueueBeforeCommit(async () => {
      if (cancelled.has(commandId)) return [];
      const sent = { did, commandId, time: this.clock.now() };
      await this.outbox.append({ name: 'gateway.remote-command.sent', key: `watch:${did}`, payload: sent });
      return toCommandEntries(remoteCommand);
    });
  }

  private cancelledCommandIdsOfTransaction(): Set<string> {
    const transaction = this.unitOfWork.manager;
    const commandIds = this.cancelledCommandIds.get(transaction) ?? new Set<string>();
    this.cancelledCommandIds.set(transaction, commandIds);
    return commandIds;
  }

  /**
   * Notifies the watch and the guardians of a new settings version. When the watch has responded to the new version,
   * notifies the guardians of the result; until then the version is PENDING. One handler processes changes and the
   * watch's responses, so that a change is published before the response.
   */
  @OnEvent(['userctx.watch-settings.changed', 'userctx.watch-settings.answered'], {
    handler: 'gateway.notices.send-settings-change',
  })
  async sendSettingsChangeNotice({ id, time, payload: change }: EventOf<DomainEvents, SettingsEvent>): Promise<void> {
    const { familyId, cid, did, resource, version } = change;
    // A child without a watch needs no notice. A watch that is bound later gets the settings when it is bound.
    if (did === null) return;
    const response = 'state' in change ? { state: change.state } : undefined;
    const payload: SettingsChangePayload = { did, version, ...response };
    const subject = { familyId, cid, audience: 'GUARDIANS' } as const;
    const kind = SETTINGS_NOTICE[resource];
    await this.send(response ? null : did, { ...subject, source: id, kind, time, from: SYSTEM_SENDER, did, payload });
  }

  /** Sends the notice to this watch, if any, and to the members that the audience selects. */
  private async send(watch: number | null, notice: NewMessage & { familyId: string }): Promise<void> {
    const members = filterRecipients(notice, await this.families.get(notice.familyId));
    this.mailboxes.enqueue(toMailboxEntries(watch === null ? members : [`watch:${watch}`, ...members], notice));
  }
}

function bindStateOf(name: BindingEvent, binding: DomainEvents[BindingEvent]): BindState {
  if ('lost' in binding) return binding.lost ? BIND_STATE.LOST : BIND_STATE.BOUND;
  return name === 'userctx.watch.bound' ? BIND_STATE.BOUND : BIND_STATE.UNBOUND;
}

function toCommandEntries(remoteCommand: DomainEvents['userctx.remote-command.queued']): MailboxEntry[] {
  const { familyId, cid, did, commandId, command, time } = remoteCommand;
  const payload: RemoteControlPayload = { commandId };
  const subject = { familyId, cid, audience: 'REMOTE' } as const;
  const notice = {
    ...subject,
    source: commandId,
    kind: COMMAND_KIND[command],
    time,
    from: SYSTEM_SENDER,
    did,
    payload,
  };
  return toMailboxEntries([`watch:${did}`], notice).map((entry) => ({ ...entry, id: commandId }));
}
