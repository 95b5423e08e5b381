import { familyPrincipals, type FamilySnapshot } from '@family-watch/domain/families/contracts/membership';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';

/** The child that a watch is bound to. */
export interface BoundChild {
  familyId: string;
  cid: string;
}

/** Latest snapshots of the families of retained principals. */
export class FamilyCache {
  private readonly snapshots = new Map<string, FamilySnapshot>();
  private readonly familyIdsByPrincipal = new Map<PrincipalKey, Set<string>>();
  private readonly retainCounts = new Map<PrincipalKey, number>();

  /** Keeps the families of the principal cached until {@link release} has been called once per `retain`. */
  retain(principal: PrincipalKey): void {
    this.retainCounts.set(principal, (this.retainCounts.get(principal) ?? 0) + 1);
  }

  /** Undoes one earlier `retain` of the principal, and evicts families that no longer contain a retained principal. */
  release(principal: PrincipalKey): void {
    const remaining = (this.retainCounts.get(principal) ?? 1) - 1;
    if (remaining > 0) {
      this.retainCounts.set(principal, remaining);
      return;
    }
    this.retainCounts.delete(principal);
    for (const familyId of this.familyIdsOf(principal)) this.evictIfUnused(familyId);
  }

  get(familyId: string): FamilySnapshot | undefined {
    return this.snapshots.get(familyId);
  }

  /** Stores the snapshot if it is newer than the cached one and a principal of the family is retained. */
  put(snapshot: FamilySnapshot): void {
    const cached = this.snapshots.get(snapshot.familyId);
    if (cached && cached.version >= snapshot.version) return;
    if (cached) this.removeFromPrincipals(cached);
    this.snapshots.set(snapshot.familyId, snapshot);
    for (const principal of familyPrincipals(snapshot)) {
      const families = this.familyIdsByPrincipal.get(principal) ?? new Set();
      this.familyIdsByPrincipal.set(principal, families.add(snapshot.familyId));
    }
    this.evictIfUnused(snapshot.familyId);
  }

  /** Ids of the cached families that the principal belongs to. */
  familyIdsOf(principal: PrincipalKey): string[] {
    return [...(this.familyIdsByPrincipal.get(principal) ?? [])];
  }

  /** Returns the latest binding of a watch, if its family is cached. */
  childOf(did: string): BoundChild | undefined {
    for (const familyId of this.familyIdsOf(`watch:${did}`)) {
      const child = this.snapshots.get(familyId)?.children.find((each) => String(each.did) === did);
      if (child) return { familyId, cid: child.cid };
    }
    return undefined;
  }

  private evictIfUnused(familyId: string): void {
    const snapshot = this.snapshots.get(familyId);
    if (!snapshot || familyPrincipals(snapshot).some((principal) => this.retainCounts.has(principal))) return;
    this.removeFromPrincipals(snapshot);
    this.snapshots.delete(familyId);
  }

  private removeFromPrincipals(snapshot: FamilySnapshot): void {
    for (const principal of familyPrincipals(snapshot)) {
      const families = this.familyIdsByPrincipal.get(principal);
      families?.delete(snapshot.familyId);
      if (families?.size === 0) this.familyIdsByPrincipal.delete(principal);
    }
  }
}
