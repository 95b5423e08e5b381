/** The family of a child, and the watch that acts as the child. */
export interface ChildLink {
  familyId: string;
  cid: string;
  did: number | null;
}
