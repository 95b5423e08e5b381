import { Injectable } from '@nestjs/common';
import { FamilyRepository } from './family.repository.js';

/** Returns the versions of family snapshots to other contexts. */
@Injectable()
export class FamilyVersionsService {
  constructor(private readonly families: FamilyRepository) {}

  /** Returns null when the family does not exist. */
  async find(familyId: string): Promise<number | null> {
    const [family] = await this.families.findAll([familyId]);
    return family?.version ?? null;
  }
}
