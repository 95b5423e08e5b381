import { Injectable } from '@nestjs/common';
import type { FamilyRole } from '@family-watch/domain/families/contracts/family-role';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { PrincipalKey } from '@family-watch/domain/kernel/contracts/principal';
import { ServiceError, validationError } from '@family-watch/domain/kernel/contracts/service-error';
import type { DeliveriesDto, DeliveriesQueryDto } from '@family-watch/domain/operators/dto/support.dto';
import { AccountService } from '../accounts/account.service.js';
import { FamilyRosterService } from '../families/family-roster.service.js';
import { WatchStatesService } from '../watches/status/watch-states.service.js';
import { AdministeredAppsService } from './administered-apps.service.js';

/** The principals whose deliveries are diagnosed, with the role of each member of the family. */
interface Subject {
  familyId: string | null;
  roles: ReadonlyMap<PrincipalKey, FamilyRole | null>;
}

/** Shows operators why a family, a person or a watch does not receive messages, without what the messages say. */
@Injectable()
export class DeliveriesService {
  constructor(
    private readonly apps: AdministeredAppsService,
    private readonly roster: FamilyRosterService,
    private readonly accounts: AccountService,
    private readonly watches: WatchStatesService,
  ) {}

  /**
   * @throws ServiceError VALIDATION_FAILED unless the query contains exactly one id; SERVICE_UNAVAILABLE without the gateway
   * @throws ServiceError FAMILY_NOT_FOUND, ACCOUNT_NOT_FOUND, WATCH_NOT_FOUND
   */
  async diagnose(query: DeliveriesQueryDto): Promise<DeliveriesDto> {
    const { familyId, roles } = await this.findSubject(query);
    const request = { familyId, principals: [...roles.keys()] };
    const { principals, ...family } = await this.apps.askDeliveries((deliveries) => deliveries.diagnose(request));
    const items = principals.map((delivery) => ({ ...delivery, role: roles.get(delivery.principal) ?? null }));
    return { familyId, items, ...family };
  }

  private findSubject({ familyId, userId, did }: DeliveriesQueryDto): Promise<Subject> {
    if ([familyId, userId, did].filter((id) => id !== undefined).length !== 1)
      throw validationError('', 'either', 'provide either familyId, userId or did');
    if (familyId !== undefined) return this.findFamily(familyId.toLowerCase());
    return userId === undefined ? this.findWatch(did ?? 0) : this.findPerson(userId.toLowerCase());
  }

  private async findFamily(familyId: string): Promise<Subject> {
    if (!isUuid(familyId)) throw new ServiceError('FAMILY_NOT_FOUND');
    const members = await this.roster.findMembers(familyId);
    if (members.length === 0) throw new ServiceError('FAMILY_NOT_FOUND');
    const children = await this.roster.findChildren(familyId);
    const watches = children.flatMap(({ did }) => (did === null ? [] : [did]));
    return {
      familyId,
      roles: new Map<PrincipalKey, FamilyRole | null>([
        ...members.map(({ userId, role }) => [`user:${userId}`, role] as const),
        ...watches.map((did) => [`watch:${did}`, null] as const),
      ]),
    };
  }

  private async findPerson(userId: string): Promise<Subject> {
    if (!isUuid(userId) || !(await this.accounts.findProfile(userId))) throw new ServiceError('ACCOUNT_NOT_FOUND');
    return { familyId: null, roles: new Map<PrincipalKey, null>([[`user:${userId}`, null]]) };
  }

  private async findWatch(did: number): Promise<Subject> {
    const [watch] = (await this.watches.find({ did })).items;
    if (!watch) throw new ServiceError('WATCH_NOT_FOUND');
    return { familyId: watch.familyId, roles: new Map<PrincipalKey, null>([[`watch:${did}`, null]]) };
  }
}
