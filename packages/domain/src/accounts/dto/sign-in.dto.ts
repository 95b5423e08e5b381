import {
  UuidField,
  IntegerField,
  EnumField,
  NameField,
  TimeZoneField,
  StringField,
  BooleanField,
  NestedListField,
  ReferenceField,
  UnixMillisecondsField,
} from '../../kernel/dto/fields.js';
import { DEVICE_KIND, SMS_SCENES, type DeviceKind, type SmsScene } from '../contracts/account.js';
import {
  DeviceNameField,
  DeviceTokenField,
  ChallengeIdField,
  CurrentPasswordField,
  NewPasswordField,
  RefreshTokenCookieField,
  RefreshTokenField,
  SignInLinkTokenField,
  SmsCodeField,
} from './account-fields.js';
import { AccountPhoneNumberField, CallingCodeField } from './phone-fields.js';

/** Requests a code by SMS. */
export class SendSmsCodeDto {
  @CallingCodeField()
  areaCode!: string;

  @AccountPhoneNumberField()
  phoneNumber!: string;

  @EnumField(SMS_SCENES, { description: 'Purpose of the code', example: 'SIGN_UP' })
  scene!: SmsScene;

  @DeviceTokenField({ optional: true })
  deviceToken?: string;
}

/** The response is the same whether or not the phone number has an account. */
export class SmsCodeSentDto {
  @UuidField({ description: 'Identifies the code; send it together with the code' })
  challengeId!: string;

  @IntegerField({ description: 'Seconds until the code expires', example: 300 })
  expiresIn!: number;

  @IntegerField({
    description: 'Seconds to wait before requesting another code of this scene, unless this code has been used',
    example: 60,
  })
  resendAfter!: number;
}

/** Creates an account for the phone number to which the SMS challenge was sent. */
export class SignUpDto {
  @ChallengeIdField()
  challengeId!: string;

  @SmsCodeField()
  code!: string;

  @NewPasswordField({ optional: true })
  password?: string;

  @NameField({ optional: true, description: 'Name that other members see', example: 'Anna' })
  nickname?: string;

  @TimeZoneField({
    optional: true,
    description: 'IANA time zone; also the default time zone of new children. Asia/Shanghai if omitted',
  })
  timeZone?: string;

  @DeviceNameField({ optional: true })
  deviceName?: string;

  @RefreshTokenCookieField()
  refreshTokenCookie?: boolean;
}

/**
 * Credentials: phone number and password, an SMS challenge of scene SIGN_IN and its code, or the token of a sign-in
 * link.
 */
export class SignInDto {
  @CallingCodeField({ optional: true })
  areaCode?: string;

  @AccountPhoneNumberField({ optional: true })
  phoneNumber?: string;

  @CurrentPasswordField({ optional: true })
  password?: string;

  @ChallengeIdField({ optional: true })
  challengeId?: string;

  @SmsCodeField({ optional: true })
  code?: string;

  @SignInLinkTokenField({ optional: true })
  linkToken?: string;

  @DeviceNameField({ optional: true })
  deviceName?: string;

  @DeviceTokenField({ optional: true })
  deviceToken?: string;

  @RefreshTokenCookieField()
  refreshTokenCookie?: boolean;
}

export class RefreshTokenDto {
  @RefreshTokenField({
    optional: true,
    description: 'Opaque refresh token; valid for one use. May be omitted only with `refreshTokenCookie`',
    example: 'vQ3m0wM0q2Hq8rI8m4Jw7o6b7qk0M5pYx1c2T9aZ3fE',
  })
  refreshToken?: string;

  @RefreshTokenCookieField()
  refreshTokenCookie?: boolean;
}

const TOKEN_TYPES = { BEARER: 'Bearer' } as const;

/** The tokens that sign-in and token refresh return. */
export class TokensDto {
  @StringField({
    description: 'JWT for the Authorization header',
    example: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9…',
  })
  accessToken!: string;

  @RefreshTokenField({
    optional: true,
    description: 'Opaque refresh token; valid for one use. Omitted if the request contains `refreshTokenCookie: true`',
  })
  refreshToken?: string;

  @DeviceTokenField({
    description:
      'Proves later that the account was used on this device. Send it with sign-ins and requests for SMS codes.',
  })
  deviceToken!: string;

  @EnumField(TOKEN_TYPES, { example: 'Bearer' })
  tokenType!: 'Bearer';

  @IntegerField({ description: 'Seconds until the access token expires', example: 600 })
  expiresIn!: number;

  @UuidField()
  userId!: string;
}

/** An active session of the caller. */
export class SessionDto {
  @UuidField()
  sessionId!: string;

  @StringField({
    description: 'User-Agent of the client at sign-in',
    nullable: true,
    example: 'FamilyWatch/1.0 (Android 15)',
  })
  client!: string | null;

  @DeviceNameField({ nullable: true, description: 'Name that the app gave the device; null if it gave none' })
  deviceName!: string | null;

  @EnumField(DEVICE_KIND, { example: 'PHONE' })
  kind!: DeviceKind;

  @StringField({
    nullable: true,
    description: 'Network of the device at sign-in: the /24 of an IPv4 address, the /48 of an IPv6 address',
    example: '203.0.113.0/24',
  })
  network!: string | null;

  @UnixMillisecondsField({ description: 'Time of the sign-in' })
  createdAt!: number;

  @UnixMillisecondsField({ description: 'Time of the last refresh' })
  lastUsedAt!: number;

  @BooleanField({ description: 'True for the session of this request', example: true })
  current!: boolean;
}

/** One page of the caller's active sessions, newest first. */
export class SessionPageDto {
  @NestedListField(() => SessionDto, { maxItems: 200 })
  items!: SessionDto[];

  @StringField({ nullable: true, description: '`cursor` of the next page; null on the last page', example: null })
  nextCursor!: string | null;
}

export class DeleteSessionDto {
  @ReferenceField({ description: 'A session of the caller', example: '0d5c1f8e-33a0-4c8e-8f5e-5d1d3a3a9b10' })
  sessionId!: string;
}

/** A public key that verifies access tokens, as a JSON Web Key (RFC 8037). */
export class JwkDto {
  @EnumField({ OKP: 'OKP' }, { example: 'OKP' })
  kty!: 'OKP';

  @EnumField({ ED25519: 'Ed25519' }, { example: 'Ed25519' })
  crv!: 'Ed25519';

  @StringField({ description: 'The public key, base64url', example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' })
  x!: string;

  @StringField({ example: 'k1-9f3a52c1' })
  kid!: string;

  @EnumField({ EDDSA: 'EdDSA' }, { example: 'EdDSA' })
  alg!: 'EdDSA';

  @EnumField({ SIGNATURE: 'sig' }, { example: 'sig' })
  use!: 'sig';
}

/** The public keys that verify access tokens, as a JSON Web Key set (RFC 7517). */
export class JwksDto {
  @NestedListField(() => JwkDto, { maxItems: 16 })
  keys!: JwkDto[];
}
