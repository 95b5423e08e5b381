/**
 * Data for the texts that a watch signs with its Ed25519 key, as UTF-8. Each text starts with its purpose, so that a
 * signature for one operation is invalid for every other operation.
 */
export interface Challenge {
  /** URL of the service that issued the challenge; another service rejects the signature. */
  audience: string;
  nonce: string;
}

/** Returns the text whose signature proves possession of the key and claims this IMEI. */
export function enrolmentSigningPayload({ audience, nonce }: Challenge, imei: string): string {
  return `family-watch/enrol\n${audience}\n${nonce}\n${imei}`;
}

/** Returns the text whose signature proves possession of the watch's key when the watch requests a token. */
export function tokenSigningPayload({ audience, nonce }: Challenge, did: number): string {
  return `family-watch/token\n${audience}\n${nonce}\n${did}`;
}

/**
 * Returns the text by which a manufacturer confirms, with its own Ed25519 key, that the watch with this IMEI has this
 * key. The manufacturer signs the text once, in the factory, so the text contains neither audience nor nonce.
 */
export function manufacturerSigningPayload(imei: string, publicKey: string): string {
  return `family-watch/maker\n${imei}\n${publicKey}`;
}
