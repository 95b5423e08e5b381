import { Injectable } from '@nestjs/common';
import { compileFences } from '@family-watch/domain/fences/evaluation/compiled-fence';
import type { CompiledFence, ActiveFence } from '@family-watch/domain/fences/evaluation/compiled-fence';
import { FenceRepository } from './fence.repository.js';
import type { MonitoredChild } from './fence-monitor.repository.js';

/** Children whose fences are kept ready; a fence of a hundred corners takes some 10 KB. */
const CAPACITY = 5_000;

type Versioned = Pick<MonitoredChild, 'cid' | 'familyId' | 'version'>;

interface Kept {
  version: number;
  fences: readonly CompiledFence[];
}

/** Fences that are ready to be asked, kept for the children that reported last. */
@Injectable()
export class CompiledFencesService {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly fences: FenceRepository) {}

  /** By child. For units that have not changed the fences themselves: what is rolled back must not be kept. */
  async findByChildren(children: readonly Versioned[]): Promise<Map<string, readonly CompiledFence[]>> {
    const missing = children.filter(({ cid, version }) => this.kept.get(cid)?.version !== version);
    const found = missing.length > 0 ? await this.read(missing) : new Map<string, ActiveFence[]>();
    return new Map(
      children.map((child) => {
        const fences = this.ready(child) ?? compileFences(found.get(child.cid) ?? []);
        this.keep(child, fences);
        return [child.cid, fences];
      }),
    );
  }

  private async read(children: readonly Versioned[]): Promise<Map<string, ActiveFence[]>> {
    return Map.groupBy(await this.fences.findByChildren(children), ({ cid }) => cid);
  }

  private ready({ cid, version }: Versioned): readonly CompiledFence[] | undefined {
    const kept = this.kept.get(cid);
    return kept?.version === version ? kept.fences : undefined;
  }

  /** A map keeps the order of insertion: the first key is the one that was used longest ago. */
  private keep({ cid, version }: Versioned, fences: readonly CompiledFence[]): void {
    this.kept.delete(cid);
    this.kept.set(cid, { version, fences });
    const [oldest] = this.kept.keys();
    if (this.kept.size > CAPACITY && oldest !== undefined) this.kept.delete(oldest);
  }
}
