import { Injectable } from '@nestjs/common';
import { FamilyRepository } from './family.repository.js';

/** Answers other contexts at which version a family's snapshot is. */
@Injectable()
export class FamilyVersionsService {
  constructor(private readonly families: FamilyRepository) {}

  /** Null for a family that is not there. */
  async find(familyId: string): Promise<number | null> {
    const [family] = await this.families.findAll([familyId]);
    return family?.version ?? null;
  }
}
