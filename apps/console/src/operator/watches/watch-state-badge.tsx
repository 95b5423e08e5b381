import { useTranslation } from 'react-i18next';
import { StateBadge } from '../shared/state-badge.js';
import type { WatchState } from './queries.js';

export function WatchStateBadge({ watch: { revokedAt, familyId } }: { watch: WatchState }) {
  const { t } = useTranslation('operatorWatches');
  if (revokedAt !== null) return <StateBadge text={t('stateREVOKED')} isBad />;
  return <StateBadge text={t(familyId === null ? 'stateUNBOUND' : 'stateBOUND')} />;
}
