/** Caller of a step. */
export type Actor = 'owner' | 'guardian' | 'caregiver' | 'stranger';
/** Whether the guardian is a guardian (`allowed`), was made a caregiver or was removed from the family. */
export type GuardianState = 'allowed' | 'caregiver' | 'removed';

interface ShareState {
  creator: Actor;
  expiresAt: number;
  isEnded: boolean;
}

/**
 * Model of a child's location shares. Times are Unix milliseconds. Methods return `ok` or the reason of a rejection.
 */
export class SharesModel {
  readonly shares: ShareState[] = [];
  guardian: GuardianState = 'allowed';
  isChildPresent = true;

  constructor(private readonly limit: number) {}

  create(creator: Actor, now: number, expiresIn: number): string {
    const reason = this.rejectionReason(creator, 'CHILD_NOT_FOUND');
    if (reason) return reason;
    if (this.activeIndexes(now).length >= this.limit) return 'LIMIT_REACHED';
    this.shares.push({ creator, expiresAt: now + expiresIn * 1_000, isEnded: false });
    return 'ok';
  }

  delete(caller: Actor, index: number, now: number): string {
    const share = this.shares[index];
    const reason = this.rejectionReason(caller, 'SHARE_NOT_FOUND');
    if (!share || share.isEnded || share.expiresAt <= now) return 'SHARE_NOT_FOUND';
    if (reason) return reason;
    share.isEnded = true;
    return 'ok';
  }

  list(caller: Actor): string {
    return this.rejectionReason(caller, 'CHILD_NOT_FOUND') ?? 'ok';
  }

  /** Returns the indexes of active shares. */
  activeIndexes(now: number): number[] {
    return [...this.shares.keys()].filter((index) => {
      const share = this.shares[index];
      return share && !share.isEnded && share.expiresAt > now;
    });
  }

  isValid(index: number, now: number): boolean {
    return this.activeIndexes(now).includes(index) && this.canShare(this.shares[index]?.creator ?? 'stranger');
  }

  /** Applies the delivery of the event userctx.family.changed: ends the shares of creators who may no longer share. */
  applyFamilyChange(): void {
    for (const share of this.shares) if (!this.canShare(share.creator)) share.isEnded = true;
  }

  expire(now: number): void {
    for (const share of this.shares) if (share.expiresAt <= now) share.isEnded = true;
  }

  private canShare(creator: Actor): boolean {
    return this.rejectionReason(creator, 'none') === undefined;
  }

  /** @param notFoundReason reason for callers who cannot see the child */
  private rejectionReason(caller: Actor, notFoundReason: string): string | undefined {
    if (!this.isChildPresent || caller === 'stranger' || (caller === 'guardian' && this.guardian === 'removed'))
      return notFoundReason;
    if (caller === 'caregiver' || (caller === 'guardian' && this.guardian !== 'allowed')) return 'PERMISSION_MISSING';
    return undefined;
  }
}
