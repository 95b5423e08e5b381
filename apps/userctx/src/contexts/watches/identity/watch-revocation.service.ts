import { Injectable } from '@nestjs/common';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { UserctxUnitOfWork } from '../../../infrastructure/userctx-infrastructure.js';
import { RevocationService } from '../../accounts/sessions/revocation.service.js';
import { WatchBindingService } from '../binding/watch-binding.service.js';
import { WatchRepository } from '../watch.repository.js';

/** Maximum time between the check of a key and the signing of its token. */
const TOKEN_ISSUE_WINDOW_MS = 60_000;

/** Revokes watches that are lost or whose key is compromised. */
@Injectable()
export class WatchRevocationService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly watches: WatchRepository,
    private readonly bindings: WatchBindingService,
    private readonly revocations: RevocationService,
  ) {}

  /**
   * Revokes the key, ends its tokens and sockets, and unbinds the watch. Cannot be undone: a watch that is found again
   * enrols a new key.
   * @throws ServiceError WATCH_NOT_FOUND, also for a watch that is already revoked.
   */
  async revokeKey(did: number, by: PrincipalKey): Promise<void> {
    await this.unitOfWork.run(async () => {
      // The watch is unbound first, because unbinding locks the family, and families are locked before watches.
      await this.bindings.endBindingOfWatch(did, by);
      if (!(await this.watches.revoke(did, Date.now()))) throw new ServiceError('WATCH_NOT_FOUND');
      // The watch may have been bound again before the revocation. A revoked watch cannot be bound.
      await this.bindings.endBindingOfWatch(did, by);
      await this.revocations.record([{ principal: `watch:${did}` }], Date.now() + TOKEN_ISSUE_WINDOW_MS);
    });
  }
}
