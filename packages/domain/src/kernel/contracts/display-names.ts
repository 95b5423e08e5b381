/** An account, a child or a family, by its id. */
export type NameKey = `user:${string}` | `child:${string}` | `family:${string}`;

/** How clients show an account, a child or a family. `avatar`: reference to an image or its URL, as a member set it. */
export interface DisplayName {
  name: string;
  avatar: string | null;
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
