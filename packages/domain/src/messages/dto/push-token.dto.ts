import { UuidField, NestedField, EnumField, ReferenceField, StringField } from '../../kernel/dto/fields.js';
import { PUSH_SERVICE } from '../contracts/push.js';
import type { PushService, WebPushKeys } from '../contracts/push.js';

const MAX_TOKEN_LENGTH = 2_000;

/** Keys of a browser's subscription (RFC 8291). */
export class WebPushKeysDto implements WebPushKeys {
  @StringField({ minLength: 1, maxLength: 128, description: 'Public key of the browser, P-256, base64url' })
  p256dh!: string;

  @StringField({ minLength: 1, maxLength: 64, description: 'Authentication secret, base64url' })
  auth!: string;
}

/**
 * Registers this session for notifications of one push service, in place of an earlier registration for the same push
 * service.
 */
export class CreatePushTokenDto {
  @EnumField(PUSH_SERVICE)
  service!: PushService;

  @StringField({
    minLength: 1,
    maxLength: MAX_TOKEN_LENGTH,
    description: 'Registration token of the service; for WEB_PUSH the endpoint of the subscription',
    example: 'https://push.example/send/f3a9',
  })
  token!: string;

  @NestedField(() => WebPushKeysDto, { optional: true, description: 'Required for WEB_PUSH; not allowed otherwise' })
  keys?: WebPushKeysDto;
}

export class PushTokenDto {
  @UuidField()
  tokenId!: string;
}

export class DeletePushTokenDto {
  @ReferenceField()
  tokenId!: string;
}
