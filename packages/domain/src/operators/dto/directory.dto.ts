import { AccountPhoneNumberField, CallingCodeField } from '../../accounts/dto/phone-fields.js';
import { FAMILY_LIMITS } from '../../families/contracts/family.js';
import { FAMILY_ROLE, type FamilyRole } from '../../families/contracts/family-role.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import {
  BooleanField,
  DeviceIdField,
  EnumField,
  IntegerField,
  NestedListField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
  UuidField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { MAX_ENTITLEMENTS_RETURNED, PRODUCT_KIND, type ProductKind } from '../../payments/contracts/payment.js';
import { ACCOUNT_STATE, FAMILY_STATE, type AccountState, type FamilyState } from '../contracts/directory.js';

export class FindAccountDto {
  @CallingCodeField()
  areaCode!: string;

  @AccountPhoneNumberField()
  phoneNumber!: string;
}

export class AccountListQueryDto extends PageQueryDto {
  @EnumField(ACCOUNT_STATE, { optional: true, description: 'Returns only accounts in this state' })
  state?: AccountState;

  @ReferenceField({ optional: true, description: 'Returns only this account' })
  userId?: string;
}

class AccountFamilyDto {
  @UuidField()
  familyId!: string;

  @EnumField(FAMILY_ROLE)
  role!: FamilyRole;
}

/** States of a person's account, without name and phone number. */
export class AccountStateDto {
  @UuidField()
  userId!: string;

  @UnixMillisecondsField()
  createdAt!: number;

  @UnixMillisecondsField({ nullable: true, description: 'Null while the person may sign in' })
  suspendedAt!: number | null;

  @BooleanField({ description: 'False if the person signs in with SMS codes or a link only' })
  hasPassword!: boolean;

  @IntegerField({ min: 0, description: 'Active sessions, one per browser or app' })
  sessions!: number;

  @NestedListField(() => AccountFamilyDto, { description: 'Families to which the person belongs', maxItems: 1_000 })
  families!: AccountFamilyDto[];
}

export class AccountPageDto {
  @NestedListField(() => AccountStateDto, { maxItems: MAX_PAGE_LIMIT })
  items!: AccountStateDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor!: string | null;
}

export class FamilyStatesQueryDto extends PageQueryDto {
  @ReferenceField({ optional: true, description: 'Returns only this family. Parents see the id in their app.' })
  familyId?: string;

  @EnumField(FAMILY_STATE, { optional: true, description: 'Returns only families in this state' })
  state?: FamilyState;
}

class FamilyMemberStateDto {
  @UuidField()
  userId!: string;

  @EnumField(FAMILY_ROLE)
  role!: FamilyRole;
}

/** A child, without its id. */
class FamilyChildStateDto {
  @DeviceIdField({ nullable: true, description: 'Watch of the child; null while none is bound' })
  did!: number | null;
}

class FamilyPlanDto {
  @EnumField(PRODUCT_KIND)
  kind!: ProductKind;

  @UnixMillisecondsField()
  endsAt!: number;
}

/** States and counts of a family, without names. */
export class FamilyStateDto {
  @UuidField()
  familyId!: string;

  @UnixMillisecondsField()
  createdAt!: number;

  @UnixMillisecondsField({ nullable: true, description: 'Null unless the family is dissolved' })
  dissolvedAt!: number | null;

  @NestedListField(() => FamilyMemberStateDto, { maxItems: FAMILY_LIMITS.members, description: 'Owner first' })
  members!: FamilyMemberStateDto[];

  @NestedListField(() => FamilyChildStateDto, { maxItems: FAMILY_LIMITS.children, description: 'One per child' })
  children!: FamilyChildStateDto[];

  @NestedListField(() => FamilyPlanDto, {
    maxItems: MAX_ENTITLEMENTS_RETURNED,
    description: 'What the family has paid for and can use now, in the order of the ends',
  })
  plans!: FamilyPlanDto[];
}

export class FamilyStatePageDto {
  @NestedListField(() => FamilyStateDto, { maxItems: MAX_PAGE_LIMIT })
  items!: FamilyStateDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor!: string | null;
}
