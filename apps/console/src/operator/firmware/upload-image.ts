import { ApiError, NetworkError } from '@family-watch/client';
import type { OperatorSession } from '../session/operator-session.js';

/** Bytes of an Ed25519 signature. */
const SIGNATURE_BYTES = 64;

export interface ImageFiles {
  readonly model: string;
  readonly version: string;
  /** Name of the public key that verifies the signature. */
  readonly keyId: string;
  readonly image: Blob;
  /** The 64 bytes of the signature. */
  readonly signature: Blob;
}

export function isSignature(file: Blob): boolean {
  return file.size === SIGNATURE_BYTES;
}

/** Announces the image and sends its bytes. A repetition continues an upload that failed. @throws ApiError, NetworkError */
export async function uploadImage({ client }: OperatorSession, files: ImageFiles): Promise<void> {
  const { model, version, keyId, image } = files;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await image.arrayBuffer()));
  const signature = new Uint8Array(await files.signature.arrayBuffer());
  const { uploadUrl } = await client.createFirmwareImage({
    model,
    version,
    keyId,
    size: image.size,
    digest: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join(''),
    signature: btoa(String.fromCharCode(...signature))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', ''),
  });
  if (uploadUrl === null) return;
  const response = await fetch(uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: image,
  }).catch((cause: unknown) => {
    throw new NetworkError('The image could not be sent', { cause });
  });
  if (!response.ok) throw await ApiError.fromResponse(response);
}
