import { useQueries, useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useSession } from '../../app/session/use-session.js';
import { useLanguage, useTexts } from '../../app/texts.js';
import { childrenQuery } from '../children/queries.js';
import { familiesQuery, familyMembersQuery, fencesQuery } from './queries.js';
import type { CenterMessage } from './queries.js';
import { stateTexts, texts, typeTexts } from './texts.js';

type StateKey = Parameters<ReturnType<typeof useTexts<NonNullable<(typeof stateTexts)['key']>>>>[0];

/** Parameters that name the person whom a message is about, by their precedence. */
const PERSON_PARAMS = ['claimantUserId', 'toUserId', 'applicantUserId', 'userId', 'by'] as const;

/** Returns a function that describes a message. Messages contain ids only; the names are those that the person may see. */
export function useCenterText(): (message: CenterMessage) => string {
  const t = useTexts(texts);
  const tType = useTexts(typeTexts);
  const tState = useTexts(stateTexts);
  const [language] = useLanguage();
  const names = useNames();
  return ({ type, params, cid }) => {
    const values = {
      child: names.ofChild(cid) ?? t('yourChild'),
      person: names.ofPerson(params) ?? t('somebody'),
      place: names.ofFence(params['fenceId']) ?? t('aPlace'),
      battery: String(params['battery'] ?? ''),
      version: String(params['version'] ?? ''),
      done: String(params['done'] ?? ''),
      total: String(params['total'] ?? ''),
      eraseAt: new Date(Number(params['eraseAt'] ?? 0)).toLocaleDateString(language),
    };
    const stateKey = `${type}_${String(params['state'])}`;
    return isStateKey(stateKey) ? tState(stateKey, values) : tType(type, values);
  };
}

function isStateKey(key: string): key is StateKey {
  return i18next.exists(key, { ns: stateTexts.namespace });
}

function useNames() {
  const session = useSession();
  const children = useQuery(childrenQuery(session)).data?.childList ?? [];
  const families = useQuery(familiesQuery(session)).data?.items ?? [];
  const members = useQueries({ queries: families.map(({ familyId }) => familyMembersQuery(session, familyId)) });
  const fences = useQueries({ queries: children.map(({ cid }) => fencesQuery(session, cid)) });
  return {
    ofChild: (cid: string | null) => children.find((child) => child.cid === cid)?.name,
    ofPerson: (params: CenterMessage['params']) => {
      const param = PERSON_PARAMS.map((name) => params[name]).find((value) => typeof value === 'string');
      const userId = String(param).replace(/^user:/, '');
      return members.flatMap(({ data }) => data?.items ?? []).find((member) => member.userId === userId)?.name;
    },
    ofFence: (fenceId: unknown) =>
      fences.flatMap(({ data }) => data?.items ?? []).find((fence) => fence.fenceId === fenceId)?.name,
  };
}
