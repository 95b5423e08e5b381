import { useTranslation } from 'react-i18next';
import { StateBadge } from '../shared/state-badge.js';
import type { Rollout } from './queries.js';

export function RolloutState({ state }: { state: Rollout['state'] }) {
  const { t } = useTranslation('operatorFirmware');
  return <StateBadge text={t(`rollout${state}`)} isBad={state === 'STOPPED'} />;
}
