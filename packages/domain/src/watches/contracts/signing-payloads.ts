/**
 * What a watch signs with its Ed25519 key, as UTF-8. Each text starts with its purpose, so that a signature made for
 * one operation is worth nothing in another.
 */
export interface Challenge {
  /** The service that asked; a proof made for one service is worth nothing at another. */
  audience: string;
  nonce: string;
}

/** Text of the proof that the holder of the key claims this IMEI. */
export function enrolmentSigningPayload({ audience, nonce }: Challenge, imei: string): string {
  return `family-watch/enrol\n${audience}\n${nonce}\n${imei}`;
}

/** Text of the proof that the holder of the watch's key asks for a token. */
export function tokenSigningPayload({ audience, nonce }: Challenge, did: number): string {
  return `family-watch/token\n${audience}\n${nonce}\n${did}`;
}

/**
 * Text by which a maker vouches, with the maker's own Ed25519 key, that the watch with this IMEI holds this key.
 * It is made once, in the factory, and has therefore neither audience nor nonce.
 */
export function manufacturerSigningPayload(imei: string, publicKey: string): string {
  return `family-watch/maker\n${imei}\n${publicKey}`;
}
