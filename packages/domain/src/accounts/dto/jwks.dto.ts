import { NestedList, OneOf, Text } from '../../kernel/dto/fields.js';

/** One public key (RFC 8037). */
export class JwkDto {
  @OneOf({ OKP: 'OKP' }, { example: 'OKP' })
  kty!: 'OKP';

  @OneOf({ ED25519: 'Ed25519' }, { example: 'Ed25519' })
  crv!: 'Ed25519';

  @Text({ description: 'The public key, base64url', example: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' })
  x!: string;

  @Text({ example: 'k1-9f3a52c1' })
  kid!: string;

  @OneOf({ EDDSA: 'EdDSA' }, { example: 'EdDSA' })
  alg!: 'EdDSA';

  @OneOf({ SIGNATURE: 'sig' }, { example: 'sig' })
  use!: 'sig';
}

/** The keys that access tokens are verified with (RFC 7517). */
export class JwksDto {
  @NestedList(() => JwkDto, { maxItems: 16 })
  keys!: JwkDto[];
}
