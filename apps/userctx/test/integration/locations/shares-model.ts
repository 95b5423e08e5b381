/** Caller of a step. In this model, only the membership and the role of the guardian change. */
export type Actor = 'owner' | 'guardian' | 'caregiver' | 'stranger';
export type GuardianState = 'allowed' | 'caregiver' | 'removed';

interface ShareState {
  creator: Actor;
  expiresAt: number;
  isEnded: boolean;
}

/** Model of a child's shares, independent of the service's tables. Times are Unix milliseconds. */
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

  delete(creator: Actor, index: number, now: number): string {
    const share = this.shares[index];
    const reason = this.rejectionReason(creator, 'SHARE_NOT_FOUND');
    if (!share || share.isEnded || share.expiresAt <= now) return 'SHARE_NOT_FOUND';
    if (reason) return reason;
    share.isEnded = true;
    return 'ok';
  }

  list(creator: Actor): string {
    return this.rejectionReason(creator, 'CHILD_NOT_FOUND') ?? 'ok';
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

  private rejectionReason(creator: Actor, unknown: string): string | undefined {
    if (!this.isChildPresent || creator === 'stranger' || (creator === 'guardian' && this.guardian === 'removed'))
      return unknown;
    if (creator === 'caregiver' || (creator === 'guardian' && this.guardian !== 'allowed')) return 'PERMISSION_MISSING';
    return undefined;
  }
}
