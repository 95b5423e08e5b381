import type { CompiledChildRules } from '@family-watch/domain/child-rules/check-communication';

/** Rules of the children who were asked for, `null` for one of whom nothing is known; the oldest is forgotten first. */
export class ChildRulesCache {
  private readonly known = new Map<string, CompiledChildRules | null>();

  constructor(private readonly size: number) {}

  get(cid: string): CompiledChildRules | null | undefined {
    return this.known.get(cid);
  }

  /** Keeps what was read, unless newer rules were read meanwhile. */
  put(cid: string, rules: CompiledChildRules | null): void {
    const before = this.known.get(cid);
    if (before && before.version >= (rules?.version ?? 0)) return;
    if (before === undefined && this.known.size >= this.size) this.known.delete(this.known.keys().next().value ?? '');
    this.known.set(cid, rules);
  }

  invalidate(cid: string): void {
    this.known.delete(cid);
  }

  /** Forgets rules that are older than `version`. */
  invalidateBefore(cid: string, version: number): void {
    const before = this.known.get(cid);
    if (before !== undefined && (before?.version ?? 0) < version) this.known.delete(cid);
  }
}
