import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { DomainEvents } from '@family-watch/domain/events';
import { MESSAGE_STATUS } from '@family-watch/domain/messages/contracts/payloads';
import { resourceOfNotice, applySettingsAck } from '@family-watch/domain/watch-settings/contracts/settings-state';
import { UserctxOutbox } from '../../../infrastructure/userctx-infrastructure.js';
import { WatchBindingService } from '../../watches/binding/watch-binding.service.js';
import { SettingsVersionRepository } from './settings-version.repository.js';

type AcknowledgedEvent = DomainEvents['gateway.message.acknowledged'];

/** Stores watches' acknowledgements of settings versions. */
@Injectable()
export class SettingsAcksService {
  constructor(
    private readonly bindings: WatchBindingService,
    private readonly versions: SettingsVersionRepository,
    private readonly outbox: UserctxOutbox,
  ) {}

  /**
   * Records an acknowledgement of the currently bound watch if it names a version and was sent since the watch was
   * bound. `time` is when the acknowledgement was sent, in Unix milliseconds. Acknowledgements of guardians are
   * ignored, because they do not concern the watch.
   */
  async record({ by, kind, did, cid, status, version, reason }: AcknowledgedEvent, time: number): Promise<void> {
    const resource = resourceOfNotice(kind);
    if (!resource || did === null || by !== `watch:${did}`) return;
    if (version === null || status === MESSAGE_STATUS.READ) return;
    const binding = await this.bindings.findAt(did, Date.now());
    if (!binding || binding.cid !== cid || binding.boundAt > time) return;
    const { familyId, boundAt } = binding;
    const stored = await this.versions.lock(familyId, binding.cid, resource);
    // Another watch may have been bound and acknowledged before the lock was acquired.
    const currentBinding = await this.bindings.findAt(did, Date.now());
    if (!stored || currentBinding?.boundAt !== boundAt) return;
    const before = stored.ack?.did === did && stored.ack.boundAt === boundAt ? stored.ack : null;
    const after = applySettingsAck(before, { version, status, reason }, stored.version);
    if (after === null || isDeepStrictEqual({ ...after, did, boundAt }, before)) return;
    await this.versions.saveAck(familyId, binding.cid, resource, { ...after, did, boundAt });
    // An acknowledgement of an older version is not published, because it would replace the notice of the newest
    // version.
    if (after.version !== stored.version) return;
    const payload = { familyId, cid: binding.cid, did, resource, version: after.version, state: after.status };
    await this.outbox.append({ name: 'userctx.watch-settings.answered', key: familyId, payload });
  }
}
