import { createHmac, timingSafeEqual } from 'node:crypto';
import { DOWNLOAD_VARIANT, SIGNED_URL_TTL_MS } from '@family-watch/domain/family-cloud/contracts/content';
import { isUuid } from '@family-watch/domain/kernel/contracts/identifier';
import type { PrincipalKey, PrincipalType } from '@family-watch/domain/kernel/contracts/principal';
import { decodeBase64Url } from '@family-watch/platform/auth/token-verifier';

/** What a signed URL refers to: also the thumbnail of a file in the recycle bin, which only its list contains. */
export const URL_VARIANT = { ...DOWNLOAD_VARIANT, RECYCLED_THUMBNAIL: 3 } as const;
export type UrlVariant = (typeof URL_VARIANT)[keyof typeof URL_VARIANT];

/** The claims in a signed URL. Times in Unix milliseconds. */
export interface SignedUrlClaims {
  variant: UrlVariant;
  contentId: string;
  cloudId: string;
  principal: PrincipalKey;
  sessionId: string;
  createdAt: number;
  expiresAt: number;
}

/** A key that signs URLs; its id is part of each token. */
export interface UrlSigningKey {
  keyId: number;
  secret: Buffer;
}

const TOKEN_VERSION = 1;
const HEAD_BYTES = 12;
/** Length of the truncated HMAC, bytes. A MAC of 128 bits is infeasible to guess, and keeps URLs short. */
const MAC_BYTES = 16;
const UUID_BYTES = 16;
/** Maximum length of a token, which is the router's limit for a parameter. */
const MAX_TOKEN_LENGTH = 256;
const PRINCIPAL_TYPES: readonly PrincipalType[] = ['user', 'watch', 'operator'];

/**
 * Encodes a token in base64url: version, variant, key id and times in 12 bytes, then the four ids, then an HMAC over
 * all these bytes.
 * @throws TypeError for ids that are longer than the service generates
 */
export function encodeSignedUrlToken(claims: SignedUrlClaims, key: UrlSigningKey): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8((TOKEN_VERSION << 4) | claims.variant, 0);
  head.writeUInt32BE(key.keyId, 1);
  head.writeUIntBE(claims.createdAt, 5, 6);
  head.writeUInt8(typeOf(claims.principal), 11);
  const { contentId, cloudId, principal, sessionId } = claims;
  const ids = [contentId, cloudId, principal.slice(principal.indexOf(':') + 1), sessionId];
  const body = Buffer.concat([head, ...ids.map(encodeId)]);
  const token = Buffer.concat([body, computeMac(body, key)]).toString('base64url');
  if (token.length > MAX_TOKEN_LENGTH) throw new TypeError('These ids are too long for a signed URL');
  return token;
}

/** Returns the id of the key that is encoded in a token, or `undefined` when the text is not a token. */
export function keyIdOfToken(token: string): number | undefined {
  const bytes = decodeBytes(token);
  return bytes && bytes[0] !== undefined && bytes[0] >> 4 === TOKEN_VERSION ? bytes.readUInt32BE(1) : undefined;
}

/** Decodes a token. Returns `undefined` unless this key has signed exactly the bytes of the token. */
export function decodeSignedUrlToken(token: string, key: UrlSigningKey): SignedUrlClaims | undefined {
  const bytes = decodeBytes(token);
  if (!bytes) return undefined;
  const body = bytes.subarray(0, -MAC_BYTES);
  if (!timingSafeEqual(computeMac(body, key), bytes.subarray(-MAC_BYTES))) return undefined;
  const [contentId = '', cloudId = '', id = '', sessionId = ''] = decodeIds(body.subarray(HEAD_BYTES));
  const createdAt = body.readUIntBE(5, 6);
  return {
    variant: (body.readUInt8(0) & 0xf) as UrlVariant,
    contentId,
    cloudId,
    principal: `${PRINCIPAL_TYPES[body.readUInt8(11)] as PrincipalType}:${id}`,
    sessionId,
    createdAt,
    expiresAt: createdAt + SIGNED_URL_TTL_MS,
  };
}

function computeMac(body: Buffer, { secret }: UrlSigningKey): Buffer {
  return createHmac('sha256', secret).update(body).digest().subarray(0, MAC_BYTES);
}

function decodeBytes(token: string): Buffer | undefined {
  const bytes = token.length > MAX_TOKEN_LENGTH ? undefined : decodeBase64Url(token);
  return bytes && bytes.length > HEAD_BYTES + MAC_BYTES ? bytes : undefined;
}

function typeOf(principal: PrincipalKey): number {
  return PRINCIPAL_TYPES.indexOf(principal.slice(0, principal.indexOf(':')) as PrincipalType);
}

/** Encodes a UUID as a zero byte and its 16 bytes, and any other id as its length and its UTF-8 bytes. */
function encodeId(id: string): Buffer {
  if (isUuid(id)) return Buffer.concat([Buffer.alloc(1), Buffer.from(id.replaceAll('-', ''), 'hex')]);
  const text = Buffer.from(id);
  if (text.length === 0 || text.length > 255) throw new TypeError('This id does not fit into a signed URL');
  return Buffer.concat([Buffer.of(text.length), text]);
}

function decodeIds(packed: Buffer): string[] {
  const ids: string[] = [];
  for (let at = 0; at < packed.length;) {
    const length = packed.readUInt8(at);
    const end = at + 1 + (length || UUID_BYTES);
    ids.push(length === 0 ? uuidOf(packed.toString('hex', at + 1, end)) : packed.toString('utf8', at + 1, end));
    at = end;
  }
  return ids;
}

function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
