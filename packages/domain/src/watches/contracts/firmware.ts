/** States of an image. ANNOUNCED: its bytes have not arrived. READY: watches can get it. WITHDRAWN is final. */
export const FIRMWARE_IMAGE_STATE = { ANNOUNCED: 'ANNOUNCED', READY: 'READY', WITHDRAWN: 'WITHDRAWN' } as const;
export type FirmwareImageState = (typeof FIRMWARE_IMAGE_STATE)[keyof typeof FIRMWARE_IMAGE_STATE];

/**
 * States of a rollout. SCHEDULED: not started. RUNNING: its active waves get the image. PAUSED: no watch gets the image.
 * FINISHED: all watches have ended their update; watches that join the group later still get the image. STOPPED is
 * final: no watch gets the image by this rollout any more.
 */
export const ROLLOUT_STATE = {
  SCHEDULED: 'SCHEDULED',
  RUNNING: 'RUNNING',
  PAUSED: 'PAUSED',
  FINISHED: 'FINISHED',
  STOPPED: 'STOPPED',
} as const;
export type RolloutState = (typeof ROLLOUT_STATE)[keyof typeof ROLLOUT_STATE];

/** What an operator can do with a rollout by hand. ADVANCE begins the next wave before the success threshold. */
export const ROLLOUT_ACTION = {
  START: 'START',
  PAUSE: 'PAUSE',
  RESUME: 'RESUME',
  ADVANCE: 'ADVANCE',
  STOP: 'STOP',
} as const;
export type RolloutAction = (typeof ROLLOUT_ACTION)[keyof typeof ROLLOUT_ACTION];

/** What happens to a rollout at its error threshold. */
export const ROLLOUT_ERROR_ACTION = { PAUSE: 'PAUSE', STOP: 'STOP' } as const;
export type RolloutErrorAction = (typeof ROLLOUT_ERROR_ACTION)[keyof typeof ROLLOUT_ERROR_ACTION];

/** States of an update that a watch can report. */
export const REPORTED_DEPLOYMENT_STATE = {
  DOWNLOADING: 'DOWNLOADING',
  DOWNLOADED: 'DOWNLOADED',
  INSTALLING: 'INSTALLING',
  SUCCESS: 'SUCCESS',
  FAILED: 'FAILED',
  REJECTED: 'REJECTED',
} as const;
export type ReportedDeploymentState = (typeof REPORTED_DEPLOYMENT_STATE)[keyof typeof REPORTED_DEPLOYMENT_STATE];

/**
 * States of the update of one watch by one rollout. SCHEDULED: the watch has not begun. FAILED: the attempt failed; after
 * the first failure the watch may try again. REJECTED: the watch refuses the image, for example because its signature is
 * not valid.
 */
export const DEPLOYMENT_STATE = { SCHEDULED: 'SCHEDULED', ...REPORTED_DEPLOYMENT_STATE } as const;
export type DeploymentState = (typeof DEPLOYMENT_STATE)[keyof typeof DEPLOYMENT_STATE];

/** Conditions of an update that a watch does not fulfil now. SOS: no watch is updated during an SOS of its child. */
export const UPDATE_CONDITION = {
  BATTERY: 'BATTERY',
  CHARGING: 'CHARGING',
  SCHOOL_TIME: 'SCHOOL_TIME',
  SOS: 'SOS',
} as const;
export type UpdateCondition = (typeof UPDATE_CONDITION)[keyof typeof UPDATE_CONDITION];

/** Number of failed attempts after which an image is not offered to a watch again. */
export const MAX_UPDATE_FAILURES = 2;

export const FIRMWARE_LIMITS = {
  /** Largest image, in bytes (128 MiB). An upload of this size ends before garbage collection deletes its bytes. */
  imageBytes: 128 * 1024 ** 2,
  /** Maximum number of images per model that are not withdrawn. */
  imagesPerModel: 100,
  groups: 1_000,
  /** Maximum number of watches in one request. */
  watchesPerRequest: 10_000,
  waves: 10,
  /** Maximum number of rollouts per image, with stopped ones: each check of a watch reads them. */
  rolloutsPerImage: 50,
  errorLength: 256,
} as const;

/** One to four numbers without leading zeros, such as `2.10.0`: versions are ordered number by number. */
export const FIRMWARE_VERSION_PATTERN = /^(0|[1-9]\d{0,8})(\.(0|[1-9]\d{0,8})){0,3}$/;

/**
 * Returns a negative number if `one` is older than `other`, 0 for equal versions, and a positive number if it is newer.
 * A version in another format, such as that of a prototype, is older than every version of an image.
 */
export function compareFirmwareVersions(one: string, other: string): number {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  for (let index = 0; index < Math.max(first.length, second.length); index += 1) {
    const difference = (first[index] ?? -1) - (second[index] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  return FIRMWARE_VERSION_PATTERN.test(version) ? version.split('.').map(Number) : [];
}

/** What the signature of an image covers. `digest`: SHA-256 of the image, lower-case hex. */
export interface FirmwareManifest {
  model: string;
  version: string;
  /** Bytes. */
  size: number;
  digest: string;
}

/**
 * Returns the text (UTF-8) that an operator signs with an Ed25519 key that the service does not have. The service and the
 * watch verify the signature. It contains model and version, so that a signed image cannot be passed off as an image for
 * another model or as a newer version.
 */
export function firmwareSigningPayload({ model, version, size, digest }: FirmwareManifest): string {
  return `family-watch/firmware\n${model}\n${version}\n${size}\n${digest}`;
}

/** Constants of firmware tickets, which userctx signs and mcdisk verifies. A ticket is part of a URL. */
export const FIRMWARE_TICKET = {
  issuer: 'family-watch',
  audience: 'family-watch/mcdisk/firmware',
  type: 'fwt+jwt',
  algorithm: 'EdDSA',
  /** Seconds in which an upload or download must begin. */
  lifetime: 300,
} as const;

/** Claims of a firmware ticket: it permits either the upload or the download of one image. */
export interface FirmwareTicketClaims {
  imageId: string;
  scope: 'upload' | 'download';
  /** Bytes. */
  size: number;
  /** SHA-256, lower-case hex. */
  digest: string;
  /** Rate limits count the requests for the watch or the operator to whom the ticket was given. */
  sub: string;
}

/** Path of the operations that receive and send the bytes of images; the query contains the ticket. */
export const FIRMWARE_IMAGE_PATH = '/app-api/mcdisk/firmware/image';

/** Key: `imageId`, or `familyId`. Times: Unix milliseconds. */
export interface FirmwareEvents {
  /** A watch that is bound to a child has installed an image. */
  'userctx.firmware.installed': { familyId: string; cid: string; did: number; version: string; time: number };
  /** The bytes of an image have arrived and have the announced size and digest. */
  'mcdisk.firmware-image.stored': { imageId: string; size: number; digest: string; time: number };
  /** An operator has withdrawn an image; its bytes are no longer needed. */
  'userctx.firmware-image.withdrawn': { imageId: string; time: number };
}
