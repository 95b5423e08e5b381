/** Who tries it: the one whose rights change is the guardian. */
export type Actor = 'owner' | 'guardian' | 'caregiver' | 'stranger';
export type Standing = 'allowed' | 'caregiver' | 'removed';

interface Link {
  by: Actor;
  expiresAt: number;
  ended: boolean;
}

/** Links to one child, told without the tables of the service. Times in Unix milliseconds. */
export class SharesModel {
  readonly links: Link[] = [];
  guardian: Standing = 'allowed';
  present = true;

  constructor(private readonly limit: number) {}

  create(by: Actor, now: number, expiresIn: number): string {
    const refusal = this.refusalOf(by, 'CHILD_NOT_FOUND');
    if (refusal) return refusal;
    if (this.listed(now).length >= this.limit) return 'LIMIT_REACHED';
    this.links.push({ by, expiresAt: now + expiresIn * 1_000, ended: false });
    return 'ok';
  }

  delete(by: Actor, index: number, now: number): string {
    const link = this.links[index];
    const refusal = this.refusalOf(by, 'SHARE_NOT_FOUND');
    if (!link || link.ended || link.expiresAt <= now) return 'SHARE_NOT_FOUND';
    if (refusal) return refusal;
    link.ended = true;
    return 'ok';
  }

  list(by: Actor): string {
    return this.refusalOf(by, 'CHILD_NOT_FOUND') ?? 'ok';
  }

  /** Which links can be used or ended. */
  listed(now: number): number[] {
    return [...this.links.keys()].filter((index) => {
      const link = this.links[index];
      return link && !link.ended && link.expiresAt > now;
    });
  }

  opens(index: number, now: number): boolean {
    return this.listed(now).includes(index) && this.mayShare(this.links[index]?.by ?? 'stranger');
  }

  /** The family's change has come over the bus. */
  hearOfChange(): void {
    for (const link of this.links) if (!this.mayShare(link.by)) link.ended = true;
  }

  sweep(now: number): void {
    for (const link of this.links) if (link.expiresAt <= now) link.ended = true;
  }

  private mayShare(by: Actor): boolean {
    return this.refusalOf(by, 'none') === undefined;
  }

  private refusalOf(by: Actor, unknown: string): string | undefined {
    if (!this.present || by === 'stranger' || (by === 'guardian' && this.guardian === 'removed')) return unknown;
    if (by === 'caregiver' || (by === 'guardian' && this.guardian !== 'allowed')) return 'PERMISSION_MISSING';
    return undefined;
  }
}
