import { Injectable } from '@nestjs/common';
import type { FamilyListDto, UpdateFamilyDto } from '@family-watch/domain/families/dto/family.dto';
import type { Principal } from '@family-watch/domain/kernel/contracts/principal';
import { UserctxUnitOfWork } from '../../infrastructure/userctx-infrastructure.js';
import { FamilyAccessService } from './family-access.service.js';
import { FamilySnapshotsService } from './family-snapshots.service.js';
import { FamilyRepository } from './family.repository.js';

/** Lists and renames the caller's families. A family is created only with the first child of an account. */
@Injectable()
export class FamiliesService {
  constructor(
    private readonly unitOfWork: UserctxUnitOfWork,
    private readonly access: FamilyAccessService,
    private readonly families: FamilyRepository,
    private readonly snapshots: FamilySnapshotsService,
  ) {}

  async list(caller: Principal): Promise<FamilyListDto> {
    const roles = new Map(
      (await this.families.findMemberships(caller.id)).map(({ familyId, role }) => [familyId, role]),
    );
    const families = await this.families.findAll([...roles.keys()]);
    const items = families.flatMap(({ familyId, name, ownerUserId, version, createdAt: createTime }) => {
      const role = roles.get(familyId);
      return role ? [{ familyId, name, ownerUserId, role, version, createTime }] : [];
    });
    return { items, nextCursor: null };
  }

  /** @throws ServiceError FAMILY_NOT_FOUND, PERMISSION_MISSING */
  async update(caller: Principal, { familyId, name }: UpdateFamilyDto): Promise<void> {
    await this.unitOfWork.run(async () => {
      await this.access.requireForFamily(caller, familyId, 'RENAME_FAMILY');
      await this.families.rename(familyId, name);
      await this.snapshots.publish(familyId);
    });
  }
}
