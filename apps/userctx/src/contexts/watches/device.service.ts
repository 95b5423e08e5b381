import { Injectable } from '@nestjs/common';
import { DEFAULT_PAGE_LIMIT } from '@family-watch/domain/kernel/contracts/pagination';
import type { Page } from '@family-watch/domain/kernel/contracts/pagination';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { validationError, ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import type { PageQueryDto } from '@family-watch/domain/kernel/dto/page-query.dto';
import type { UnbindRequestDto, WatchDto } from '@family-watch/domain/watches/dto/watch.dto';
import { CredentialsService } from '../accounts/credentials/credentials.service.js';
import { FamilyAccessService } from '../families/family-access.service.js';
import { isAllowedForChild } from '../families/permission-matrix.js';
import { WatchBindingService } from './binding/watch-binding.service.js';
import { WatchRepository } from './watch.repository.js';
import type { MemberWatchView, WatchView } from './watch.repository.js';

/** Lists, shows and unbinds watches for members of their families. */
@Injectable()
export class DeviceService {
  constructor(
    private readonly access: FamilyAccessService,
    private readonly credentials: CredentialsService,
    private readonly bindings: WatchBindingService,
    private readonly views: WatchRepository,
  ) {}

  /**
   * Lists the watches of all children that the caller may see.
   * @throws ServiceError VALIDATION_FAILED for an invalid cursor.
   */
  async list(caller: Principal, { cursor, limit = DEFAULT_PAGE_LIMIT }: PageQueryDto): Promise<Page<WatchDto>> {
    const watches = await this.views.findViewsByMember(caller.id, cursor === undefined ? 0 : parseCursor(cursor));
    const visible = watches.filter((watch) =>
      isAllowedForChild({ ...watch, userId: caller.id }, 'SEE_CHILD', watch.cid),
    );
    const page = visible.slice(0, limit).map(toWatchView);
    const last = visible.length > limit ? page.at(-1) : undefined;
    return { items: page, nextCursor: last ? String(last.did) : null };
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING. */
  async get(caller: Principal, did: number): Promise<WatchDto> {
    const { familyId } = await this.access.requireForWatch(caller, did, 'SEE_CHILD');
    const view = await this.views.findView(familyId, did);
    if (!view) throw new ServiceError('WATCH_NOT_FOUND');
    return view;
  }

  /** @throws ServiceError WATCH_NOT_FOUND, PERMISSION_MISSING, STEP_UP_REQUIRED. */
  async unbind(caller: Principal, { did, stepUp }: UnbindRequestDto): Promise<void> {
    await this.bindings.assertMayUnbind(caller, did);
    await this.credentials.verifyStepUp(caller.id, stepUp);
    await this.bindings.unbind(caller, did);
  }
}

function toWatchView({ role, permissions, childPermissions, ...view }: MemberWatchView): WatchView {
  return view;
}

function parseCursor(cursor: string): number {
  if (/^\d{1,16}$/.test(cursor) && Number.isSafeInteger(Number(cursor))) return Number(cursor);
  throw validationError('cursor', 'isCursor', 'cursor must be the nextCursor of a previous page');
}
