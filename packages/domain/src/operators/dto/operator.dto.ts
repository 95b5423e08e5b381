import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayUnique, IsIn } from 'class-validator';
import { CurrentPasswordField, DeviceTokenField, NewPasswordField } from '../../accounts/dto/account-fields.js';
import {
  BooleanField,
  IntegerField,
  NestedListField,
  ReferenceField,
  StringField,
  StringListField,
  UnixMillisecondsField,
  UuidField,
} from '../../kernel/dto/fields.js';
import { PageQueryDto } from '../../kernel/dto/page-query.dto.js';
import { LOGIN_NAME_PATTERN, OPERATOR_ROLE, type OperatorRole } from '../contracts/operator.js';

function RolesField(): PropertyDecorator {
  const roles = Object.values(OPERATOR_ROLE);
  return applyDecorators(
    StringListField({ minItems: 1, maxItems: roles.length, maxLength: 16, example: ['SUPPORT'] }),
    ArrayUnique(),
    IsIn(roles, { each: true }),
  );
}

/** Any text is accepted, so that an invalid code is rejected like a wrong code. */
function SecondFactorField(): PropertyDecorator {
  return StringField({
    minLength: 1,
    maxLength: 32,
    description: 'The six digits of the authenticator app, or an unused recovery code',
    example: '402913',
  });
}

export class OperatorSignInDto {
  @StringField({ minLength: 1, maxLength: 32, example: 'anna' })
  loginName!: string;

  @CurrentPasswordField()
  password!: string;

  @SecondFactorField()
  code!: string;

  @DeviceTokenField({ optional: true })
  deviceToken?: string;
}

export class OperatorTokenDto {
  @StringField({
    description: 'JWT for the Authorization header; valid for the operations of operators only',
    example: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9…',
  })
  accessToken!: string;

  @StringField({ example: 'Bearer' })
  tokenType!: 'Bearer';

  @IntegerField({ description: 'Seconds until the session expires. A session cannot be extended.', example: 3_600 })
  expiresIn!: number;

  @DeviceTokenField({ description: 'Proves later that the operator has signed in on this device' })
  deviceToken!: string;

  @UuidField()
  operatorId!: string;

  @StringListField({
    maxItems: 4,
    description: 'Roles at the sign-in, so that a page shows what the operator may do',
    example: ['SUPPORT'],
  })
  roles!: OperatorRole[];
}

export class CreateOperatorDto {
  @StringField({ pattern: LOGIN_NAME_PATTERN, maxLength: 32, example: 'anna' })
  loginName!: string;

  @RolesField()
  roles!: OperatorRole[];
}

/** The second factor of an operator. The service shows it once and stores it encrypted or as digests. */
export class SecondFactorDto {
  @StringField({
    description: 'Address of the TOTP secret for authenticator apps, usually shown as a QR code',
    example: 'otpauth://totp/Family%20Watch:anna?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Family%20Watch',
  })
  otpauthUrl!: string;

  @StringListField({
    maxItems: 10,
    maxLength: 19,
    description: 'Each code replaces the authenticator app for one sign-in',
    example: ['7K2M-9QXD-3HTV-WB5N'],
  })
  recoveryCodes!: string[];
}

export class CreatedOperatorDto extends SecondFactorDto {
  @UuidField()
  operatorId!: string;

  @StringField({ description: 'Initial password, shown once', example: 'H6TQ-2MVK-8XNC-R4DW-5JPZ' })
  password!: string;
}

export class ReplaceOperatorCredentialsDto {
  @CurrentPasswordField()
  password!: string;

  @SecondFactorField()
  code!: string;

  @NewPasswordField()
  newPassword!: string;
}

export class OperatorReferenceDto {
  @ReferenceField()
  operatorId!: string;
}

export class OperatorDto {
  @UuidField()
  operatorId!: string;

  @StringField({ example: 'anna' })
  loginName!: string;

  @StringListField({ maxItems: 4, example: ['SUPPORT'] })
  roles!: OperatorRole[];

  @UnixMillisecondsField()
  createdAt!: number;

  @UnixMillisecondsField({ nullable: true, description: 'Null while the operator may sign in' })
  suspendedAt!: number | null;
}

export class OperatorPageDto {
  @NestedListField(() => OperatorDto, { maxItems: 200 })
  items!: OperatorDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor!: string | null;
}

export class AuditQueryDto extends PageQueryDto {
  @StringField({
    optional: true,
    minLength: 1,
    maxLength: 64,
    description: 'Returns only requests of this actor',
    example: 'operator:5f0c6c9e-6b0a-4d0e-9f55-0d6f2a7c1b11',
  })
  actor?: string;
}

export class AuditEntryDto {
  @UuidField()
  entryId!: string;

  @UnixMillisecondsField()
  time!: number;

  @StringField({
    description: '`operator:<id>`, or `command-line`',
    example: 'operator:5f0c6c9e-6b0a-4d0e-9f55-0d6f2a7c1b11',
  })
  actor!: string;

  @UuidField({ nullable: true, description: 'Null for sign-ins and for the command line' })
  sessionId!: string | null;

  @StringField({ description: 'Id of the operation, or the command', example: 'revokeWatchKey' })
  operation!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Fields of the request that identify what it concerns',
    example: { did: '7312904418220331' },
  })
  fields!: Record<string, string>;

  @BooleanField({ description: 'False if the request was rejected because of its session, roles or credentials' })
  admitted!: boolean;

  @StringField({ nullable: true, example: '192.0.2.1' })
  ip!: string | null;
}

export class AuditPageDto {
  @NestedListField(() => AuditEntryDto, { maxItems: 200 })
  items!: AuditEntryDto[];

  @StringField({ nullable: true, description: '`null` on the last page' })
  nextCursor!: string | null;
}
