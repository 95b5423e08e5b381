import { familyPrincipals } from '@family-watch/domain/families/contracts/membership';
import type { FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** The child that a watch acts as. */
export interface BoundChild {
  familyId: string;
  cid: string;
}

/** Snapshots of the families that held principals belong to, the newest of each. */
export class FamilyCache {
  private readonly snapshots = new Map<string, FamilySnapshot>();
  private readonly families = new Map<PrincipalKey, Set<string>>();
  private readonly holds = new Map<PrincipalKey, number>();

  isRetained(principal: PrincipalKey): boolean {
    return this.holds.has(principal);
  }

  retain(principal: PrincipalKey): void {
    this.holds.set(principal, (this.holds.get(principal) ?? 0) + 1);
  }

  /** Forgets families that no held principal belongs to any more. */
  release(principal: PrincipalKey): void {
    const left = (this.holds.get(principal) ?? 1) - 1;
    if (left > 0) {
      this.holds.set(principal, left);
      return;
    }
    this.holds.delete(principal);
    for (const familyId of this.familiesOf(principal)) this.forgetIfUnused(familyId);
  }

  get(familyId: string): FamilySnapshot | undefined {
    return this.snapshots.get(familyId);
  }

  /** Keeps a snapshot that is newer than the known one, if anybody held belongs or belonged to the family. */
  put(snapshot: FamilySnapshot): void {
    const known = this.snapshots.get(snapshot.familyId);
    if (known && known.version >= snapshot.version) return;
    if (known) this.unlink(known);
    this.snapshots.set(snapshot.familyId, snapshot);
    for (const principal of familyPrincipals(snapshot)) {
      const families = this.families.get(principal) ?? new Set();
      this.families.set(principal, families.add(snapshot.familyId));
    }
    this.forgetIfUnused(snapshot.familyId);
  }

  /** Ids of the known families that the principal belongs to. */
  familiesOf(principal: PrincipalKey): string[] {
    return [...(this.families.get(principal) ?? [])];
  }

  /** The newest binding of a watch, as far as it is held. */
  childOf(did: string): BoundChild | undefined {
    for (const familyId of this.familiesOf(`watch:${did}`)) {
      const child = this.snapshots.get(familyId)?.children.find((each) => String(each.did) === did);
      if (child) return { familyId, cid: child.cid };
    }
    return undefined;
  }

  private forgetIfUnused(familyId: string): void {
    const snapshot = this.snapshots.get(familyId);
    if (!snapshot || familyPrincipals(snapshot).some((principal) => this.holds.has(principal))) return;
    this.unlink(snapshot);
    this.snapshots.delete(familyId);
  }

  private unlink(snapshot: FamilySnapshot): void {
    for (const principal of familyPrincipals(snapshot)) {
      const families = this.families.get(principal);
      families?.delete(snapshot.familyId);
      if (families?.size === 0) this.families.delete(principal);
    }
  }
}
