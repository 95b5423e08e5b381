import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx.unit-of-work.js';
import { RevocationService } from '../../accounts/sessions/revocation.service.js';
import { WatchBindingService } from '../binding/watch-binding.service.js';
import { WatchRepository } from '../watch.repository.js';

/** A token may have been checked before the key ended and be signed after; none is under way for longer. */
const TOKENS_UNDER_WAY_MS = 60_000;

/** Ends a watch that is lost or whose key is known to others. */
@Injectable()
export class WatchRevocationService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly watches: WatchRepository,
    private readonly bindings: WatchBindingService,
    private readonly revocations: RevocationService,
  ) {}

  /**
   * The key opens nothing any more, its tokens and sockets end, and the child's binding with it. It cannot be undone:
   * a watch that is found again makes a new key.
   * @throws ServiceError WATCH_NOT_FOUND, also for a watch that was revoked before.
   */
  async revokeKey(did: number, by: PrincipalKey): Promise<void> {
    await this.unitOfWork.run(async () => {
      // First the binding: it locks the family, and families are locked before watches.
      await this.bindings.releaseWatch(did, by);
      if (!(await this.watches.revoke(did, Date.now()))) throw new ServiceError('WATCH_NOT_FOUND');
      // Somebody may have bound it in between; from now on nobody can.
      await this.bindings.releaseWatch(did, by);
      await this.revocations.record([{ principal: `watch:${did}` }], Date.now() + TOKENS_UNDER_WAY_MS);
    });
  }
}
