import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { normalizeAreaCode } from '@family-watch/domain/accounts/contracts/account';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { SETTINGS_RESOURCE } from '@family-watch/domain/watch-settings/contracts/settings-state';
import {
  ALLOWED_NUMBER_TTL_SECONDS,
  MAX_ALLOWED_NUMBERS_PER_CHILD,
} from '@family-watch/domain/watch-settings/contracts/stranger-rule';
import type { SettingsVersionDto } from '@family-watch/domain/watch-settings/dto/settings-status.dto';
import type {
  AllowNumberChangedDto,
  AllowNumberReferenceDto,
  CreateAllowNumberDto,
  StrangerRuleDto,
  UpdateStrangerRuleDto,
} from '@family-watch/domain/watch-settings/dto/stranger.dto';
import type { ChildLink } from '../../families/child-watch-links.service.js';
import { FamilyAccessService } from '../../families/family-access.service.js';
import { SettingsChangesService } from '../versions/settings-changes.service.js';
import { StrangerRuleRepository } from './stranger-rule.repository.js';

const RESOURCE = SETTINGS_RESOURCE.REJECT_STRANGER;

/** Calls from strangers are rejected unless the family decides otherwise. */
const REJECTED_BY_DEFAULT = true;

/** Manages whether callers who are not contacts may call a child. */
@Injectable()
export class StrangersService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly changes: SettingsChangesService,
    private readonly rules: StrangerRuleRepository,
  ) {}

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING. */
  async get(caller: Principal, did: number): Promise<StrangerRuleDto> {
    return this.view(await this.access.requireForWatch(caller, did, 'SEE_SETTINGS'));
  }

  /**
   * Returns the rule for an authorized caller. Reads the version before the rule, so the rule is at least as new as the
   * version.
   */
  async view(child: ChildLink): Promise<StrangerRuleDto> {
    const { familyId, cid } = child;
    const status = await this.changes.findStatus(child, RESOURCE);
    const enabled = (await this.rules.findEnabled(familyId, cid)) ?? REJECTED_BY_DEFAULT;
    return { ...status, enabled, allowNumbers: await this.rules.findAllowed(familyId, cid, Date.now()) };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE. */
  async update(caller: Principal, request: UpdateStrangerRuleDto): Promise<SettingsVersionDto> {
    const { version } = await this.changes.apply(caller, request, RESOURCE, async ({ familyId, cid }) => {
      const before = (await this.rules.findEnabled(familyId, cid)) ?? REJECTED_BY_DEFAULT;
      const hasChanged = request.enabled !== before;
      if (hasChanged) await this.rules.setEnabled(familyId, cid, request.enabled);
      return { hasChanged, result: undefined };
    });
    return { version };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, LIMIT_REACHED. */
  async allow(caller: Principal, request: CreateAllowNumberDto): Promise<AllowNumberChangedDto> {
    const { version, result } = await this.changes.apply(caller, request, RESOURCE, async ({ familyId, cid }) => {
      const now = Date.now();
      const existing = await this.rules.findAllowed(familyId, cid, now);
      if (existing.length >= MAX_ALLOWED_NUMBERS_PER_CHILD) throw new ServiceError('LIMIT_REACHED');
      const allowNumber = {
        allowId: randomUUID(),
        areaCode: normalizeAreaCode(request.areaCode),
        phoneNumber: request.phoneNumber,
        once: request.once ?? true,
        expiresAt: now + (request.expiresIn ?? ALLOWED_NUMBER_TTL_SECONDS.DEFAULT) * 1_000,
      };
      await this.rules.allow(familyId, cid, allowNumber, now);
      return { hasChanged: true, result: allowNumber };
    });
    return { version, allowNumber: result };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, VERSION_STALE, ALLOW_NUMBER_NOT_FOUND. */
  async disallow(caller: Principal, request: AllowNumberReferenceDto): Promise<SettingsVersionDto> {
    const { version } = await this.changes.apply(caller, request, RESOURCE, async ({ familyId, cid }) => {
      const existing = await this.rules.findAllowed(familyId, cid, Date.now());
      const found = existing.find(({ allowId }) => allowId === request.allowId);
      if (!found) throw new ServiceError('ALLOW_NUMBER_NOT_FOUND');
      await this.rules.disallow(familyId, cid, [found.allowId]);
      return { hasChanged: true, result: undefined };
    });
    return { version };
  }
}
