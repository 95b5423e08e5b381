import { NestedListField, EnumField, StringField } from '../../kernel/dto/fields.js';

/** A public key (RFC 8037). */
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

/** The public keys that verify access tokens (RFC 7517). */
export class JwksDto {
  @NestedListField(() => JwkDto, { maxItems: 16 })
  keys!: JwkDto[];
}
