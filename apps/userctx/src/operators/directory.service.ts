import { Injectable } from '@nestjs/common';
import type {
  AccountListQueryDto,
  AccountPageDto,
  AccountStateDto,
  FamilyStatePageDto,
  FamilyStatesQueryDto,
  FindAccountDto,
} from '@family-watch/domain/operators/dto/directory.dto';
import { ServiceError } from '@family-watch/domain/kernel/contracts/service-error';
import { AccountStatesService, type AccountOnlyState } from '../accounts/account-states.service.js';
import { FamilyStatesService } from '../families/family-states.service.js';
import { EntitlementsService } from '../payments/entitlements.service.js';

/** Finds persons and families for operators: states and counts, without names and phone numbers. */
@Injectable()
export class DirectoryService {
  constructor(
    private readonly accounts: AccountStatesService,
    private readonly families: FamilyStatesService,
    private readonly entitlements: EntitlementsService,
  ) {}

  /** @throws ServiceError ACCOUNT_NOT_FOUND, VALIDATION_FAILED */
  async findAccount(phone: FindAccountDto): Promise<AccountStateDto> {
    const found = await this.accounts.findByPhone(phone);
    const [account] = await this.withFamilies(found ? [found] : []);
    if (!account) throw new ServiceError('ACCOUNT_NOT_FOUND');
    return account;
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  async listAccounts(query: AccountListQueryDto): Promise<AccountPageDto> {
    const page = await this.accounts.findPage(query);
    return { ...page, items: await this.withFamilies(page.items) };
  }

  /** @throws ServiceError VALIDATION_FAILED when the cursor is malformed */
  async listFamilies(query: FamilyStatesQueryDto): Promise<FamilyStatePageDto> {
    const page = await this.families.findPage(query);
    const active = await this.entitlements.findActive(page.items.map(({ familyId }) => familyId));
    const plans = Map.groupBy(active, ({ familyId }) => familyId);
    const items = page.items.map((family) => ({
      ...family,
      plans: (plans.get(family.familyId) ?? []).map(({ kind, endsAt }) => ({ kind, endsAt })),
    }));
    return { ...page, items };
  }

  private async withFamilies(accounts: readonly AccountOnlyState[]): Promise<AccountStateDto[]> {
    const memberships = await this.families.findMemberships(accounts.map(({ userId }) => userId));
    const byUser = Map.groupBy(memberships, ({ userId }) => userId);
    return accounts.map((account) => ({
      ...account,
      families: (byUser.get(account.userId) ?? []).map(({ familyId, role }) => ({ familyId, role })),
    }));
  }
}
