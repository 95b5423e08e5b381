import { Injectable } from '@nestjs/common';
import { ChildRepository } from './child.repository.js';

/** Finds data of children for other contexts. Callers must check access with `FamilyAccessService` first. */
@Injectable()
export class ChildDirectoryService {
  constructor(private readonly children: ChildRepository) {}

  /** Returns the IANA name of the child's time zone, or null when the family has no such child. */
  async findTimeZone(familyId: string, cid: string): Promise<string | null> {
    const child = await this.children.find(familyId, cid);
    return child?.timeZone ?? null;
  }
}
