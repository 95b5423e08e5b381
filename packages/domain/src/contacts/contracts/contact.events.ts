import type { PrincipalKey } from '../../kernel/contracts/principal.js';

export const CONTACT_CHANGE = { CREATED: 'CREATED', UPDATED: 'UPDATED', DELETED: 'DELETED' } as const;
export type ContactChange = (typeof CONTACT_CHANGE)[keyof typeof CONTACT_CHANGE];

/** Key: `familyId`. */
export interface ContactEvents {
  'userctx.contact.changed': {
    familyId: string;
    cid: string;
    /** The child's watch (`did`); `null` while no watch is bound. */
    did: number | null;
    refId: string;
    change: ContactChange;
    /** Version of the child's contact list after the change. */
    version: number;
    by: PrincipalKey;
  };
}
