import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { UserctxOutbox } from '../../infrastructure/userctx.outbox.js';
import { UserctxUnitOfWork } from '../../infrastructure/userctx.unit-of-work.js';
import { ChildDirectoryService } from '../children/child-directory.service.js';
import { ContactDirectoryService } from '../contacts/contact-directory.service.js';
import { FamilyVersionsService } from '../families/family-versions.service.js';
import { SosService } from '../sos/sos.service.js';
import { SchoolSchedulesService } from '../watch-settings/school-times/school-schedules.service.js';
import { ChildRulesRepository } from './child-rules.repository.js';
import { buildRulesContent } from './rules-content.js';
import type { RulesContent } from './rules-content.js';

/** Tells the other apps what a child's watch may be reached by, so that they can hold to it without asking. */
@Injectable()
export class ChildRulesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly outbox: UserctxOutbox,
    private readonly told: ChildRulesRepository,
    private readonly families: FamilyVersionsService,
    private readonly children: ChildDirectoryService,
    private readonly contacts: ContactDirectoryService,
    private readonly schedules: SchoolSchedulesService,
    private readonly calls: SosService,
  ) {}

  /**
   * Tells the rules as they are now, at the next version, if that is not what was last told. Whatever is committed
   * before this begins is in them, so it does not matter in which order the causes are heard of.
   */
  async publishIfChanged(familyId: string, cid: string): Promise<void> {
    await this.unitOfWork.run(async () => {
      const last = await this.told.lock(familyId, cid);
      const rules = await this.read(familyId, cid);
      if (!rules) return this.told.deleteUnpublished(familyId, cid);
      if (isDeepStrictEqual(rules, last.rules)) return;
      const version = last.version + 1;
      await this.told.save(familyId, cid, { version, rules });
      const payload = { ...rules, version };
      await this.outbox.append({ name: 'userctx.child-rules.changed', key: familyId, payload });
    });
  }

  /** Undefined for a child that is not there. */
  private async read(familyId: string, cid: string): Promise<RulesContent | undefined> {
    // Before the contacts: they are then never older than the version that they are told with.
    const familyVersion = await this.families.find(familyId);
    const timeZone = await this.children.findTimeZone(familyId, cid);
    if (familyVersion === null || timeZone === null) return undefined;
    const contacts = await this.contacts.findMembers(familyId, cid);
    const schedule = await this.schedules.find(familyId, cid);
    const callsForHelp = await this.calls.isActive({ familyId, cid });
    return buildRulesContent({ familyId, familyVersion, cid, timeZone, contacts, callsForHelp, ...schedule });
  }
}
