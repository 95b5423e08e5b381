import { useQuery } from '@tanstack/react-query';
import { useSession } from '../../app/session/use-session.js';
import { useTexts } from '../../app/texts.js';
import { contactsQuery } from '../watch-settings/queries.js';
import { texts } from './texts.js';

/** Returns functions that name a principal and a contact as the child's contact list does. */
export function usePersonName(did: number) {
  const t = useTexts(texts);
  const session = useSession();
  const contacts = useQuery(contactsQuery(session, did)).data?.items ?? [];
  return {
    ofPrincipal: (principal: string | null): string => {
      if (principal === `user:${session.userId}`) return t('you');
      return contacts.find(({ userId }) => principal === `user:${userId}`)?.name ?? t('somebody');
    },
    ofContact: (refId: string | null): string => contacts.find((each) => each.refId === refId)?.name ?? t('somebody'),
  };
}
