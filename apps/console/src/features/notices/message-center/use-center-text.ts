import { useQueries, useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import type en from '../../../core/languages/en.json';
import { useSession } from '../../../core/session/use-session.js';
import { useLanguage } from '../../../core/texts.js';
import { applicantOf } from '../../families/family/join-requests.js';
import { joinRequestsQuery } from '../../families/family/queries.js';
import { childrenQuery, familiesQuery, membersQuery, OWNER } from '../../families/queries.js';
import { friendsQuery } from '../../families/watch-settings/queries.js';
import { fencesQuery } from '../../locations/fences/queries.js';
import type { CenterMessage } from './queries.js';

type StateKey = keyof typeof en.messageCenterStates;

/** Parameters that name the person whom a message is about, by their precedence. */
const PERSON_PARAMS = ['claimantUserId', 'toUserId', 'applicantUserId', 'userId', 'by'] as const;

/** Returns a function that describes a message. Messages contain ids only; the names are those that the person may see. */
export function useCenterText(): (message: Pick<CenterMessage, 'type' | 'params' | 'cid'>) => string {
  const { t } = useTranslation('messageCenter');
  const { t: tType } = useTranslation('messageCenterTypes');
  const { t: tState } = useTranslation('messageCenterStates');
  const [language] = useLanguage();
  const names = useNames();
  return ({ type, params, cid }) => {
    const values = {
      child: names.ofChild(cid) ?? t('yourChild'),
      person: names.ofPerson(params, cid) ?? t('somebody'),
      friend: names.ofFriend(params['applicationId']) ?? t('aChild'),
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
  return i18next.exists(key, { ns: 'messageCenterStates' });
}

function useNames() {
  const session = useSession();
  const children = useQuery(childrenQuery(session)).data?.childList ?? [];
  const families = useQuery(familiesQuery(session)).data?.items ?? [];
  const members = useQueries({ queries: families.map(({ familyId }) => membersQuery(session, familyId)) });
  const fences = useQueries({ queries: children.map(({ cid }) => fencesQuery(session, cid)) });
  const owned = families.filter(({ role }) => role === OWNER);
  const joinRequests = useQueries({ queries: owned.map(({ familyId }) => joinRequestsQuery(session, familyId)) });
  const watches = children.flatMap(({ device }) => (device === null ? [] : [device.did]));
  const friends = useQueries({ queries: watches.map((did) => friendsQuery(session, did)) });
  return {
    ofChild: (cid: string | null) => children.find((child) => child.cid === cid)?.name,
    ofPerson: (params: CenterMessage['params'], cid: string | null) => {
      const param = PERSON_PARAMS.map((name) => params[name]).find((value) => typeof value === 'string');
      // A watch acts for its child.
      if (param?.startsWith('watch:')) return children.find((child) => child.cid === cid)?.name;
      const userId = param?.replace(/^user:/, '');
      const member = members.flatMap(({ data }) => data?.items ?? []).find((each) => each.userId === userId);
      if (member) return member.name;
      const requests = joinRequests.flatMap(({ data }) => data?.items ?? []);
      const request = requests.find(({ applicationId }) => applicationId === params['applicationId']);
      return request && applicantOf(request);
    },
    ofFriend: (applicationId: unknown) =>
      friends.flatMap(({ data }) => data?.items ?? []).find((friend) => friend.applicationId === applicationId)?.name,
    ofFence: (fenceId: unknown) =>
      fences.flatMap(({ data }) => data?.items ?? []).find((fence) => fence.fenceId === fenceId)?.name,
  };
}
