/** A picture in a family cloud. */
interface PhotoFile {
  readonly cloudID: string;
  readonly contentID: string;
}

const REFERENCE = /^media\/([^/]+)\/([^/]+)$/;

/**
 * Returns what the field `avatar` of a child or an account contains for a picture. It is no URL: the service returns it
 * only to members of the family, who then request a URL of the picture, which the family cloud authorizes again.
 */
export function photoReferenceOf({ cloudID, contentID }: PhotoFile): string {
  return `media/${cloudID}/${contentID}`;
}

/** Returns the picture of a reference, or undefined for other values of the field, such as URLs of other apps. */
export function photoFileOf(avatar: string | null | undefined): PhotoFile | undefined {
  const [, cloudID, contentID] = REFERENCE.exec(avatar ?? '') ?? [];
  return cloudID !== undefined && contentID !== undefined ? { cloudID, contentID } : undefined;
}
