import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSession } from '../../../core/session/use-session.js';
import { contactsQuery } from '../../families/watch-settings/queries.js';

/** Returns functions that name a principal and a contact as the child's contact list does. */
export function usePersonName(did: number) {
  const { t } = useTranslation('sos');
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
