import { Injectable } from '@nestjs/common';
import type { OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { SYSTEM_SENDER } from '@family-watch/domain/messages/contracts/envelope';
import type { SettingsChangePayload } from '@family-watch/domain/messages/contracts/watch-notices';
import { SETTINGS_NOTICE } from '@family-watch/domain/watch-settings/contracts/settings-notices';
import type { EventHandler } from '@family-watch/event-bus/event-handler';
import type { EventOf } from '@family-watch/event-bus/event-map';
import { GatewayEventConsumer } from '../../infrastructure/gateway.event-consumer.js';
import { filterRecipients } from '../../protocol/delivery-access.js';
import { FamilyLookupService } from '../families/family-lookup.service.js';
import { toMailboxEntries } from '../mailbox/mailbox-entry.js';
import { MailboxService } from '../mailbox/mailbox.service.js';

type SettingsEvent = 'userctx.watch-settings.changed' | 'userctx.watch-settings.answered';

/**
 * Notifies the watch and the guardians of a new settings version. When the watch has responded to the new version,
 * notifies the guardians of the result; until then the version is PENDING.
 */
@Injectable()
export class SendSettingsChangeNoticeHandler implements EventHandler<DomainEvents, SettingsEvent>, OnModuleInit {
  readonly name = 'gateway.notices.tell-settings-change';
  // One handler processes changes and the watch's responses, so that a change is published before the response.
  readonly event = ['userctx.watch-settings.changed', 'userctx.watch-settings.answered'] as const;

  constructor(
    private readonly consumer: GatewayEventConsumer,
    private readonly families: FamilyLookupService,
    private readonly mailboxes: MailboxService,
  ) {}

  onModuleInit(): void {
    this.consumer.register<SettingsEvent>(this);
  }

  async handle({ id, time, payload: change }: EventOf<DomainEvents, SettingsEvent>): Promise<void> {
    const { familyId, cid, did, resource, version } = change;
    // A child without a watch needs no notice. A watch that is bound later gets the settings when it is bound.
    if (did === null) return;
    const response = 'state' in change ? { state: change.state } : undefined;
    const payload: SettingsChangePayload = { did, version, ...response };
    const subject = { familyId, cid, audience: 'GUARDIANS' } as const;
    const kind = SETTINGS_NOTICE[resource];
    const notice = { ...subject, source: id, kind, time, from: SYSTEM_SENDER, did, payload } as const;
    const guardians = filterRecipients(subject, await this.families.get(familyId));
    this.mailboxes.enqueue(toMailboxEntries(response ? guardians : [`watch:${did}`, ...guardians], notice));
  }
}
