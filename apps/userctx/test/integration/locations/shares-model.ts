/** Caller of a step. Only the membership and the role of the guardian change. */
export type Actor = 'owner' | 'guardian' | 'caregiver' | 'stranger';
export type GuardianState = 'allowed' | 'caregiver' | 'removed';

interface Link {
  by: Actor;
  expiresAt: number;
  ended: boolean;
}

/** Model of a child's shares, independent of the service's tables. Times are Unix milliseconds. */
export class SharesModel {
  readonly shares: Link[] = [];
  guardian: GuardianState = 'allowed';
  isChildPresent = true;

  constructor(private readonly limit: number) {}

  create(by: Actor, now: number, expiresIn: number): string {
    const reason = this.rejectionReason(by, 'CHILD_NOT_FOUND');
    if (reason) return reason;
    if (this.activeIndexes(now).length >= this.limit) return 'LIMIT_REACHED';
    this.shares.push({ by, expiresAt: now + expiresIn * 1_000, ended: false });
    return 'ok';
  }

  delete(by: Actor, index: number, now: number): string {
    const share = this.shares[index];
    const reason = this.rejectionReason(by, 'SHARE_NOT_FOUND');
    if (!share || share.ended || share.expiresAt <= now) return 'SHARE_NOT_FOUND';
    if (reason) return reason;
    share.ended = true;
    return 'ok';
  }

  list(by: Actor): string {
    return this.rejectionReason(by, 'CHILD_NOT_FOUND') ?? 'ok';
  }

  /** Returns the indexes of active shares. */
  activeIndexes(now: number): number[] {
    return [...this.shares.keys()].filter((index) => {
      const share = this.shares[index];
      return share && !share.ended && share.expiresAt > now;
    });
  }

  isValid(index: number, now: number): boolean {
    return this.activeIndexes(now).includes(index) && this.canShare(this.shares[index]?.by ?? 'stranger');
  }

  /** Applies the delivery of the family change: ends the shares of creators who may no longer share. */
  applyFamilyChange(): void {
    for (const share of this.shares) if (!this.canShare(share.by)) share.ended = true;
  }

  expire(now: number): void {
    for (const share of this.shares) if (share.expiresAt <= now) share.ended = true;
  }

  private canShare(by: Actor): boolean {
    return this.rejectionReason(by, 'none') === undefined;
  }

  private rejectionReason(by: Actor, unknown: string): string | undefined {
    if (!this.isChildPresent || by === 'stranger' || (by === 'guardian' && this.guardian === 'removed')) return unknown;
    if (by === 'caregiver' || (by === 'guardian' && this.guardian !== 'allowed')) return 'PERMISSION_MISSING';
    return undefined;
  }
}
