import type { CompiledChildRules } from '@family-watch/domain/child-rules/check-communication';

/** Cache of children's rules, `null` for a child without stored rules. The oldest entry is evicted first. */
export class ChildRulesCache {
  private readonly entries = new Map<string, CompiledChildRules | null>();

  constructor(private readonly maxEntries: number) {}

  get(cid: string): CompiledChildRules | null | undefined {
    return this.entries.get(cid);
  }

  /** Caches rules read from the database, unless newer rules were cached meanwhile. */
  put(cid: string, rules: CompiledChildRules | null): void {
    const cached = this.entries.get(cid);
    if (cached && cached.version >= (rules?.version ?? 0)) return;
    if (cached === undefined && this.entries.size >= this.maxEntries)
      this.entries.delete(this.entries.keys().next().value ?? '');
    this.entries.set(cid, rules);
  }

  invalidate(cid: string): void {
    this.entries.delete(cid);
  }

  /** Invalidates rules that are older than `version`. */
  invalidateBefore(cid: string, version: number): void {
    const cached = this.entries.get(cid);
    if (cached !== undefined && (cached?.version ?? 0) < version) this.entries.delete(cid);
  }
}
