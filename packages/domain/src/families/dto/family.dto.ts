import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsIn, ValidateBy } from 'class-validator';
import { StepUpDto, StepUpField } from '../../accounts/dto/profile.dto.js';
import { MAX_PAGE_LIMIT } from '../../kernel/contracts/pagination.js';
import type { PrincipalKey } from '../../kernel/contracts/principal.js';
import {
  UuidField,
  IntegerField,
  NameField,
  NestedListField,
  EnumField,
  ReferenceField,
  StringField,
  UnixMillisecondsField,
  ContainsIds,
  ValidateIfPresent,
  describe,
  type FieldOptions,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { CHILD_PERMISSION, FAMILY_ROLE, type FamilyRole, type ChildPermission } from '../contracts/family-role.js';
import { FAMILY_LIMITS, OWNERSHIP_CLAIM_STATE, type OwnershipClaimState } from '../contracts/family.js';

const PERMISSION_NAMES: readonly string[] = Object.values(CHILD_PERMISSION);

/** A list of permissions ({@link CHILD_PERMISSION}). */
export function PermissionsField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent(options),
    IsArray(),
    ArrayMaxSize(PERMISSION_NAMES.length),
    IsIn(PERMISSION_NAMES, { each: true }),
    ApiProperty({
      description: describe(options),
      enum: PERMISSION_NAMES,
      isArray: true,
      required: options.optional !== true,
      example: ['LOCATION', 'CHAT'],
    }),
  );
}

/** Maps the `cid` of each child with individual permissions to a list of permissions ({@link CHILD_PERMISSION}). */
export function ChildPermissionsField(options: FieldOptions = {}): PropertyDecorator {
  return applyDecorators(
    ValidateIfPresent(options),
    ContainsIds(),
    ValidateBy({
      name: 'isChildPermissions',
      validator: {
        validate: isChildPermissions,
        defaultMessage: () => `$property must map at most ${FAMILY_LIMITS.children} cids to lists of permissions`,
      },
    }),
    ApiProperty({
      description: describe({
        description: 'Permissions by `cid`, for children with individual permissions',
        ...options,
      }),
      type: 'object',
      additionalProperties: { type: 'array', items: { type: 'string', enum: [...PERMISSION_NAMES] } },
      selfRequired: options.optional !== true,
      example: { '6f1f7a52-9d0a-4b0e-8f2b-0c6f1a9e7d31': ['LOCATION'] },
    }),
  );
}

function isChildPermissions(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const lists: unknown[] = Object.values(value);
  return (
    lists.length <= FAMILY_LIMITS.children &&
    lists.every((list) => Array.isArray(list) && list.every((name) => PERMISSION_NAMES.includes(name as string)))
  );
}

export const ROLE_DESCRIPTION = '1 owner, 2 guardian, 3 caregiver, 4 contact';

export class FamilyReferenceDto {
  @ReferenceField({ example: '9a7c1e5e-2b4f-4d39-8a53-5f3d8f0f6c11' })
  familyId: string;
}

/** A family that the caller belongs to. */
export class FamilyDto {
  @UuidField()
  familyId: string;

  @NameField({ example: 'The Millers' })
  name: string;

  @UuidField()
  ownerUserId: string;

  @EnumField(FAMILY_ROLE, { description: `Role of the caller: ${ROLE_DESCRIPTION}`, example: 1 })
  role: FamilyRole;

  @IntegerField({ min: 0, max: 2_147_483_647, example: 4, description: 'Increases with every membership change' })
  version: number;

  @UnixMillisecondsField()
  createTime: number;
}

/** All families of the caller, on one page. */
export class FamilyListDto {
  @NestedListField(() => FamilyDto, { maxItems: 1_000 })
  items: FamilyDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}

export class UpdateFamilyDto extends FamilyReferenceDto {
  @NameField({ example: 'The Millers' })
  name: string;
}

export class MemberDto {
  @UuidField()
  familyId: string;

  @UuidField()
  userId: string;

  @NameField({ example: 'Anna' })
  name: string;

  @StringField({ nullable: true, maxLength: 512, description: 'Picture, as the member set it', example: 'media/5b1c' })
  avatar: string | null;

  @EnumField(FAMILY_ROLE, { description: ROLE_DESCRIPTION, example: 2 })
  role: FamilyRole;

  @PermissionsField({ description: 'For every child without an entry in childPermissions' })
  permissions: ChildPermission[];

  @ChildPermissionsField()
  childPermissions: Record<string, ChildPermission[]>;

  @IntegerField({ min: 1, max: 2_147_483_647, example: 1 })
  version: number;

  @UnixMillisecondsField()
  joinTime: number;
}

/** All members of the family, on one page. */
export class MemberListDto {
  @NestedListField(() => MemberDto, { maxItems: 1_000 })
  items: MemberDto[];

  @StringField({ nullable: true, description: 'Always null: the list has one page' })
  nextCursor: string | null;
}

export class MemberReferenceDto extends FamilyReferenceDto {
  @ReferenceField({ example: '3f0c9a4e-77d2-4a0f-bf0e-6f8f4f6f2d10' })
  userId: string;
}

/** Omitted fields are unchanged, but permissions that a new role cannot have are removed. */
export class UpdateMemberDto extends MemberReferenceDto {
  @EnumField(FAMILY_ROLE, { optional: true, description: ROLE_DESCRIPTION, example: 3 })
  role?: FamilyRole;

  @PermissionsField({ optional: true, nullMeans: [] })
  permissions?: ChildPermission[];

  @ChildPermissionsField({ optional: true, nullMeans: {} })
  childPermissions?: Record<string, ChildPermission[]>;
}

const STEP_UP_DESCRIPTION = 'If omitted, the request fails with STEP_UP_REQUIRED';

export class TransferFamilyDto extends MemberReferenceDto {
  @StepUpField(STEP_UP_DESCRIPTION)
  stepUp?: StepUpDto;
}

export class DissolveFamilyDto extends FamilyReferenceDto {
  @StepUpField(STEP_UP_DESCRIPTION)
  stepUp?: StepUpDto;
}

export class ClaimListQueryDto extends PageQueryDto {
  @ReferenceField({ example: '9a7c1e5e-2b4f-4d39-8a53-5f3d8f0f6c11' })
  familyId: string;
}

export class ClaimReferenceDto extends FamilyReferenceDto {
  @ReferenceField({ example: '8e0e2a43-1d3d-4b57-9a44-0b0f4f2f6a10' })
  claimId: string;
}

/** An ownership claim of a guardian and its state. */
export class ClaimDto {
  @UuidField()
  claimId: string;

  @UuidField()
  claimantUserId: string;

  @EnumField(OWNERSHIP_CLAIM_STATE, {
    description:
      'OPEN: not decided yet; REFUSED: by the owner; WITHDRAWN: by the claimant, or because the claimant is no ' +
      'longer a guardian; GRANTED: the claimant is the new owner',
  })
  state: OwnershipClaimState;

  @UnixMillisecondsField()
  createTime: number;

  @UnixMillisecondsField({
    description: 'Time at which the claimant becomes the owner unless the owner refuses the claim before',
  })
  deadline: number;

  @UnixMillisecondsField({
    nullable: true,
    description: 'When the claim was refused, withdrawn or granted; null while the claim is open',
  })
  endTime: number | null;

  @StringField({
    nullable: true,
    example: 'user:3f0c9a4e-77d2-4a0f-bf0e-6f8f4f6f2d10',
    description: 'Principal that ended the claim; null if the service ended it',
  })
  endedBy: PrincipalKey | null;
}

export class ClaimListDto {
  @NestedListField(() => ClaimDto, { maxItems: MAX_PAGE_LIMIT })
  items: ClaimDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page' })
  nextCursor: string | null;
}
