/** To which family a child belongs, and which watch acts as the child. */
export interface ChildLink {
  familyId: string;
  cid: string;
  did: number | null;
}
