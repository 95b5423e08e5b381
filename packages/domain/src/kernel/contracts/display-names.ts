/** An account, a child or a family, by its id. */
export type NameKey = `user:${string}` | `child:${string}` | `family:${string}`;

/** How clients show an account, a child or a family. `avatar`: reference to an image or its URL, as a member set it. */
export interface DisplayName {
  name: string;
  avatar: string | null;
}

/** How a reader is related to a person or child: both belong to one family, or one of them is its contact. */
export type Relation = 'FAMILY' | 'CONTACT';

/**
 * Returns the avatar if the reader gets it, or else null. An app that opens it tells the host of a URL the address of
 * its user, so that a reference and a URL without encryption stay within the family. A contact, whom the family has
 * chosen, also gives and gets URLs with https. Nobody gets a URL with another scheme or a password.
 *
 * @param relation - undefined for members of other families, whose avatars are not returned
 */
export function readableAvatar(avatar: string | null, relation: Relation | undefined): string | null {
  return avatar !== null && isReadable(avatar, relation) ? avatar : null;
}

function isReadable(avatar: string, relation: Relation | undefined): boolean {
  if (relation === undefined) return false;
  if (!URL.canParse(avatar)) return relation === 'FAMILY';
  const { protocol, username, password } = new URL(avatar);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && relation === 'FAMILY');
}

/** Maximum number of keys in one call of {@link NameSource.findNames}. */
export const MAX_NAMES_PER_CALL = 1_000;

/**
 * Reads current names from userctx. Events contain no names, so other apps ask for the names that a response contains.
 * The caller must check who may see a name.
 */
export interface NameSource {
  /** Returns the names of existing accounts, children and families; other keys are omitted. */
  findNames(keys: readonly NameKey[]): Promise<Partial<Record<NameKey, DisplayName>>>;
}
