import { Injectable } from '@nestjs/common';
import { OnEvent, type HandledEvent } from '@family-watch/platform/jobs/on-event.decorator';
import { FriendsService } from './friends.service.js';
import { FriendshipRepository } from './friendship.repository.js';

type ChildRemoval = 'userctx.child.deleted' | 'userctx.child.erased';

/** Ends the friendships of deleted children. */
@Injectable()
export class FriendsEventHandlers {
  constructor(
    private readonly friendships: FriendshipRepository,
    private readonly friends: FriendsService,
  ) {}

  /**
   * Ends the friendships of a deleted child; restoring the child does not restore its friendships. Deletes all
   * friendships of an erased child. One handler processes deletion and erasure in order, so that no friendship is
   * ended after its erasure.
   */
  @OnEvent(['userctx.child.deleted', 'userctx.child.erased'], { handler: 'userctx.friends.end-for-deleted-child' })
  async endChildFriendships({ name, payload: { familyId, cid } }: HandledEvent<ChildRemoval>): Promise<void> {
    if (name === 'userctx.child.erased') return this.friendships.erase({ familyId, cid });
    for (const friendship of await this.friendships.lockAll({ familyId, cid })) {
      await this.friends.transition(friendship, { type: 'CLOSE' });
    }
  }
}
